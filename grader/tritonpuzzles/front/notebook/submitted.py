"""A notebook as the file to grade: the solve cell, in a file of its own, for as long as this process lives."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front.errors import ExitCode, FrontError
from tritonpuzzles.front.notebook.extract import ENDING, cell_for
from tritonpuzzles.results.submission import Submission


def submission(path: Path, puzzle: Puzzle) -> Submission:
    """Return the file to check for a path: itself, or the solve cell of a notebook, by whose name it is known.

    Line numbers are those of the cell: `homework.ipynb/p03_online_softmax.py:41` is its line 41.

    Raises:
        FrontError: if a notebook cannot be read or has no cell for the puzzle.
    """
    if path.suffix != ENDING:
        return Submission.of(path)
    source = cell_for(path, puzzle).as_file
    try:
        folder = Path(tempfile.mkdtemp(prefix="tritonpuzzles-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        file = folder / path.name / f"{puzzle.stem}.py"
        file.parent.mkdir()
        file.write_text(source, encoding="utf-8", errors="replace")
    except OSError as error:
        raise FrontError(f"The cell of {path} cannot be written to a file: {error}.", code=ExitCode.FAULT) from error
    return Submission(file, path.absolute() / file.name)
