"""Record what the solutions reach on this machine's GPU, beside PyTorch and a copy: `benchmarks/results/*.json`.

    PYTHONPATH=grader python benchmarks/record.py addition softmax persistent attention matmul autograd

Needs an NVIDIA GPU and a few minutes. Every timed result is checked; a wrong one ends the script with exit code 1.
`python benchmarks/page.py` makes the page from the records.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front.bench.contest import entrants
from tritonpuzzles.front.grading import Source
from tritonpuzzles.judge.bench import BenchOptions
from tritonpuzzles.judge.bench.bencher import Bencher
from tritonpuzzles.judge.environment import NoDeviceError, choose_devices
from tritonpuzzles.results.bench import Bench
from tritonpuzzles.results.check import plain

VERSION = 1
ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
SLUGS = {
    "addition": ("vector_add",),
    "softmax": ("softmax", "blocked_softmax", "online_softmax", "tiled_softmax"),
    "persistent": ("persistent_softmax",),  # with Triton 3.8 or newer, which has clusters
    "attention": ("flash_attention",),
    "matmul": ("matmul",),
    "autograd": ("matmul_autograd",),
}


def record(kind: str, seed: int) -> list[Bench]:
    """Bench the solution and the tuned solution of every puzzle of a kind."""
    bencher = Bencher(BenchOptions(seed=seed), say)
    solution = Source(solution=True)
    return [bencher.bench(puzzle, entrants(puzzle, solution, Path())) for puzzle in puzzles(kind)]


def puzzles(kind: str) -> list[Puzzle]:
    """Return the puzzles of a kind."""
    return [puzzle for puzzle in load_curriculum().puzzles if puzzle.slug in SLUGS[kind]]


def say(sentence: str) -> None:
    """Tell of progress."""
    print(sentence, file=sys.stderr, flush=True)


def recorded(benches: Sequence[Bench], command: str) -> dict[str, Any]:
    """Return the record of some benches."""
    made = datetime.now(timezone.utc).isoformat(timespec="seconds")
    return {"version": VERSION, "command": command, "recorded": made, "results": [plain(bench) for bench in benches]}


def file_name(kind: str, gpu: str) -> str:
    """Return `nvidia_h200_softmax.json`."""
    return f"{'_'.join(gpu.lower().replace('-', ' ').split())}_{kind}.json"


def write(data: dict[str, Any], path: Path) -> None:
    """Write a record; paths in it are relative to the repository."""
    text = json.dumps(data, indent=1, allow_nan=False).replace(f"{ROOT}/", "")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n", encoding="utf-8")


def main() -> int:
    """Record; exit 1 if a result was wrong, 3 without a GPU."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("kinds", nargs="+", choices=tuple(SLUGS), help="what to record")
    parser.add_argument("--seed", type=int, default=1, help="of all numbers (default 1)")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder to write to (default benchmarks/results)")
    arguments = parser.parse_args()
    try:
        choose_devices("cuda")
    except NoDeviceError as error:
        print(f"record.py: {error}", file=sys.stderr)
        return 3
    right = True
    for kind in arguments.kinds:
        benches = record(kind, arguments.seed)
        command = shlex.join(["python", "benchmarks/record.py", kind, "--seed", str(arguments.seed)])
        write(recorded(benches, command), arguments.out / file_name(kind, str(benches[0].environment["gpu"])))
        wrong = [(c.name, s.slug) for s in benches for c in s.contenders if c.file is not None and not c.right]
        for name, slug in wrong:
            say(f"{name} of {slug} is not right at every size")
        right = right and not wrong
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
