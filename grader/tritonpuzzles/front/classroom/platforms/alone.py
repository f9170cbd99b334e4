"""Grade what one student has handed in, in the folder where a platform has put it."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from tritonpuzzles.curriculum.pack import SHIPPED, pack_folder
from tritonpuzzles.front.classroom.grading.grade import Warn, grade_class
from tritonpuzzles.front.classroom.grading.planned import How
from tritonpuzzles.front.classroom.intake.config import class_settings
from tritonpuzzles.front.classroom.intake.naming import read_time
from tritonpuzzles.front.classroom.intake.take_in import take_in_alone
from tritonpuzzles.front.classroom.model import Student
from tritonpuzzles.front.classroom.results.book import Row, book_of
from tritonpuzzles.front.errors import ExitCode, FrontError
from tritonpuzzles.front.text import one_line
from tritonpuzzles.front.workspace.files import read_small
from tritonpuzzles.front.workspace.shipped import refuse_unknown_hosts
from tritonpuzzles.results.words import plural

NOBODY = Student("submission", "submission")  # whose it is, the platform knows
METADATA = "submission_metadata.json"  # Gradescope's, beside the folder; its `created_at` is when it was handed in


def row_of(folder: Path, config: Path, how: How, warn: Warn) -> Row:
    """Grade every puzzle of a `class.toml` in one student's folder. Nothing is kept.

    Raises:
        FrontError: if the folder or the file cannot be read, or nothing here holds a submission.
        RecordError: if a record of the pack does not fit itself.
        RuntimeError: if the grader itself does not work here.
    """
    settings = replace(class_settings(config, folder), roster=(NOBODY,))
    if pack_folder() != SHIPPED and pack_folder().resolve().is_relative_to(folder.resolve()):
        told = f"The pack that is open, {pack_folder()}, lies in the student's folder, and its code would be run."
        raise FrontError(told, "run the command in another folder")
    refuse_unknown_hosts([assigned.puzzle for assigned in settings.assigned])
    intake = take_in_alone(folder, settings, NOBODY.id, _handed_in(folder))
    with tempfile.TemporaryDirectory(prefix="tritonpuzzles-") as out:
        graded = grade_class(settings, intake, Path(out), (folder, config), how, warn)
    for why in graded.broken:
        warn(why)
    return book_of(settings, intake, graded.outcomes).rows[0]


def why_ungraded(row: Row) -> str | None:
    """Return what stood in the way of a grade; `None` where all are known."""
    unknown = [entry for entry in row.entries if entry.score.points is None]
    if not unknown:
        return None
    found = unknown[0].outcome.findings if unknown[0].outcome else ()
    why = one_line(found[0].message if found else unknown[0].score.words)
    return f"{plural(len(unknown), 'puzzle')} of {len(row.entries)} not graded: {why}"


def _handed_in(folder: Path) -> datetime | None:
    """Return when Gradescope says that a submission came; `None` elsewhere, where the platform takes care of it.

    Raises:
        FrontError: if what Gradescope has written there is something else.
    """
    path = folder.absolute().parent / METADATA
    try:
        written = json.loads(read_small(path))["created_at"]
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise FrontError(
            f"{path} says not when the submission was handed in: {error!r}.", code=ExitCode.FAULT
        ) from error
    return read_time(str(written))
