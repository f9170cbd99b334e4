"""Stands in for the judge's bencher, on a GPU that is not there: what a file says is what it gets.

`# speed: N` multiplies the made-up rates, `# wrong` makes it wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from tests.bench import samples
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.judge.bench import BenchOptions, Entrant
from tritonpuzzles.judge.bench.plan import plan_bench
from tritonpuzzles.results.bench import Bench, Contender, Speed


class Bencher:
    """Gives every file the rate of a copy's half, times its own factor."""

    def __init__(self, options: BenchOptions, progress: Callable[[str], None], cache: Path | None) -> None:
        self._options, self._progress = options, progress

    def bench(self, puzzle: Puzzle, entrants: Sequence[Entrant], needed: str | None = None) -> Bench:
        plan = plan_bench(puzzle, self._options, 7)
        self._progress(f"p{puzzle.number:02d} {puzzle.slug}: half of it")
        points = tuple(replace(p, copy_gb_per_s=4000.0 if plan.spec.memory_bound else None) for p in plan.points)
        files = [Contender(e.name, str(e.file), tuple(speed(e.file.opened) for _ in points)) for e in entrants]
        rivals = [
            Contender(name, None, tuple(Speed(samples.timing(1.0), 900.0) for _ in points), rung="naive")
            for name in ("naive torch",)
        ]
        return replace(
            samples.online_softmax(),
            puzzle=puzzle.number,
            slug=puzzle.slug,
            dtype=plan.dtype,
            axis=plan.bench.axis,
            dims=puzzle.dims,
            unit=plan.spec.unit,
            points=points,
            contenders=(*files, *rivals),
            matmul_tflop_per_s=None if plan.spec.memory_bound else 700.0,
            notes=plan.notes,
        )


def speed(path: Path) -> Speed:
    text = path.read_text()
    if "# wrong" in text or "# TODO" in text:
        return Speed(failure=samples.WRONG)
    factor = float(found[1]) if (found := re.search(r"# speed: ([\d.]+)", text)) else 1.0
    return Speed(samples.timing(1.0), 2000.0 * factor)
