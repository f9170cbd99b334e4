"""A class from what was handed in to one outcome for each file; and the outcomes of several machines as one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tritonpuzzles.front.classroom.grading.boiled import handed_in_by, line_of
from tritonpuzzles.front.classroom.grading.planned import (
    How,
    Keys,
    by_key,
    pieces,
    read_whole,
    sha256_of,
)
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
from tritonpuzzles.front.workspace.files import locked, write_atomically
from tritonpuzzles.judge.environment import choose_devices
from tritonpuzzles.judge.options import CheckOptions

CACHE = ".kernels"  # folder of compiled kernels, in that of the results
Warn = Callable[[str], None]


@dataclass(frozen=True)
class Graded:
    """What is known of a class, or of a shard of it, after a run.

    Attributes:
        outcomes: one for each file, in the order of the files.
        new: how many of them this run graded.
        seed: that they were graded under.
        broken: sentences about puzzles that this machine does not grade.
    """

    outcomes: tuple[Outcome, ...]
    new: int
    seed: int
    broken: tuple[str, ...] = ()

    @property
    def faults(self) -> tuple[Outcome, ...]:
        """Those of which a fault of the system is all that is known."""
        return tuple(outcome for outcome in self.outcomes if not is_graded(outcome))


def grade_class(
    settings: ClassSettings, intake: Intake, out: Path, of_class: tuple[Path, Path | None], how: How, warn: Warn
) -> Graded:
    """Grade what is new of a class, keep a line for each file in `out`, and return what is known of all.

    Args:
        settings: of the class.
        intake: its files.
        out: folder of results.
        of_class: the class's folder, and its `class.toml` where one was named: what `class merge` reads again.
        how: it is graded.
        warn: takes sentences about what does not stop it.

    Raises:
        FrontError: if another process grades into the folder, or nothing here keeps the files apart.
        OSError: if the folder cannot be written to.
        RecordError: if a record of the pack does not fit itself.
        RuntimeError: if the grader itself does not work here.
    """
    before = begun(out, *of_class)
    seed = settings.seed if settings.seed is not None else before.seed
    with appending(out / how.shard.file) as append:
        keys = Keys(seed, settings.deadline, judged(choose_devices, how.device))
        found = pieces(intake.files, keys, how.shard)
        lines = [] if how.again else all_lines(out, warn)
        there = {line.key: line for line in merged(lines) if is_graded(line)}
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
