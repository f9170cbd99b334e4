"""Benches: time files, PyTorch and a copy over sizes on a GPU, and check every timed result.

Importing this package is cheap, because the command line imports it first; `bencher` imports torch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.results.bench import Bench
from tritonpuzzles.results.submission import Submission


class NoBenchError(ValueError):
    """A puzzle cannot be timed as asked; the message says why."""


@dataclass(frozen=True)
class BenchOptions:
    """How to bench."""

    sizes: tuple[int, ...] | None = None  # along the bench's axis; `None` for the record's sizes
    largest_only: bool = False  # time just the largest of them that fits into memory
    dtype: str | None = None  # of the inputs; `None` for that of the puzzle's timed case
    seed: int | None = None  # of the random inputs; drawn anew when `None`
    timeout: float | None = None  # seconds for the import and for each size; `None` for the defaults


@dataclass(frozen=True)
class Entrant:
    """A file that enters a bench, under the name that reports give it: "yours", "solution", "tuned"."""

    name: str
    file: Submission


def run_benches(
    entered: Sequence[tuple[Puzzle, Sequence[Entrant]]],  # puzzles, each with the files that claim to solve it
    options: BenchOptions,  # sizes, dtype, seed, timeout
    needed: str | None = None,  # as for `Bencher.bench`, which lists what is raised
    progress: Callable[[str], None] = lambda _: None,  # takes short sentences about what is being done
    cache: Path | None = None,  # folder for compiled kernels; Triton's default if `None`
) -> list[Bench]:
    """Time the files of several puzzles, each over the sizes of its puzzle."""
    from tritonpuzzles.judge.bench.bencher import Bencher

    bencher = Bencher(options, progress, cache)
    return [bencher.bench(puzzle, entrants, needed) for puzzle, entrants in entered]
