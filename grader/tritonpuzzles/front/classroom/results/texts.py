"""The texts that are compared with each other: of what was handed in, read as data, and of what is shipped."""

from __future__ import annotations

from collections.abc import Mapping

from tritonpuzzles.front.classroom.results.book import Place
from tritonpuzzles.front.classroom.results.likeness import Given
from tritonpuzzles.front.classroom.settings import ClassSettings
from tritonpuzzles.front.classroom.submitted import Intake, Submitted
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.notebook.submitted import ENDING, cell_for
from tritonpuzzles.front.workspace.shipped import solution_file, stub_file
from tritonpuzzles.results.submission import MAX_SOURCE_BYTES
from tritonpuzzles.sandbox import read_regular


def texts_of(intake: Intake) -> Mapping[Place, bytes]:
    """Return the texts of all files that can be read, of a notebook the cell; a check says why another cannot be."""
    found = {}
    for file in intake.files:
        text = _text(file)
        if text is not None:
            found[file.student, file.puzzle.number] = text
    return found


def given_of(settings: ClassSettings) -> Mapping[int, Given]:
    """Return stubs and solutions; nothing of a puzzle without a stub, as nobody knows what is the learner's there."""
    found = {}
    for assigned in settings.assigned:
        try:
            stub = stub_file(assigned.puzzle).read_bytes()
        except (FrontError, OSError):
            continue
        try:
            found[assigned.puzzle.number] = Given(stub, solution_file(assigned.puzzle).read_bytes())
        except (FrontError, OSError):  # a student edition has no solutions
            found[assigned.puzzle.number] = Given(stub)
    return found


def _text(file: Submitted) -> bytes | None:
    try:
        if file.file.suffix == ENDING:
            return cell_for(file.file, file.puzzle).as_file.encode(errors="replace")
        return read_regular(file.file, MAX_SOURCE_BYTES)
    except (FrontError, OSError):
        return None
