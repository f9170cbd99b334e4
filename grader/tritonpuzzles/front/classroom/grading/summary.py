"""What stands on the screen after a class was graded: verdicts by puzzle, what was not taken or not graded, where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from tritonpuzzles.front.classroom.grading.grade import Graded
from tritonpuzzles.front.classroom.model import Intake, Outcome
from tritonpuzzles.front.page.terminal import indented, two_columns
from tritonpuzzles.front.text import one_line
from tritonpuzzles.front.workspace.folder import shown
from tritonpuzzles.results.check import Verdict
from tritonpuzzles.results.words import plural

FEW = 8  # files that are named
VERSION = 1


def summary_lines(
    graded: Graded, intake: Intake, out: Path, written: Sequence[Path], width: int
) -> Iterator[RenderableType]:
    """Yield the lines for a screen of this width."""
    students = len({outcome.student for outcome in graded.outcomes})
    yield Text(
        f"{plural(len(graded.outcomes), 'file')} of {plural(students, 'student')}, {graded.new} graded now, "
        f"seed {graded.seed}; taken in as {one_line(intake.layout)}."
    )
    rows = [(name, _verdicts(found)) for name, found in by_puzzle(graded.outcomes).items()]
    yield indented(two_columns(rows, width // 3))
    for why in graded.broken:
        yield Text(one_line(f"Not graded here: {why}"), "red")
    if graded.faults:
        said = (
            f"{plural(len(graded.faults), 'file')} not graded for a fault of this machine, and nobody's points change."
        )
        yield Text(f"{said} The same command grades them again.", "red")
    yield from _untaken(intake, width)
    yield Text(f"Results in {one_line(shown(out))}: {_places(out, written)}")


def _places(out: Path, written: Sequence[Path]) -> str:
    """Return the names of files in a folder, and how many there are in each folder within it."""
    within = Counter(path.parent.name for path in written if path.parent != out)
    names = [path.name for path in written if path.parent == out]
    return ", ".join([*names, *(f"{plural(count, 'page')} in {folder}/" for folder, count in within.items())])


def by_puzzle(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    """Return outcomes by "p03 online_softmax", in order."""
    found: dict[str, list[Outcome]] = {}
    for outcome in sorted(outcomes, key=lambda one: one.puzzle):
        found.setdefault(f"p{outcome.puzzle:02d} {outcome.slug}", []).append(outcome)
    return found


def as_data(graded: Graded, intake: Intake, out: Path, written: Sequence[Path]) -> dict[str, Any]:
    """Return the summary for programs."""
    counts = {name: Counter(one.verdict for one in found) for name, found in by_puzzle(graded.outcomes).items()}
    return {
        "version": VERSION,
        "out": str(out),
        "written": [str(path) for path in written],
        "layout": intake.layout,
        "seed": graded.seed,
        "files": len(graded.outcomes),
        "graded_now": graded.new,
        "verdicts": {name: dict(found) for name, found in counts.items()},
        "infra_errors": [{"student": one.student, "puzzle": one.puzzle, "file": one.file} for one in graded.faults],
        "broken": list(graded.broken),
        "not_taken": [{"student": one.student, "file": one.shown, "reason": one.reason} for one in intake.untaken],
    }


def _verdicts(outcomes: Sequence[Outcome]) -> str:
    counts = Counter(outcome.verdict for outcome in outcomes)
    return ", ".join(f"{counts[verdict.value]} {verdict.value}" for verdict in Verdict if counts[verdict.value])


def _untaken(intake: Intake, width: int) -> Iterator[RenderableType]:
    if not intake.untaken:
        return
    yield Text(f"{plural(len(intake.untaken), 'file')} not taken:", "yellow")
    yield indented(two_columns([(one_line(one.shown), one.reason) for one in intake.untaken[:FEW]], width // 3))
    if len(intake.untaken) > FEW:
        yield indented(Text(f"and {len(intake.untaken) - FEW} more"))
