"""Work out anew what the records' kernels move, and what that predicts; nothing that was measured is touched.

    python benchmarks/predict.py                # write it to benchmarks/results/*.json
    python benchmarks/predict.py --errors       # write nothing; print how far measured times are from predicted ones

Needs no GPU: the solutions of this checkout are run on the CPU, and the L2 cache is a model of the record's GPU. Run it
after a change to a solution, the interpreter or the model, and `python benchmarks/page.py` after it.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front.bench.contest import entrants
from tritonpuzzles.front.grading import Source
from tritonpuzzles.hardware.l2 import L2, l2_named
from tritonpuzzles.judge.bench import BenchOptions
from tritonpuzzles.judge.bench.ledger import Counted, count
from tritonpuzzles.judge.bench.plan import plan_bench
from tritonpuzzles.judge.workers.crew import Crew
from tritonpuzzles.results.bench import Bench, Contender, bench_from_dict
from tritonpuzzles.results.check import plain

RESULTS = Path(__file__).resolve().parent / "results"
LEAST_COLUMNS = 4096  # from here on the kernel counts more than its launch


def predicted(bench: Bench) -> Bench:
    """Return a bench with bytes and predictions of today."""
    l2 = l2_named(bench.environment["gpu"])
    if l2 is None:
        raise SystemExit(f"predict.py: {bench.environment['gpu']} is not listed in tritonpuzzles.hardware.l2.")
    puzzle = next(puzzle for puzzle in load_curriculum().puzzles if puzzle.slug == bench.slug)
    sizes = tuple(point.size for point in bench.points)
    plan = plan_bench(puzzle, BenchOptions(seed=bench.seed, sizes=sizes, dtype=bench.dtype), bench.seed)
    files = {entrant.name: entrant for entrant in entrants(puzzle, Source(solution=True), Path())}
    contenders = []
    for contender in bench.contenders:
        if contender.file is not None:
            print(f"p{bench.puzzle:02d} {contender.name}", file=sys.stderr, flush=True)
            counted = count(plan, files[contender.name], partial(Crew, "cpu"), None, l2)
            contender = with_predictions(contender, bench, counted, l2)
        contenders.append(contender)
    return replace(bench, contenders=tuple(contenders))


def with_predictions(contender: Contender, bench: Bench, counted: Counted, l2: L2) -> Contender:
    """Return a contender whose speeds stand beside what was counted.

    Raises:
        SystemExit: if the file is not right any more.
    """
    if counted.refusal is not None:
        raise SystemExit(f"predict.py: {contender.file}: {counted.refusal.message}")
    speeds = (
        replace(speed, ledger_bytes=moved, dram_bytes=dram, predicted=point.predicted(moved, dram, l2.gb_per_s))
        for speed, point, moved, dram in zip(
            contender.speeds, bench.points, counted.ledger_bytes, counted.dram_bytes, strict=True
        )
    )
    return replace(contender, speeds=tuple(speeds))


def errors(bench: Bench) -> Iterator[tuple[str, float]]:
    """Yield a line for each size and file, and by which share the measured rate is above the predicted one."""
    for contender in bench.contenders:
        for point, speed in zip(bench.points, contender.speeds, strict=True):
            if contender.file is None or speed.timing is None or speed.rate is None or not speed.predicted:
                continue
            if bench.axis == "n_cols" and point.size < LEAST_COLUMNS:
                continue
            time_us, share = 1000 * speed.timing.median_ms, speed.rate / speed.predicted - 1
            at_copy = 1e-3 * (speed.ledger_bytes or 0) / (point.copy_gb_per_s or 1)
            moved, dram = ((nbytes or 0) / point.minimum_bytes for nbytes in (speed.ledger_bytes, speed.dram_bytes))
            cells = (
                f"{point.size:,}",
                f"{bench.puzzle} {contender.name}",
                f"{time_us:,.1f}",
                f"{moved:.2f}x",
                f"{at_copy:,.1f}",
                f"{dram:.2f}x",
                f"{time_us * (1 + share):,.1f}",
                f"{100 * share:+.0f} %",
            )
            yield f"| {' | '.join(cells)} |", share


def main() -> int:
    """Write the records, or print how far off their predictions are."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--errors", action="store_true", help="write nothing; print measured beside predicted times")
    only_errors: bool = parser.parse_args().errors
    for path in sorted(RESULTS.glob("*.json")):
        record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        benches = [bench_from_dict(bench) for bench in record["results"]]
        if not all(bench.memory_bound for bench in benches):
            continue
        benches = [predicted(bench) for bench in benches]
        if only_errors:
            report(path, benches)
            continue
        text = json.dumps({**record, "results": [plain(bench) for bench in benches]}, indent=1, allow_nan=False)
        path.write_text(text + "\n", encoding="utf-8")
    return 0


def report(path: Path, benches: list[Bench]) -> None:
    """Print a table, and the mean of the absolute errors."""
    found = sorted((line for bench in benches for line in errors(bench)), key=lambda line: _size(line[0]))
    print(f"{path.stem}\n")
    print("| size | file | measured us | ledger | us at a copy's speed | DRAM | predicted us | rate off by |")
    print("| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for line, _ in found:
        print(line)
    shares = [abs(share) for _, share in found]
    mean, most = 100 * statistics.mean(shares), 100 * max(shares)
    print(f"\n{len(shares)} times, {mean:.1f} % off in the mean, at most {most:.0f} %.\n")


def _size(line: str) -> int:
    return int(line.split("|")[1].replace(",", ""))


if __name__ == "__main__":
    sys.exit(main())
