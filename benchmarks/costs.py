"""Count on a CPU what the kernels of `benchmarks/speeds.py` ask of a GPU: what the model of speed is given.

    python benchmarks/costs.py benchmarks/records/costs_sm_90.json          # half an hour on one core
    python benchmarks/costs.py OUT.json --part 0/2 --only p03               # a part of the files
    python benchmarks/costs.py benchmarks/records/costs_h200.json --gpu H200 --only solutions/

With the Triton that timed them, so that both see the same machine code.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.speeds import HEAD, ROWS, SIZES, files  # noqa: E402

from tritonpuzzles.curriculum.record import Puzzle  # noqa: E402
from tritonpuzzles.curriculum.registry import load_curriculum  # noqa: E402
from tritonpuzzles.hardware.l2 import L2S  # noqa: E402
from tritonpuzzles.judge.environment import one_thread  # noqa: E402
from tritonpuzzles.judge.inputs import draw  # noqa: E402
from tritonpuzzles.judge.predicted.costs import NoCostsError, costs_of, whole_and_few  # noqa: E402
from tritonpuzzles.judge.predicted.speed import few_operations, whole_beside  # noqa: E402
from tritonpuzzles.judge.workers.crew import Crew  # noqa: E402
from tritonpuzzles.judge.workers.trial import Trial  # noqa: E402
from tritonpuzzles.results.inspect import Work  # noqa: E402
from tritonpuzzles.results.submission import Submission  # noqa: E402
from tritonpuzzles.speed.cost import Cost  # noqa: E402

PUZZLES = {puzzle.stem[:3]: puzzle for puzzle in load_curriculum().puzzles}
FEW_ELEMENTS = 1 << 18
MANY = 40  # launches
WORK = {field.name for field in fields(Work)}


def shapes(puzzle: Puzzle, size: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the shape at a size, and one with few rows, or few operations."""
    assert puzzle.benchmark is not None
    if not puzzle.benchmark.memory_bound:
        whole = (size, HEAD) if len(puzzle.dims) == 2 else (size, size, size)
        return whole, few_operations(whole, puzzle.dims, puzzle.benchmark)
    if len(puzzle.dims) == 1:
        return (size,), (min(size, 2 * FEW_ELEMENTS),)
    return (ROWS, size), (max(16, min(64, FEW_ELEMENTS // size)), size)


def counted(puzzle: Puzzle, path: Path, gpu: str) -> dict[str, Any]:
    """Return what a file costs at each size on a GPU of sm_90."""
    assert puzzle.benchmark is not None
    timed = next(case for case in puzzle.cases if case.name == puzzle.benchmark.case)
    asked = [(size, *shapes(puzzle, size)) for size in SIZES[puzzle.stem[:3]]]
    cases = [case for size, whole, few in asked for case in whole_and_few(timed, whole, few, gpu, str(size))]
    task = replace(puzzle, cases=tuple(cases), benchmark=None)
    told: dict[str, Any] = {"file": str(path.relative_to(ROOT)), "sizes": {}}
    with one_thread(), Crew("cpu") as crew:
        drawn = [replace(one, noted=one.phantom) for one in draw(task, 1, "cpu", phantoms=True)]
        trial = Trial(task, Submission.of(path), "cpu", drawn, 300, lambda _: None, targets=("sm_90",), resources=True)
        evidence = trial.gather(crew)
        for index, (size, whole, few) in enumerate(asked):
            try:
                beside = whole_beside(whole, few, puzzle, timed)
                costs = costs_of(trial, crew, evidence, (2 * index, 2 * index + 1), L2S[gpu], beside)
                told["sizes"][str(size)] = written(list(map(alike, costs.launches)))
            except NoCostsError as error:
                print(f"{path.name}, {size}: {error}", file=sys.stderr)
    return told


def alike(configurations: Sequence[Cost]) -> dict[str, Any]:
    """Return a launch; one with several configurations holds a list of them."""
    found = [asdict(cost) for cost in configurations]
    return found[0] if len(found) == 1 else {"configurations": found}


def written(launches: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return launches without their zeros; of many alike the first, and how many more there are."""
    if len(launches) > MANY and all(one == launches[0] for one in launches):
        return [*written(launches[:1]), {"again": len(launches) - 1}]
    return [_short(one) for one in launches]


def _short(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _short(item) for key, item in value.items() if item or key not in WORK}
    if isinstance(value, (list, tuple)):
        return [_short(item) for item in value]
    return round(value, 3) if isinstance(value, float) else value


def main() -> None:
    """Count, and write the record after every file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--part", default="0/1", metavar="I/N")
    parser.add_argument("--only", nargs="*", default=[""], metavar="TEXT", help="files whose paths hold one of these")
    parser.add_argument("--gpu", default="H100", choices=[name for name, l2 in L2S.items() if l2.target == "sm_90"])
    options = parser.parse_args()
    part, parts = map(int, options.part.split("/"))
    told: list[dict[str, Any]] = []
    for puzzle, path in files()[part::parts]:
        if not any(text in str(path) for text in options.only):
            continue
        told.append(counted(PUZZLES[puzzle], path, options.gpu))
        options.out.write_text(json.dumps(told, separators=(",", ":")) + "\n", encoding="utf-8")
        print(path.relative_to(ROOT), *told[-1]["sizes"], flush=True)


if __name__ == "__main__":
    main()
