"""Make notebooks from puzzle files, and say which of those in a folder are out of date.

A notebook has no outputs, and its cells have fixed ids: the same files give the same bytes.
"""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tritonpuzzles.curriculum.record import HINTS, Argument, Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front.errors import ExitCode, FrontError
from tritonpuzzles.front.story import read_source

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
START = "00_start"
TEXTS = Path(__file__).with_name("cells.md")  # what is the same in every notebook, by role


def build(folder: Path) -> dict[str, bytes]:
    """Return the notebooks of a folder of puzzle files, by file name, the first one included.

    Raises:
        FrontError: if there is no file, one cannot be read, or the libraries are not installed.
    """
    present = [
        (puzzle, path) for puzzle in load_curriculum().puzzles if (path := folder / f"{puzzle.stem}.py").exists()
    ]
    if not present:
        raise FrontError(f"{folder} has no file such as p03_online_softmax.py.", "name the folder that has them")
    puzzles, repository = [puzzle for puzzle, _ in present], load_curriculum().pack.repository
    made = {f"{START}.ipynb": _written(START, start_cells(puzzles, repository))}
    for (puzzle, path), following in zip(present, [*puzzles[1:], None], strict=True):
        try:
            source = read_source(path)
        except OSError as error:
            raise FrontError(f"{path} cannot be read: {error}.", code=ExitCode.FAULT) from error
        leading = _library("jupytext").reads(source.story, fmt="py:percent").cells
        story = [str(cell.source) for cell in leading if cell.cell_type == "markdown"]
        cells = puzzle_cells(puzzle, story, source.code, following, repository)
        made[f"{puzzle.stem}.ipynb"] = _written(f"p{puzzle.number:02d}", cells)
    return made


def outdated(made: dict[str, bytes], folder: Path) -> list[str]:
    """Return what is wrong with the notebooks in a folder, as sentences; notebooks with other names are ignored."""
    there = {path.name for path in folder.glob("*.ipynb")}
    superfluous = {path.name for path in folder.glob("p[0-9][0-9]_*.ipynb")} - made.keys()
    sentences = []
    for name, data in made.items():
        if name not in there:
            sentences.append(f"{name} is missing.")
        elif (folder / name).read_bytes() != data:
            sentences.append(f"{name} is out of date.")
    return sentences + [f"{name} belongs to no puzzle." for name in sorted(superfluous)]


def _written(name: str, cells: Sequence[Cell]) -> bytes:
    """Return a notebook as it stands on disk; `name` is the first part of its cells' ids."""
    nbformat = _library("nbformat")
    kinds = {True: nbformat.v4.new_code_cell, False: nbformat.v4.new_markdown_cell}
    made = [kinds[cell.is_code](cell.source, id=f"{name}-{cell.role}") for cell in cells]
    notebook = nbformat.v4.new_notebook(metadata=METADATA, cells=made)
    nbformat.validate(notebook)
    return f"{nbformat.writes(notebook)}\n".encode()


def _library(name: str) -> Any:
    """Import a library of the `notebook` extra.

    Raises:
        FrontError: if it is not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        sentence = f"Building notebooks needs {name}, which is not installed."
        raise FrontError(sentence, "pip install 'tritonpuzzles[notebook]'", ExitCode.FAULT) from error


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

    The file comes as the Markdown of its story's cells, and the code, which goes into the solve cell as it is. A badge
    links to the `repository` on GitHub in which the notebook lies.
    """
    number, file = puzzle.number, f"puzzles/{puzzle.stem}.py"
    return [
        *(Cell(f"story-{count}", markdown) for count, markdown in enumerate(story, 1)),
        *([Cell("badge", _text("badge", stem=puzzle.stem, repository=repository))] if repository else []),
        Cell("load", _text("load"), is_code=True),
        *_reference(puzzle, code),
        Cell("about-solve", _text("about-solve", file=file, number=number)),
        Cell("solve", solve_cell(puzzle, code), is_code=True),
        Cell("hints", hints(puzzle)),
        Cell("about-check", _text("about-check", file=file, number=number)),
        Cell("check", f"%check {number}", is_code=True),
        Cell("about-trace", _text("about-trace")),
        Cell("trace", f"%trace {number}", is_code=True),
        *_bench(puzzle),
        Cell("next", _text("next", following=following) if following else _text("last")),
    ]


def _bench(puzzle: Puzzle) -> list[Cell]:
    """Return the cells that time the kernel over sizes; none where the puzzle has no bench."""
    if puzzle.benchmark is None or puzzle.benchmark.bench is None:
        return []
    return [Cell("about-bench", _text("about-bench")), Cell("bench", f"%bench {puzzle.number}", is_code=True)]


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
    return [Cell("about-reference", _text("about-reference")), Cell("reference", source, is_code=True)]


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


def _text(role: str, **words: object) -> str:
    """Return the text for a role, with words filled in."""
    return _texts()[role].format(**words)


@functools.cache
def _texts() -> dict[str, str]:
    _, *parts = re.split(r"^<!-- ([a-z-]+) -->\n", TEXTS.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {role: text.strip() for role, text in zip(parts[::2], parts[1::2], strict=True)}


def start_cells(puzzles: Sequence[Puzzle], repository: str = "") -> list[Cell]:
    """Return the cells of the notebook to begin with."""
    first = puzzles[0].number
    badge = [_text("badge", stem=START, repository=repository)] if repository else []
    rows = [f"| {puzzle.number} | [{puzzle.title}]({puzzle.stem}.ipynb) | {puzzle.idea} |" for puzzle in puzzles]
    table = "\n".join(["## The puzzles", "", "| | puzzle | new idea |", "|---|---|---|", *rows])
    return [
        Cell("intro", "\n\n".join([_text("intro"), *badge])),
        Cell("load", _text("load"), is_code=True),
        Cell("about-probe", _text("about-probe", number=first)),
        Cell("probe", f"%check {first} --solution --device cpu", is_code=True),
        Cell("puzzles", f"{table}\n\n{_text('progress')}"),
        Cell("progress", "%tritonpuzzles list", is_code=True),
        Cell("magics", _text("magics")),
    ]
