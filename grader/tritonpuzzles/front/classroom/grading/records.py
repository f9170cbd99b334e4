"""`results.jsonl`: a line for each graded file, written as soon as it is known, and read again by the next run.

A kill loses at most the line that was being written. Several processes may write to one folder, each to a file of its
own; all of them are read.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from tritonpuzzles.decoding.marks import DecodeError
from tritonpuzzles.front.classroom.grading.boiled import line_of, read_line
from tritonpuzzles.front.classroom.outcome import Outcome
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.text import first_line
from tritonpuzzles.front.workspace.files import locked
from tritonpuzzles.results.check import Verdict
from tritonpuzzles.sandbox import read_regular

NAME = "results.jsonl"
PATTERN = "results*.jsonl"
MAX_BYTES = 1 << 30
Append = Callable[[Outcome], None]


@contextlib.contextmanager
def appending(path: Path) -> Iterator[Append]:
    """Yield a function that adds a line to a file, which no other process writes to meanwhile.

    What a process that was killed has left of a line is removed before.

    Raises:
        FrontError: if another process writes to it.
        OSError: if it cannot be written to.
    """
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(locked(path.parent, f".{path.name}.lock", seconds=0.0))
        except BlockingIOError as error:
            told = f"Another process is grading into {path.parent}."
            raise FrontError(told, "wait for it, or name another folder with --out") from error
        file = stack.enter_context(path.open("ab"))
        file.truncate(_whole(path))

        def append(outcome: Outcome) -> None:
            file.write(line_of(outcome))
            file.flush()
            os.fsync(file.fileno())

        yield append


def _whole(path: Path) -> int:
    """Return how many bytes of a file are whole lines."""
    return read_regular(path, MAX_BYTES).rfind(b"\n") + 1


def lines_of(path: Path, warn: Callable[[str], None]) -> list[Outcome]:
    """Return what the whole lines of a file say; of others, but for a last one without its end, a sentence is said.

    Raises:
        OSError: if it cannot be read.
    """
    found = []
    for number, line in enumerate(read_regular(path, MAX_BYTES).split(b"\n")[:-1], 1):
        try:
            found.append(read_line(line))
        except (DecodeError, ValueError, RecursionError) as error:
            warn(f"{path}, line {number} is no result that this version can read, and is left out: {first_line(error)}")
    return found


def all_lines(folder: Path, warn: Callable[[str], None]) -> list[Outcome]:
    """Return what all files of results in a folder say, in the order of their names."""
    return [outcome for path in sorted(folder.glob(PATTERN)) for outcome in lines_of(path, warn)]


def merged(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Return one outcome for each student, puzzle and key: the last, but a fault of a system's never hides a grade."""
    found: dict[tuple[str, str, str], Outcome] = {}
    for outcome in outcomes:
        place = outcome.student, outcome.slug, outcome.key
        if is_graded(outcome) or place not in found or not is_graded(found[place]):
            found.pop(place, None)  # the later one comes later
            found[place] = outcome
    return list(found.values())


def is_graded(outcome: Outcome) -> bool:
    """Return whether a file was judged, and no fault of the system stood in its way."""
    return outcome.verdict != Verdict.INFRA_ERROR.value
