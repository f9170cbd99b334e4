"""One student's points in the format of each platform; each function cites the published specification.

A puzzle that could not be graded must not become a zero. If a platform has no way to express that, nothing is written,
and the platform reports that the grader failed. Graded is the one student's submission in the platform's folder.
"""

from __future__ import annotations

import base64
import json
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from tritonpuzzles.curriculum.pack import SHIPPED, pack_folder
from tritonpuzzles.front.classroom.grading.grade import Warn, grade_class
from tritonpuzzles.front.classroom.grading.planned import How
from tritonpuzzles.front.classroom.intake.config import class_settings
from tritonpuzzles.front.classroom.intake.layouts import alone
from tritonpuzzles.front.classroom.intake.naming import read_time
from tritonpuzzles.front.classroom.intake.take_in import take_in
from tritonpuzzles.front.classroom.model import Student
from tritonpuzzles.front.classroom.results.book import Entry, Row, book_of
from tritonpuzzles.front.classroom.results.feedback import entry_blocks
from tritonpuzzles.front.console import printed
from tritonpuzzles.front.errors import ExitCode, FrontError
from tritonpuzzles.front.page.model import View
from tritonpuzzles.front.page.terminal import rendered
from tritonpuzzles.front.text import harmless, one_line
from tritonpuzzles.front.workspace.files import read_small
from tritonpuzzles.front.workspace.shipped import refuse_unknown_hosts
from tritonpuzzles.results.check import Verdict
from tritonpuzzles.results.words import plural

WIDTH = 80
SAID = "Not graded. The grader failed, which says nothing about your work: tell your instructor."
NOBODY = Student("submission", "submission")  # whose it is, the platform knows
METADATA = "submission_metadata.json"  # Gradescope's, beside the folder; its `created_at` is when it was handed in


def gradescope(row: Row) -> str:
    """Return `results/results.json`: gradescope-autograders.readthedocs.io, "Autograder Specifications"."""
    tests = [
        {
            "number": str(entry.assigned.puzzle.number),
            "name": entry.assigned.puzzle.label,
            "score": entry.score.points,
            "max_score": entry.assigned.points,
            "status": "passed" if _passes(entry) else "failed",
            "output": _text(entry),
            "output_format": "text",
            "visibility": "visible",
        }
        for entry in row.entries
    ]
    leaderboard = [item for entry in row.entries if _passes(entry) for item in _leads(entry)]
    data = {"tests": tests, "leaderboard": leaderboard, "execution_time": round(sum(map(_seconds, row.entries)))}
    return _json({**data, "output": _others(row), "output_format": "text", "stdout_visibility": "hidden"})


def _leads(entry: Entry) -> Iterator[dict[str, Any]]:
    """Yield the number that ranks a passing kernel: its measured rate, otherwise its DRAM reads per tensor size."""
    assert entry.outcome is not None
    name = f"p{entry.assigned.puzzle.number:02d}"
    if entry.outcome.rate is not None:
        yield {"name": f"{name} {one_line(entry.outcome.unit)}", "value": entry.outcome.rate, "order": "desc"}
    elif entry.outcome.loads:
        most = max(times for _, times in entry.outcome.loads)
        yield {"name": f"{name} DRAM reads, x its size", "value": most, "order": "asc"}


def github(row: Row) -> str:
    """Return a runner's `result`, in base64, for the action `classroom-resources/autograding-grading-reporter`."""
    tests = [
        {
            "name": entry.assigned.puzzle.label,
            "status": "pass" if _passes(entry) else "error" if entry.status == Verdict.ERROR.value else "fail",
            "score": entry.score.points,
            "message": _text(entry),
            "test_code": f"tritonpuzzles check {entry.assigned.puzzle.number}",
            "filename": one_line(entry.outcome.file) if entry.outcome else "",
            "line_no": (entry.error.line if entry.error else None) or 0,
            "duration": _seconds(entry),
        }
        for entry in row.entries
    ]
    status = "pass" if all(map(_passes, row.entries)) else "fail"
    most = sum(entry.assigned.points for entry in row.entries)
    result = json.dumps({"version": 1, "status": status, "max_score": most, "tests": tests})
    return base64.b64encode(result.encode()).decode() + "\n"


