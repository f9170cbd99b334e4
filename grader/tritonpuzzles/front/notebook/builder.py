"""Make notebooks from puzzle files, and say which of those in a folder are out of date.

A notebook has no outputs, and its cells have fixed ids: the same files give the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front.errors import ExitCode, FrontError
from tritonpuzzles.front.notebook.cells import START, Cell, puzzle_cells, start_cells
from tritonpuzzles.front.story import read_source

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def build(folder: Path) -> dict[str, bytes]:
    """Return the notebooks of a folder of puzzle files, by file name, the first one included.

    Args:
        folder: with a file for at least one puzzle; puzzles that have none get no notebook.

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
        made[f"{puzzle.stem}.ipynb"] = _puzzle_notebook(puzzle, path, following, repository)
    return made


def outdated(made: dict[str, bytes], folder: Path) -> list[str]:
    """Return what is wrong with the notebooks in a folder, as sentences; notebooks with other names may lie there."""
    there = {path.name for path in folder.glob("*.ipynb")}
    superfluous = {path.name for path in folder.glob("p[0-9][0-9]_*.ipynb")} - made.keys()
    sentences = []
    for name, data in made.items():
        if name not in there:
            sentences.append(f"{name} is missing.")
        elif (folder / name).read_bytes() != data:
            sentences.append(f"{name} is out of date.")
    return sentences + [f"{name} belongs to no puzzle." for name in sorted(superfluous)]


def _puzzle_notebook(puzzle: Puzzle, path: Path, following: Puzzle | None, repository: str) -> bytes:
    try:
        source = read_source(path)
    except OSError as error:
        raise FrontError(f"{path} cannot be read: {error}.", code=ExitCode.FAULT) from error
    cells = puzzle_cells(puzzle, _story(source.story), source.code, following, repository)
    return _written(f"p{puzzle.number:02d}", cells)


def _story(text: str) -> list[str]:
    """Return the Markdown of the cells that a file begins with."""
    cells = _library("jupytext").reads(text, fmt="py:percent").cells
    return [str(cell.source) for cell in cells if cell.cell_type == "markdown"]


def _written(name: str, cells: Sequence[Cell]) -> bytes:
    """Return a notebook as it stands on disk; `name` is the first part of its cells' ids."""
    nbformat = _library("nbformat")
    new = nbformat.v4
    notebook = new.new_notebook(
        metadata=METADATA,
        cells=[
            (new.new_code_cell if cell.is_code else new.new_markdown_cell)(cell.source, id=f"{name}-{cell.role}")
            for cell in cells
        ],
    )
    nbformat.validate(notebook)
    return f"{nbformat.writes(notebook)}\n".encode()


def _library(name: str) -> Any:
    """Import a library of the `notebook` extra.

    Raises:
        FrontError: if it is not installed.
    """
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError as error:
        sentence = f"Building notebooks needs {name}, which is not installed."
        raise FrontError(sentence, "pip install 'tritonpuzzles[notebook]'", ExitCode.FAULT) from error
