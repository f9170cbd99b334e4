"""Grade a class, from its submissions to one outcome per file; merge the outcomes of several machines; summarise them.

The summary is printed on the screen: verdicts by puzzle, files not taken or not graded, where the results are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from tritonpuzzles.front.classroom.grading.boiled import handed_in_by, line_of
from tritonpuzzles.front.classroom.grading.planned import How, Keys, by_key, pieces, read_whole, sha256_of
from tritonpuzzles.front.classroom.grading.records import (
    RESULTS,
    all_lines,
    appending,
    begun,
    is_graded,
    merged,
    read_run,
)
from tritonpuzzles.front.classroom.grading.running import run, solutions
from tritonpuzzles.front.classroom.model import ClassSettings, Intake, Outcome, Submitted
from tritonpuzzles.front.judge_process import judged
from tritonpuzzles.front.page.terminal import indented, two_columns
from tritonpuzzles.front.text import one_line
from tritonpuzzles.front.workspace.files import locked, write_atomically
from tritonpuzzles.front.workspace.folder import shown
from tritonpuzzles.judge.environment import choose_devices
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.results.check import Verdict
from tritonpuzzles.results.words import plural

CACHE = ".kernels"  # folder of compiled kernels, in that of the results
Warn = Callable[[str], None]
FEW = 8  # files that are named
VERSION = 1


@dataclass(frozen=True)
class Graded:
    """What is known of a class, or of a shard of it, after a run."""

    outcomes: tuple[Outcome, ...]  # one for each file, in the order of the files
    new: int  # how many of them this run graded
    seed: int  # that they were graded under
    broken: tuple[str, ...] = ()  # sentences about puzzles that this machine does not grade

    @property
    def faults(self) -> tuple[Outcome, ...]:
        """The outcomes that are no grade: a fault of the system stopped the check."""
        return tuple(outcome for outcome in self.outcomes if not is_graded(outcome))


def grade_class(
    settings: ClassSettings, intake: Intake, out: Path, of_class: tuple[Path, Path | None], how: How, warn: Warn
) -> Graded:
    """Grade what is new of a class, keep a line for each file in `out`, and return what is known of all.

    `of_class` is the class's folder, and its `class.toml` if one was named: `class merge` reads them again. `warn` is
    called with sentences about problems that do not stop the run.

    Raises:
        FrontError: if another process grades into the folder, or if no sandbox here isolates the files.
        OSError: if the folder cannot be written to.
        RecordError: if a record of the pack is inconsistent.
        RuntimeError: if the grader itself does not work here.
    """
    before = begun(out, *of_class)
    seed = settings.seed if settings.seed is not None else before.seed
    with appending(out / how.shard.file) as append:
        keys = Keys(seed, settings.deadline, judged(choose_devices, how.device))
        found = pieces(intake.files, keys, how.shard)
        lines = [] if how.again else all_lines(out, warn)
        there = {line.key: line for line in lines if is_graded(line)}
        written = {(line.student, line.slug, line.key) for line in lines if is_graded(line)}
        again = (piece for piece in found if piece.key in there)
        outcomes = {piece.place: handed_in_by(piece.submitted, there[piece.key]) for piece in again}
        for outcome in outcomes.values():
            if (outcome.student, outcome.slug, outcome.key) not in written:
                append(outcome)  # another student's file with the same text was graded
        groups = by_key(found, there)
        texts = solutions(settings, {group[0].submitted.puzzle.stem for group in groups})
        options = CheckOptions(how.device, seed, deadline=settings.deadline)
        new, broken = run(groups, texts, options, how, out / CACHE, append)
    outcomes |= {(outcome.student, outcome.slug): outcome for outcome in new}
    return Graded(tuple(outcomes[piece.place] for piece in found), len(new), seed, broken)


def merge_results(out: Path, shards: Sequence[Path], warn: Warn) -> list[Outcome]:
    """Bring the results of several folders together in one, which keeps its own, and return them all.

    Raises:
        FrontError: if a folder holds none.
        OSError: if one cannot be read or written to.
    """
    runs = [read_run(folder) for folder in shards]
    if len({one.seed for one in runs}) > 1:
        warn("These folders were graded under different seeds, unless class.toml names one: cases differ between them.")
    folders = [out, *(folder for folder in shards if folder != out)]
    outcomes = merged(line for folder in folders if folder.is_dir() for line in all_lines(folder, warn))
    begun(out, Path(runs[0].folder), None if runs[0].config is None else Path(runs[0].config))
    with locked(out, f".{RESULTS}.lock"):
        write_atomically(out / RESULTS, b"".join(map(line_of, outcomes)))
    return outcomes


def outcomes_of(files: Iterable[Submitted], lines: Sequence[Outcome]) -> list[Outcome]:
    """Return what is known of a class's files as they are now, whichever machine has graded them."""
    found = {}
    for line in lines:
        place = line.student, line.slug, line.sha256
        if is_graded(line) or place not in found:
            found[place] = line
    places = ((one.student, one.puzzle.slug, sha256_of(read_whole(one.file))) for one in files)
    return [found[place] for place in places if place in found]