def autolab(row: Row) -> str:
    """Return what Autolab shows, and on the last line what it reads: Autolab's "Guide for Lab Authors".

    Autolab sets a missing score to zero, so an ungraded puzzle gets the score `null`, which Autolab keeps.
    """
    texts = [f"{entry.assigned.puzzle.label}\n{_text(entry)}\n" for entry in row.entries]
    scores = {f"p{entry.assigned.puzzle.number:02d}": entry.score.points for entry in row.entries}
    others = _others(row)
    return "\n".join([*texts, *([f"{others}\n"] if others else []), json.dumps({"scores": scores})]) + "\n"


def prairielearn(row: Row) -> str:
    """Return `results/results.json`: PrairieLearn's "External grading", "Grading results".

    A submission that is marked as not gradable costs the student neither points nor an attempt.
    """
    if row.total is None:
        return _json({"gradable": False, "format_errors": [SAID]})
    most = sum(entry.assigned.points for entry in row.entries)
    tests = [
        {
            "name": entry.assigned.puzzle.label,
            "description": entry.assigned.puzzle.title,
            "points": entry.score.points,
            "max_points": entry.assigned.points,
            "message": one_line(entry.score.words),
            "output": _text(entry),
        }
        for entry in row.entries
    ]
    score = min(row.total / most, 1.0) if most else 1.0
    return _json({"gradable": True, "score": score, "tests": tests, "output": _others(row)})


FORMS: dict[str, Callable[[Row], str]] = {
    "gradescope": gradescope,
    "github": github,
    "autolab": autolab,
    "prairielearn": prairielearn,
}
SAY_UNGRADED = frozenset({"autolab", "prairielearn"})  # those that can report one puzzle as not graded


def _text(entry: Entry) -> str:
    """Return everything that the student reads about a puzzle, as text without markup or control characters."""
    return harmless(printed(rendered(entry_blocks(entry), View(WIDTH)), WIDTH)).rstrip()


def _others(row: Row) -> str:
    """Return a line for each file that is for no puzzle of the class."""
    return "\n".join(f"{one_line(one.shown)} is not graded: {one_line(one.reason)}" for one in row.untaken)


def _passes(entry: Entry) -> bool:
    return entry.status == Verdict.PASS.value


def _seconds(entry: Entry) -> float:
    return entry.outcome.seconds if entry.outcome is not None else 0.0


def _json(data: object) -> str:
    return json.dumps(data, indent=1) + "\n"


def row_of(folder: Path, config: Path, how: How, warn: Warn) -> Row:
    """Grade every puzzle of a `class.toml` in one student's folder. Nothing is kept.

    Raises:
        FrontError: if the folder or the file cannot be read, or no sandbox here isolates a submission.
        RecordError: if a record of the pack is inconsistent.
        RuntimeError: if the grader itself does not work here.
    """
    settings = replace(class_settings(config, folder), roster=(NOBODY,))
    if pack_folder() != SHIPPED and pack_folder().resolve().is_relative_to(folder.resolve()):
        told = f"The pack that is open, {pack_folder()}, lies in the student's folder, and its code would be run."
        raise FrontError(told, "run the command in another folder")
    refuse_unknown_hosts([assigned.puzzle for assigned in settings.assigned])
    handed_in = _handed_in(folder)
    intake = take_in(folder, settings, lambda tree: alone(tree, NOBODY.id, handed_in))
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
    found = unknown[0].findings
    why = one_line(found[0].message if found else unknown[0].score.words)
    return f"{plural(len(unknown), 'puzzle')} of {len(row.entries)} not graded: {why}"


def _handed_in(folder: Path) -> datetime | None:
    """Return when a submission was handed in, by Gradescope's metadata; `None` elsewhere: the platform handles it.

    Raises:
        FrontError: if what Gradescope has written there is something else.
    """
    path = folder.absolute().parent / METADATA
    try:
        written = json.loads(read_small(path))["created_at"]
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        told = f"{path} says not when the submission was handed in: {error!r}."
        raise FrontError(told, code=ExitCode.FAULT) from error
    return read_time(str(written))
