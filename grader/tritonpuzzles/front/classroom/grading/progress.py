"""What is said while a class is graded: how many of how many, how fast, how long it takes, and what is being graded."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from tritonpuzzles.front import console
from tritonpuzzles.front.classroom.submitted import Submitted

EVERY_SECONDS = 10.0  # where nobody watches: a log is no place for each file
FEW = 3  # files that are named


@dataclass
class Doing:
    """The state of a run; `say` takes what is said of it.

    Attributes:
        total: files to be graded in this run.
        graded: of these.
        now: what is being graded.
    """

    total: int
    say: Callable[[str], None]
    graded: int = 0
    now: dict[int, Submitted] = field(default_factory=dict)
    began: float = field(default_factory=time.monotonic)

    def begin(self, number: int, submitted: Submitted) -> None:
        """Note that a file is being graded."""
        self.now[number] = submitted
        self.say(self.sentence())

    def end(self, number: int, files: int = 1) -> None:
        """Note that it is, and with it all files that hold the same."""
        self.now.pop(number, None)
        self.graded += files
        self.say(self.sentence())

    def sentence(self) -> str:
        """Return "37 of 118 graded, 41 a minute, 2 min left: p03 of ada, p04 of bob"."""
        said = f"{self.graded} of {self.total} graded"
        seconds = time.monotonic() - self.began
        if self.graded and seconds > 1:
            left = (self.total - self.graded) * seconds / self.graded
            said += f", {60 * self.graded / seconds:.0f} a minute, {_length(left)} left"
        return f"{said}: {_listed([*self.now.values()])}" if self.now else said


@contextlib.contextmanager
def doing(total: int) -> Iterator[Doing]:
    """Yield what says on stderr how far a run is; in a log it says so every ten seconds."""
    watched = console.stderr().is_terminal
    with console.status_line(verbose=True) as line:
        said = -EVERY_SECONDS

        def say(sentence: str) -> None:
            nonlocal said
            if watched or time.monotonic() - said >= EVERY_SECONDS:
                said = time.monotonic()
                line(sentence)

        yield Doing(total, say)


def _listed(files: Sequence[Submitted]) -> str:
    named = [f"p{one.puzzle.number:02d} of {one.student}" for one in files[:FEW]]
    return ", ".join(named) + (f" and {len(files) - FEW} more" if len(files) > FEW else "")


def _length(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