def summary_lines(
    graded: Graded, intake: Intake, out: Path, written: Sequence[Path], width: int
) -> Iterator[RenderableType]:
    """Yield the lines for a screen of this width."""
    students = len({outcome.student for outcome in graded.outcomes})
    yield Text(
        f"{plural(len(graded.outcomes), 'file')} of {plural(students, 'student')}, {graded.new} graded now, "
        f"seed {graded.seed}; taken in as {one_line(intake.layout)}."
    )
    rows = [
        (name, ", ".join(f"{counts[one.value]} {one.value}" for one in Verdict if counts[one.value]))
        for name, counts in verdicts(graded.outcomes).items()
    ]
    yield indented(two_columns(rows, width // 3))
    for why in graded.broken:
        yield Text(one_line(f"Not graded here: {why}"), "red")
    if graded.faults:
        said = f"{plural(len(graded.faults), 'file')} not graded for a fault of this machine"
        yield Text(f"{said}, and nobody's points change. The same command grades them again.", "red")
    yield from _untaken(intake, width)
    yield Text(f"Results in {one_line(shown(out))}: {_places(out, written)}")


def _places(out: Path, written: Sequence[Path]) -> str:
    """Return the names of files in a folder, and how many there are in each folder within it."""
    within = Counter(path.parent.name for path in written if path.parent != out)
    names = [path.name for path in written if path.parent == out]
    return ", ".join([*names, *(f"{plural(count, 'page')} in {folder}/" for folder, count in within.items())])


def verdicts(outcomes: Sequence[Outcome]) -> dict[str, Counter[str]]:
    """Return how often there is each verdict, by "p03 online_softmax", in order."""
    found: dict[str, Counter[str]] = {}
    for outcome in sorted(outcomes, key=lambda one: one.puzzle):
        found.setdefault(f"p{outcome.puzzle:02d} {outcome.slug}", Counter())[outcome.verdict] += 1
    return found


def as_data(graded: Graded, intake: Intake, out: Path, written: Sequence[Path]) -> dict[str, Any]:
    """Return the summary for programs."""
    return {
        "version": VERSION,
        "out": str(out),
        "written": [str(path) for path in written],
        "layout": intake.layout,
        "seed": graded.seed,
        "files": len(graded.outcomes),
        "graded_now": graded.new,
        "verdicts": {name: dict(counts) for name, counts in verdicts(graded.outcomes).items()},
        "infra_errors": [{"student": one.student, "puzzle": one.puzzle, "file": one.file} for one in graded.faults],
        "broken": list(graded.broken),
        "not_taken": [{"student": one.student, "file": one.shown, "reason": one.reason} for one in intake.untaken],
    }


def _untaken(intake: Intake, width: int) -> Iterator[RenderableType]:
    if not intake.untaken:
        return
    yield Text(f"{plural(len(intake.untaken), 'file')} not taken:", "yellow")
    yield indented(two_columns([(one_line(one.shown), one.reason) for one in intake.untaken[:FEW]], width // 3))
    if len(intake.untaken) > FEW:
        yield indented(Text(f"and {len(intake.untaken) - FEW} more"))
