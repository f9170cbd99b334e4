"""Time a cold `tritonpuzzles check 3` on the CPU against importing PyTorch and Triton, and `watch` from a save on.

    python benchmarks/latency.py            # a table
    python benchmarks/latency.py --json     # one object
    python benchmarks/latency.py --watch    # of `watch` in place of `check`; --device auto with the GPU, too

Every run is a new process. Runs alternate, so that a machine whose speed drifts slows all of them alike; a ratio is
the median over rounds of the ratio within a round. User seconds count all processes of a run. Byte code is written, as
pip does when it installs: without it, importing PyTorch takes twice as long.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path

from tritonpuzzles.sandbox.supervisor import adopt_orphans

WANTED = 2.2  # times the imports
ROOT = Path(__file__).resolve().parents[1]
IMPORTS = [sys.executable, "-c", "import torch, triton"]
CHECK = [sys.executable, "-m", "tritonpuzzles", "check", "3", "--solution", "--device", "cpu", "--seed", "1"]


@dataclass(frozen=True)
class Run:
    """One process, with all that it starts."""

    wall_seconds: float
    user_seconds: float


@dataclass(frozen=True)
class Row:
    """One line of the table; the imports themselves have no ratio."""

    name: str
    wall_seconds: float
    user_seconds: float
    ratio: float | None = None

    @property
    def verdict(self) -> str:
        """Whether it is as fast as wanted, in a word."""
        return "" if self.ratio is None else "ok" if self.ratio <= WANTED else "slow"


def run(command: list[str], folder: Path) -> Run:
    """Run a command in a folder and wait for it.

    Raises:
        SystemExit: if it fails.
    """
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "grader")}
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    wall = time.perf_counter() - start
    with contextlib.suppress(ChildProcessError):  # those that ended behind it count as well
        while True:
            os.wait()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} ends with {done.returncode}:\n{done.stdout}{done.stderr}")
    return Run(wall, after.ru_utime - before.ru_utime)


def measure(rounds: int) -> list[Row]:
    """Run everything `rounds` times, in a workspace of its own, after one round that is not counted."""
    with tempfile.TemporaryDirectory(prefix="latency-") as name:
        workspace = Path(name)
        shutil.copytree(ROOT / "puzzles", workspace / "puzzles")
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

        def cold() -> Run:
            shutil.rmtree(workspace / ".tritonpuzzles" / "cache", ignore_errors=True)
            return run(CHECK, workspace)

        runs: dict[str, Callable[[], Run]] = {
            "import torch, triton": lambda: run(IMPORTS, workspace),
            "check 3, compile cache cold": cold,
            "check 3, compile cache warm": lambda: run(CHECK, workspace),
        }
        for once in runs.values():
            once()
        seen: dict[str, list[Run]] = {label: [] for label in runs}
        for _ in range(rounds):
            for label, once in runs.items():
                seen[label].append(once())
    return rows(seen)


def rows(seen: dict[str, list[Run]]) -> list[Row]:
    """Return the medians of each kind of run; the first kind is what the others are compared with."""
    baseline, *others = seen
    made = [_row(baseline, seen[baseline], None)]
    for label in others:
        ratios = [a.wall_seconds / b.wall_seconds for a, b in zip(seen[label], seen[baseline], strict=True)]
        made.append(_row(label, seen[label], statistics.median(ratios)))
    return made


def _row(label: str, runs: list[Run], ratio: float | None) -> Row:
    wall = statistics.median(run.wall_seconds for run in runs)
    user = statistics.median(run.user_seconds for run in runs)
    return Row(label, wall, user, ratio)


def report(rows: list[Row], rounds: int, peak_mb: float, *, as_json: bool) -> None:
    """Print the results."""
    versions = {"python": platform.python_version(), **{name: metadata.version(name) for name in ("torch", "triton")}}
    if as_json:
        made = [{**asdict(row), "verdict": row.verdict or None} for row in rows]
        found = {"version": 1, "environment": versions, "rounds": rounds, "wanted": WANTED, "rows": made}
        print(json.dumps({**found, "peak_mb": peak_mb}))
        return
    print(f"{'median of ' + str(rounds) + ' rounds':30} {'wall s':>7} {'user s':>7} {'ratio':>7} {'wanted':>7}")
    for row in rows:
        ratio = "" if row.ratio is None else f"{row.ratio:6.2f}x {WANTED:6.1f}x  {row.verdict}"
        print(f"{row.name:30} {row.wall_seconds:7.2f} {row.user_seconds:7.2f} {ratio}".rstrip())
    print(f"peak memory {peak_mb:.0f} MB (largest process); " + ", ".join(f"{n} {v}" for n, v in versions.items()))


def measure_watch(rounds: int, device: str, *, as_json: bool) -> int:
    """Time `watch`, print what it took, and return 1 if a first answer comes later than wanted."""
    from watching import WANTED_MEDIAN, WANTED_P95, make_workspace, watch_rows

    with tempfile.TemporaryDirectory(prefix="latency-") as name:
        make_workspace(Path(name))
        found = watch_rows(Path(name), rounds, device)
    load = os.getloadavg()[0]
    if as_json:
        rows = [{**asdict(row), "verdict": row.verdict} for row in found]
        print(json.dumps({"version": 1, "wanted": [WANTED_MEDIAN, WANTED_P95], "load": load, "rows": rows}))
    else:
        print(f"{'save to answer, ' + str(rounds) + ' rounds':30} {'median s':>9} {'p95 s':>7} {'verdict s':>10}")
        for row in found:
            label = f"puzzle {row.puzzle}, {row.kind} kernel"
            print(f"{label:30} {row.median:9.2f} {row.p95:7.2f} {row.last_median:10.2f}  {row.verdict}")
        print(f"load {load:.1f} on {os.cpu_count()} cores; wanted {WANTED_MEDIAN} s and {WANTED_P95} s")
    return int(any(row.verdict == "slow" for row in found))


def main() -> int:
    """Run the benchmark; exit 1 if something is slower than wanted or a process takes more than 1 GB."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--rounds", type=int, default=5, help="timed runs of each kind (default 5)")
    parser.add_argument("--watch", action="store_true", help="time `watch` from a save to its answers")
    parser.add_argument("--device", choices=("auto", "cpu"), default="cpu", help="of --watch (default cpu)")
    arguments = parser.parse_args()
    adopt_orphans()
    if arguments.watch:
        return measure_watch(max(1, arguments.rounds), arguments.device, as_json=arguments.json)
    found = measure(max(1, arguments.rounds))
    peak_mb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e6  # Linux counts in KiB
    report(found, arguments.rounds, peak_mb, as_json=arguments.json)
    return int(any(row.verdict == "slow" for row in found) or peak_mb > 1000)


if __name__ == "__main__":
    sys.exit(main())
