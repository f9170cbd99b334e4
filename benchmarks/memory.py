"""Measure what `tritonpuzzles check` takes of memory on the CPU, all of its processes together.

    python benchmarks/memory.py                   # a table: puzzle 3 and all, solutions, stubs, wrong kernels
    python benchmarks/memory.py --json            # one object
    python benchmarks/memory.py --processes 3     # one check's processes at the moment when they took most

PSS: what several processes share counts once, split between them. It is read twenty times a second, as the kernel tells
it in `/proc`; a process that lives for less than that may be missed. Who else runs PyTorch from the same files shares
their pages, and makes the figures smaller: run it alone.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WRONG = "tests/mutants"
WANTED = {"3": 500, "all": 768}  # MB
SECONDS = 0.05
FIELD = re.compile(r"^(Pss|Pss_Anon): +(\d+) kB", re.MULTILINE)


@dataclass(frozen=True)
class Process:
    """One process at one moment; all in MB of 2^20 bytes.

    Attributes:
        anonymous: what no file holds.
    """

    name: str
    pss: float
    anonymous: float


@dataclass(frozen=True)
class Row:
    """The largest sum over a check's processes."""

    puzzles: str
    kind: str
    pss: float
    anonymous: float
    processes: tuple[Process, ...]

    @property
    def verdict(self) -> str:
        """Whether it is as little as wanted, in a word."""
        wanted = WANTED.get(self.puzzles)
        return "" if wanted is None else "ok" if self.pss <= wanted else "much"


def family(pid: int) -> dict[int, int]:
    """Return a process and all that descend from it, each with its distance."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parent = int(entry.read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(entry.parent.name))
    found, waiting = {pid: 0}, [pid]
    while waiting:
        above = waiting.pop()
        for child in children.get(above, []):
            found[child] = found[above] + 1
            waiting.append(child)
    return found


def process(pid: int, depth: int) -> Process | None:
    """Return what a process takes now; nothing where it has ended."""
    try:
        told = dict(FIELD.findall(Path(f"/proc/{pid}/smaps_rollup").read_text()))
        words = Path(f"/proc/{pid}/cmdline").read_text(errors="replace").split("\0")
    except OSError:
        return None
    if not told:
        return None
    ours = "-m" in words
    name = ("command line", "judge", "fork server", "worker")[min(depth, 3)] if ours else Path(words[0]).name
    return Process(name, *(int(told[key]) / 1024 for key in ("Pss", "Pss_Anon")))


def measure(puzzles: str, kind: str, words: list[str], folder: Path) -> Row:
    """Run a check and return its peak.

    Raises:
        SystemExit: if the check itself does not work.
    """
    command = [sys.executable, "-m", "tritonpuzzles", "check", puzzles, *words, "--device", "cpu", "--seed", "1"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "grader")}
    most = Row(puzzles, kind, 0.0, 0.0, ())
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL) as check:
        while check.poll() is None:
            seen = tuple(p for p in (process(pid, depth) for pid, depth in family(check.pid).items()) if p is not None)
            if (pss := sum(one.pss for one in seen)) > most.pss:
                most = Row(puzzles, kind, pss, sum(one.anonymous for one in seen), seen)
            time.sleep(SECONDS)
    if check.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)} ends with {check.returncode}")
    return most


def workspace(folder: Path) -> None:
    """Make a workspace, and beside it the first wrong kernel of each puzzle."""
    shutil.copytree(ROOT / "puzzles", folder / "puzzles")
    (folder / "wrong").mkdir()
    for corpus in (ROOT / WRONG).glob("p[0-9]*"):
        shutil.copy(min((corpus / "wrong").glob("*.py")), folder / "wrong" / f"{corpus.name}.py")


def measured(asked: list[str], kinds: list[str]) -> list[Row]:
    """Measure each kind of file for each choice of puzzles."""
    with tempfile.TemporaryDirectory(prefix="memory-") as name:
        folder = Path(name)
        workspace(folder)
        words = {"solution": ["--solution"], "stub": [], "wrong": ["--solutions", "wrong"]}
        return [measure(puzzles, kind, words[kind], folder) for puzzles in asked for kind in kinds]


def report(rows: list[Row], *, processes: bool) -> None:
    """Print the results."""
    print(f"{'peak of a check, MB':30} {'PSS':>7} {'anonymous':>10} {'wanted':>7}")
    for row in rows:
        wanted = f"{WANTED[row.puzzles]:7}  {row.verdict}" if row.puzzles in WANTED else ""
        print(f"{f'check {row.puzzles}, {row.kind}':30} {row.pss:7.0f} {row.anonymous:10.0f} {wanted}".rstrip())
        for one in row.processes if processes else ():
            print(f"{'  ' + one.name:30} {one.pss:7.0f} {one.anonymous:10.0f}")


def main() -> int:
    """Run the benchmark; exit 1 if a check takes more than wanted."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("puzzles", nargs="*", help="of each check (default: 3, and all)")
    parser.add_argument("--kind", choices=("solution", "stub", "wrong"), help="of the files (default: each)")
    parser.add_argument("--processes", action="store_true", help="print what each process took at the peak")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    kinds = [arguments.kind] if arguments.kind else ["solution", "stub", "wrong"]
    rows = measured(arguments.puzzles or list(WANTED), kinds)
    if arguments.json:
        print(json.dumps({"version": 1, "wanted": WANTED, "rows": [{**asdict(r), "verdict": r.verdict} for r in rows]}))
    else:
        report(rows, processes=arguments.processes)
    return int(any(row.verdict == "much" for row in rows))


if __name__ == "__main__":
    sys.exit(main())
