"""What holds a process, and what does not and why: one small record, and a sentence made of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Held:
    """What was tried to confine a process.

    Attributes:
        holds: what the kernel now enforces: "Landlock 7", "a PID namespace".
        missing: what it does not, each with its reason: "a PID namespace (Operation not permitted)".
    """

    holds: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    def __add__(self, other: Held) -> Held:
        return Held(self.holds + other.holds, self.missing + other.missing)

    def __str__(self) -> str:
        if not self.holds:
            return f"Nothing here holds a submission: it may do all that its user may ({'; '.join(self.missing)})."
        held = f"A submission is held by {_listed(self.holds)}"
        return f"{held}; not by {'; '.join(self.missing)}." if self.missing else f"{held}."


def attempt(name: str, deed: Callable[[], str | None], alone: bool = True) -> Held:
    """Do what confines a process, and say whether that worked.

    Args:
        name: what holds when it did.
        deed: called without arguments; may return a better name, or an empty one where it held nothing worth a word.
        alone: whether it keeps anything away by itself; if not, it is worth a word only where it fails.
    """
    try:
        told = deed()
    except OSError as error:
        return Held(missing=(f"{name} ({error.strerror or error})",))
    words = name if told is None else told
    return Held((words,) if words and alone else ())


def _listed(names: tuple[str, ...]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
