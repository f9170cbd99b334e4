"""The cells of a puzzle's notebook, and of the first one, in order. Plain data: `builder` makes notebooks of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tritonpuzzles.curriculum.record import HINTS, Argument, Puzzle

START = "00_start"
SETUP = """\
# Installs tritonpuzzles where it is missing, makes the folder with the puzzles where there is none, and goes there.
import importlib.util

if importlib.util.find_spec("tritonpuzzles") is None:
    %pip install -q "tritonpuzzles[plot]"
%reload_ext tritonpuzzles
%workspace"""

BADGE = """

[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)]\
(https://colab.research.google.com/github/{repository}/blob/main/notebooks/{stem}.ipynb)"""

REFERENCE = """\
## What to compute

The definition in PyTorch, to play with. The check compares your kernel with it, computed in float64."""

SOLVE = """\
## Your kernel

Write the part marked `TODO`, then run the cell. It holds all of `{file}` except the story. Running it checks the cell,
in a process of its own, and writes that file. A kernel that crashes ends that process and not this notebook. The stop
button ends a check. What the file held before is put aside; `%tritonpuzzles restore {number}` brings it back. If the
file was edited elsewhere, you are asked before it is replaced. `%puzzle {number}` brings the file's code to a cell."""

CHECK = """\
## Check again

Checks `{file}` as it is, with the cell's line numbers where it came from a cell. Each check draws new shapes and
numbers; `%check {number} --seed 1` draws the same ones each time."""

TRACE = """\
## What your kernel reads and writes

How often each element is read and written, by which program and in which order, and what each line costs."""

BENCH = """\
## How fast it is

Needs an NVIDIA GPU. Times your kernel over a range of sizes, beside PyTorch and a plain copy."""

NEXT = "**Next:** [{following.number}. {following.title}]({following.stem}.ipynb)"

LAST = "That was the last puzzle. [Back to the start](00_start.ipynb)"

INTRO = """\
# Triton puzzles

Write GPU kernels in [Triton](https://triton-lang.org), from a naive softmax to FlashAttention-2. You need no GPU:
without one, your kernel runs in an interpreter that counts every byte it moves, and is compiled for GPUs that are not
there. With one, it also runs on it and is timed.

**How a puzzle's notebook works.** It tells a story, gives the definition in PyTorch, and has one cell that begins with
`%%puzzle`. Running that cell checks it, in a process of its own, and writes it to its file in `puzzles/`. A kernel that
crashes ends that process and not the notebook. A terminal works on the same files and keeps the same progress:
`tritonpuzzles check 3` there is `%check 3` here."""

PROBE = """\
## Does it work here?

This checks the solution of puzzle {number} on the CPU, and shows what a report looks like."""

PROGRESS = "Your progress, with links that also work where this notebook does not lie beside the others:"

MAGICS = """\
## What you can run in a cell

| | does |
|---|---|
| `%%puzzle 3` | checks the cell and writes it to its file; with `--replace` even if that was edited elsewhere |
| `%puzzle 3` | brings the file's code into the cell, after work in another editor |
| `%check 3` | checks the file; `--seed 1` gives the same numbers each time, `--solution` takes the shipped solution |
| `%hint 3` | shows the next of three hints |
| `%words mask` | explains a word of the stories and reports; without one, all of them |
| `%trace 3` | shows which program reads and writes which element, and what each line costs |
| `%bench 3` | times the kernel on a GPU |
| `%solution 3` | shows the solution, once you have passed, or with `--force` |
| `%workspace` | goes to the folder with `puzzles/`, and makes it where there is none |
| `%tritonpuzzles reset 3` | runs any command of the terminal: `reset`, `swap`, `restore`, `inspect`, `list`, `doctor` |

In Python, `tritonpuzzles.check(3)` returns the report, with `passed`, `findings` and `to_dict()`."""


@dataclass(frozen=True)
class Cell:
    """One cell; its role and the notebook's name make its id."""

    role: str
    source: str
    is_code: bool = False


def puzzle_cells(
    puzzle: Puzzle, story: Sequence[str], code: str, following: Puzzle | None, repository: str = ""
) -> list[Cell]:
    """Return the cells of a puzzle's notebook.

    Args:
        puzzle: its record.
        story: the Markdown of the file's leading cells.
        code: the rest of the file, which goes into the solve cell as it is.
        following: the next puzzle, if there is one.
        repository: on GitHub, in which the notebook lies; for a badge.
    """
    number, file = puzzle.number, f"puzzles/{puzzle.stem}.py"
    return [
        *(Cell(f"story-{count}", markdown) for count, markdown in enumerate(story, 1)),
        *([Cell("badge", badge(puzzle.stem, repository).strip())] if repository else []),
        Cell("load", SETUP, is_code=True),
        *_reference(puzzle, code),
        Cell("about-solve", SOLVE.format(file=file, number=number)),
        Cell("solve", solve_cell(puzzle, code), is_code=True),
        Cell("hints", hints(puzzle)),
        Cell("about-check", CHECK.format(file=file, number=number)),
        Cell("check", f"%check {number}", is_code=True),
        Cell("about-trace", TRACE),
        Cell("trace", f"%trace {number}", is_code=True),
        *_bench(puzzle),
        Cell("next", NEXT.format(following=following) if following else LAST),
    ]


def _bench(puzzle: Puzzle) -> list[Cell]:
    """Return the cells that time the kernel over sizes; none where the puzzle has no bench."""
    if puzzle.benchmark is None or puzzle.benchmark.bench is None:
        return []
    return [Cell("about-bench", BENCH), Cell("bench", f"%bench {puzzle.number}", is_code=True)]


def solve_cell(puzzle: Puzzle, code: str) -> str:
    """Return the solve cell: the magic, and below it the code of the puzzle's file."""
    return f"%%puzzle {puzzle.number}\n{code.rstrip()}"


def _reference(puzzle: Puzzle, code: str) -> list[Cell]:
    """Return the cells with the file's code as far as its reference, and a call of that; none for a file without."""
    parts: list[str] = []
    for part in re.split(r"^# %%.*\n", code, flags=re.MULTILINE):
        parts.append(part.strip())
        if "def reference(" in part:
            break
    else:
        return []
    arguments = ", ".join(_example(puzzle, argument) for argument in puzzle.arguments)
    source = "\n\n\n".join([*parts, f"reference({arguments})"])
    return [Cell("about-reference", REFERENCE), Cell("reference", source, is_code=True)]


def _example(puzzle: Puzzle, argument: Argument) -> str:
    """Return what a small call passes for an argument: a tensor with 4 elements along each dimension, or a value."""
    if not argument.is_tensor:
        return repr(argument.choices[0])
    dimensions = puzzle.dims if argument.shape is None else argument.shape
    return f"torch.randn({', '.join('4' * len(dimensions))})"


def hints(puzzle: Puzzle) -> str:
    """Return the hints, folded: a click opens one."""
    folded = (
        f"<details>\n<summary>Hint {number} of {HINTS}</summary>\n\n{hint}\n\n</details>"
        for number, hint in enumerate(puzzle.hints, 1)
    )
    return "\n\n".join(["## Hints", *folded])


def badge(stem: str, repository: str) -> str:
    """Return a paragraph with a link that opens a notebook in Colab; nothing where no repository holds it."""
    return BADGE.format(repository=repository, stem=stem) if repository else ""


def start_cells(puzzles: Sequence[Puzzle], repository: str = "") -> list[Cell]:
    """Return the cells of the notebook to begin with."""
    first = puzzles[0].number
    rows = [f"| {puzzle.number} | [{puzzle.title}]({puzzle.stem}.ipynb) | {puzzle.idea} |" for puzzle in puzzles]
    table = "\n".join(["## The puzzles", "", "| | puzzle | new idea |", "|---|---|---|", *rows])
    return [
        Cell("intro", INTRO + badge(START, repository)),
        Cell("load", SETUP, is_code=True),
        Cell("about-probe", PROBE.format(number=first)),
        Cell("probe", f"%check {first} --solution --device cpu", is_code=True),
        Cell("puzzles", f"{table}\n\n{PROGRESS}"),
        Cell("progress", "%tritonpuzzles list", is_code=True),
        Cell("magics", MAGICS),
    ]
