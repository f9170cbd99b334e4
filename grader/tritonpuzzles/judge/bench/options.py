"""What a caller may ask of a bench. No torch here: the command line reads it before anything slow is imported."""

from __future__ import annotations

from dataclasses import dataclass

from tritonpuzzles.results.submission import Submission


class NoBenchError(ValueError):
    """A puzzle cannot be timed as asked; the message says why."""


@dataclass(frozen=True)
class BenchOptions:
    """How to bench.

    Attributes:
        sizes: along the axis; `None` for the record's.
        largest_only: time just the largest of them that fits into memory.
        dtype: of the inputs; `None` for that of the puzzle's timed case.
        seed: of the numbers; drawn anew when `None`.
        timeout: seconds for the import and for each size; `None` for the defaults.
    """

    sizes: tuple[int, ...] | None = None
    largest_only: bool = False
    dtype: str | None = None
    seed: int | None = None
    timeout: float | None = None


@dataclass(frozen=True)
class Entrant:
    """A file that enters a bench, under the name that reports give it: "yours", "solution", "tuned"."""

    name: str
    file: Submission
