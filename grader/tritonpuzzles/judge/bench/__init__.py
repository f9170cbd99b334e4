"""Benches: files, PyTorch and a copy timed over sizes on a GPU, every timed result checked.

Importing this package is cheap; torch is imported by `bencher`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.judge.bench.options import BenchOptions, Entrant
from tritonpuzzles.results.bench import Bench


def run_benches(
    entered: Sequence[tuple[Puzzle, Sequence[Entrant]]],
    options: BenchOptions,
    needed: str | None = None,
    progress: Callable[[str], None] = lambda _: None,
    cache: Path | None = None,
) -> list[Bench]:
    """Time files over the sizes of each of some puzzles.

    Args:
        entered: puzzles, each with the files that claim to solve it.
        options: sizes, dtype, seed, timeout.
        needed: as of `Bencher.bench`, which says what is raised.
        progress: takes short sentences about what is being done.
        cache: folder for compiled kernels; Triton's default if `None`.
    """
    from tritonpuzzles.judge.bench.bencher import Bencher

    bencher = Bencher(options, progress, cache)
    return [bencher.bench(puzzle, entrants, needed) for puzzle, entrants in entered]
