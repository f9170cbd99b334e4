"""A pack with no mistakes module and no walk: what its wrong kernels are told is what the core knows of any puzzle.

RMS norm with a weight, rotary embedding, cross-entropy, dropout, a product of int8 matrices. A third of the wrong
kernels is checked here, in CI another at every second commit; `python -m tests.packs.told` prints all anew.
"""

from __future__ import annotations

from collections import Counter

import pytest

from tests.packs.told import PACK, Told, expected, kernels, name_of, puzzles, told
from tests.turns import on_odd_turns, part
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.judge.check import check
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.judge.resolve import resolve
from tritonpuzzles.results.check import Verdict

LEAST = 0.7  # of the kernels, named or located
ALL = puzzles()
PUZZLES = pytest.mark.parametrize("puzzle", ALL, ids=lambda puzzle: puzzle.slug)


@pytest.mark.slow
@PUZZLES
def test_the_stub_is_open_and_the_solution_passes(puzzle: Puzzle) -> None:
    files = [(puzzle, PACK / folder / f"{puzzle.stem}.py") for folder in ("puzzles", "solutions")]
    found = check(files, CheckOptions(device="cpu", seed=1, targets=())).results
    assert [result.verdict for result in found] == [Verdict.UNSOLVED, Verdict.PASS], found[1].findings


@PUZZLES
def test_nothing_is_said_about_it_but_its_truth(puzzle: Puzzle) -> None:
    assert not resolve(puzzle).mistakes
    assert not puzzle.walk


def test_every_kernel_was_read_and_most_are_named_or_located() -> None:
    read = expected()
    assert set(read) == {name_of(path) for puzzle in ALL for path in kernels(puzzle)}
    judged = Counter(one.judged for one in read.values())
    assert set(judged) <= {"line", "elsewhere", "named", "vague"}
    assert len(read) - judged["vague"] >= LEAST * len(read)


@pytest.mark.corpus
@on_odd_turns
@PUZZLES
def test_wrong_kernels_are_rejected_and_told_as_they_were_read(puzzle: Puzzle) -> None:
    read = expected()
    changed: dict[str, tuple[Told, Told]] = {}
    for path in part(kernels(puzzle), in_ci=3, otherwise=3, start=puzzle.number):
        one, now = read[name_of(path)].told, told(puzzle, path)
        assert now.code != Verdict.PASS.value, path.name
        late = one.proof == "mended" and now.proof != "mended"  # a busy machine tries fewer changes, and says less
        if now != one and not late:
            changed[path.name] = one, now
    assert changed == {}
