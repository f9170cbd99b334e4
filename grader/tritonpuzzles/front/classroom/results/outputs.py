"""All files that an instructor gets out of a run: grades for people, for Canvas and for CI, and a page for everyone."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tritonpuzzles.front.classroom.model import ClassSettings, Intake, Outcome
from tritonpuzzles.front.classroom.results import canvas, feedback, grades, overview
from tritonpuzzles.front.classroom.results.book import Place, book_of
from tritonpuzzles.front.classroom.results.likeness import Given, with_likenesses
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.workspace.files import read_small, write_atomically
from tritonpuzzles.front.workspace.shipped import solution_file, stub_file


def write_outputs(
    out: Path,
    settings: ClassSettings,
    intake: Intake,
    outcomes: Sequence[Outcome],
    export: Path | None = None,
    say: Callable[[str], object] = str,
) -> list[Path]:
    """Write every file of a class, each in one step, and return their paths; the caller holds the folder's lock.

    The latest outcomes come last. Canvas's own gradebook export is filled in; `say` is called with a sentence for each
    thing in it that does not fit, which `class.html` shows, too; by default the sentences are dropped.

    Raises:
        FrontError: if a file cannot be written; or, when all others are written, if Canvas's export has another form.
    """
    outcomes = with_likenesses(outcomes, texts_of(intake), given_of(settings))
    book = book_of(settings, intake, outcomes)
    files = {grades.NAME: grades.grades_csv(book), grades.JUNIT: grades.junit_xml(book)}
    told: tuple[str, ...] = ()
    refused: FrontError | None = None
    if export is not None:
        try:
            filled = canvas.filled(canvas.read_export(export), book)
            files[canvas.NAME], told = filled.data, filled.told
        except FrontError as error:
            told, refused = (error.message,), error
    for row in book.rows:
        files[f"{feedback.FOLDER}/{feedback.file_name(row.student.id)}"] = feedback.feedback_html(book, row).encode()
    files[overview.NAME] = overview.overview_html(book, told).encode()
    paths = [_written(out / name, data) for name, data in files.items()]
    if refused is not None:
        raise refused
    for sentence in told:
        say(sentence)
    return paths


def _written(path: Path, data: bytes) -> Path:
    try:
        write_atomically(path, data)
    except OSError as error:
        raise FrontError(f"{path} cannot be written: {error.strerror or error}.") from error
    return path


def texts_of(intake: Intake) -> Mapping[Place, bytes]:
    """Return the texts of all files that can be read; a check says why another cannot be."""
    found = {}
    for file in intake.files:
        with contextlib.suppress(OSError):
            found[file.student, file.puzzle.number] = read_small(file.file)
    return found


def given_of(settings: ClassSettings) -> Mapping[int, Given]:
    """Return stubs and solutions; a puzzle without a stub is left out, as the learner's part cannot be told apart."""
    found = {}
    for assigned in settings.assigned:
        with contextlib.suppress(FrontError, OSError):  # a student edition has no solutions
            stub = stub_file(assigned.puzzle).read_bytes()
            found[assigned.puzzle.number] = Given(stub)
            found[assigned.puzzle.number] = Given(stub, solution_file(assigned.puzzle).read_bytes())
    return found
