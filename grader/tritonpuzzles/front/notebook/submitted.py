"""A notebook as the file to grade: the solve cell, in a file of its own, for as long as this process lives."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front.errors import ExitCode, FrontError
from tritonpuzzles.front.notebook.extract import ENDING, cell_for
from tritonpuzzles.front.workspace import let_stand_for


def as_python(path: Path, puzzle: Puzzle) -> Path:
    """Return the file to check for a path: itself, or the solve cell of a notebook, by whose name it is known.

    Line numbers are those of the cell: `homework.ipynb/p03_online_softmax.py:41` is its line 41.

    Raises:
        FrontError: if a notebook cannot be read or has no cell for the puzzle.
    """
    if path.suffix != ENDING:
        return path
    source = cell_for(path, puzzle).as_file
    try:
        folder = Path(tempfile.mkdtemp(prefix="tritonpuzzles-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        file = folder / path.name / f"{puzzle.stem}.py"
        file.parent.mkdir()
        file.write_text(source, encoding="utf-8", errors="replace")
        let_stand_for(folder, path.absolute().parent)
    except OSError as error:
        raise FrontError(f"The cell of {path} cannot be written to a file: {error}.", code=ExitCode.FAULT) from error
    return file
