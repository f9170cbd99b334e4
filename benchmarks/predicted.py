"""Hold the model of speed to the clock: `benchmarks/PREDICTED.md` and its picture, from the records.

    python benchmarks/predicted.py             # write the page and the picture
    python benchmarks/predicted.py --fit       # print the constants that fit one half of the kernels best

Needs no GPU: times come from `benchmarks/speeds.py`, what the kernels cost from `benchmarks/costs.py`. The kernels are
in two halves, by a number drawn once: the model's constants were fitted on one, and tried on the other.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import statistics
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "grader"))

from tritonpuzzles.curriculum.expressions import evaluate  # noqa: E402
from tritonpuzzles.curriculum.registry import load_curriculum  # noqa: E402
from tritonpuzzles.results.inspect import Code, Work  # noqa: E402
from tritonpuzzles.speed.cost import Cost  # noqa: E402
from tritonpuzzles.speed.machine import Machine, machine_named  # noqa: E402
from tritonpuzzles.speed.model import FITTED, Constants, call_us, fastest  # noqa: E402
from tritonpuzzles.speed.reasons import reason  # noqa: E402

RECORDS, RESULTS = ROOT / "benchmarks" / "records", ROOT / "benchmarks" / "results"
PAGE, PICTURE = ROOT / "benchmarks" / "PREDICTED.md", ROOT / "benchmarks" / "predicted.svg"
LEAST_US = 20.0  # below, nothing is predicted
SEED = 1
HEAD = 128  # of attention
OF_PRODUCTS = ("stall_us", "product_us", "narrow_cycles", "products_blend")
BOUNDS = {
    "load_us": (0.3, 1.2),
    "barrier_us": (0.005, 0.06),
    "shuffle_us": (0.004, 0.025),
    "cycles": (1, 6),
    "line_cycles": (2, 3),
    "start_us": (0.3, 1.5),
    "blend": (2, 8),
    "stall_us": (0.3, 3),
    "product_us": (0.01, 0.4),
    "narrow_cycles": (4, 40),
    "products_blend": (3, 10),
}
STEPS = (0.5, 0.7, 0.85, 0.93, 1.07, 1.2, 1.4, 2)
CAPPED = 0.6  # of an error's logarithm: one kernel that the model cannot have right does not turn the fit


@dataclass(frozen=True)
class Point:
    """One kernel at one size."""

    file: str
    puzzle: str
    size: int
    measured_us: float
    launches: tuple[tuple[Cost, ...], ...]
    moved: int

    @property
    def is_product(self) -> bool:
        """Whether arithmetic decides."""
        return any(cost.operations for alike in self.launches for cost in alike)

    def predicted_us(self, machine: Machine, constants: Constants = FITTED) -> float:
        return call_us(fastest(self.launches, machine, constants), machine, constants)[0]

    def error(self, machine: Machine, constants: Constants = FITTED) -> float:
        """Return by which share the larger of the two times is above the other."""
        off = math.log(self.predicted_us(machine, constants) / self.measured_us)
        return math.expm1(abs(off))


def read_costs(path: Path) -> dict[tuple[str, int], tuple[tuple[Cost, ...], ...]]:
    """Return what is on record, by file and size: of each launch all configurations."""
    found: dict[tuple[str, int], tuple[tuple[Cost, ...], ...]] = {}
    for entry in json.loads(path.read_text(encoding="utf-8")):
        for size, launches in entry["sizes"].items():
            found[entry["file"], int(size)] = tuple(_costs(launches))
    return found


def _costs(launches: Sequence[dict[str, Any]]) -> list[tuple[Cost, ...]]:
    costs: list[tuple[Cost, ...]] = []
    for told in launches:
        if "again" in told:
            costs += [costs[-1]] * told["again"]
        else:
            costs.append(tuple(map(_cost, told.get("configurations", [told]))))
    return costs


def _cost(told: dict[str, Any]) -> Cost:
    code = told["code"]
    return Cost(**{**told, "code": Code(Work(**code["once"]), tuple(Work(**loop) for loop in code["loops"]))})


def read_points() -> tuple[list[Point], dict[str, Any]]:
    """Return every time on record that has its costs, and the record of times."""
    record: dict[str, Any] = json.loads((RECORDS / "speeds_h100.json").read_text(encoding="utf-8"))
    costs = read_costs(RECORDS / "costs_sm_90.json")
    points = []
    for told in record["files"]:
        for size, milliseconds in told["ms"].items():
            found = costs.get((told["file"], int(size)))
            if found and milliseconds and 1000 * milliseconds >= LEAST_US:
                moved = moved_bytes(told["puzzle"], int(size), record["rows"])
                points.append(Point(told["file"], told["puzzle"], int(size), 1000 * milliseconds, found, moved))
    return points, record


def moved_bytes(name: str, size: int, rows: int) -> int:
    """Return the bytes of a puzzle's own traffic."""
    puzzle = next(puzzle for puzzle in load_curriculum().puzzles if puzzle.stem.startswith(name))
    assert puzzle.benchmark is not None
    shape: tuple[int, ...] = (size,) if len(puzzle.dims) == 1 else (rows, size)
    if not puzzle.benchmark.memory_bound:
        shape = (size, HEAD) if len(puzzle.dims) == 2 else (size, size, size)
    itemsize = 4 if puzzle.benchmark.memory_bound else 2
    return evaluate(puzzle.benchmark.moved, {**dict(zip(puzzle.dims, shape, strict=True)), "itemsize": itemsize})


def on_h200() -> list[Point]:
    """Return the solutions' times on the H200's records, which nothing of the model was fitted on."""
    costs = read_costs(RECORDS / "costs_h200.json")
    points = []
    for kind in ("addition", "softmax"):
        record = json.loads((RESULTS / f"nvidia_h200_{kind}.json").read_text(encoding="utf-8"))
        for bench in record["results"]:
            for contender in bench["contenders"]:
                for point, speed in zip(bench["points"], contender["speeds"], strict=True):
                    found = costs.get((contender["file"] or "", point["size"]))
                    microseconds = 1000 * speed["timing"]["median_ms"] if speed["timing"] else 0.0
                    if found and microseconds >= LEAST_US:
                        name = f"p{bench['puzzle']:02d}"
                        moved = point["allowed_bytes"]
                        points.append(Point(contender["file"], name, point["size"], microseconds, found, moved))
    return points


def halves(points: Sequence[Point]) -> tuple[set[str], set[str]]:
    """Return the kernels that the constants are fitted on, and those that they are tried on; products by themselves."""
    fitted, tried = set[str](), set[str]()
    for kind in (False, True):
        files = sorted({point.file for point in points if point.is_product is kind})
        random.Random(SEED).shuffle(files)
        fitted |= set(files[::2])
        tried |= set(files[1::2])
    return fitted, tried


def quantiles(errors: Sequence[float]) -> tuple[float, float]:
    """Return the median, and what nine of ten stay below."""
    ordered = sorted(errors)
    return ordered[len(ordered) // 2], ordered[int(0.9 * len(ordered))]


def fit(points: Sequence[Point], machine: Machine) -> Constants:
    """Return the constants with the least mean error, one after the other, five times; first those of all kernels."""
    memory, products = ([point for point in points if point.is_product is kind] for kind in (False, True))
    usual = _fit(memory, machine, FITTED, [name for name in BOUNDS if name not in OF_PRODUCTS])
    return _fit(products, machine, usual, OF_PRODUCTS)


def _fit(points: Sequence[Point], machine: Machine, best: Constants, names: Sequence[str]) -> Constants:

    def score(constants: Constants) -> float:
        return statistics.mean(min(CAPPED, math.log1p(point.error(machine, constants))) for point in points)

    least = score(best)
    for _ in range(5):
        for name in names:
            low, high = BOUNDS[name]
            for step in STEPS:
                tried = replace(best, **{name: min(high, max(low, getattr(best, name) * step))})
                if (now := score(tried)) < least:
                    best, least = tried, now
    return best


def page(points: Sequence[Point], record: dict[str, Any], machine: Machine) -> str:
    """Return the page."""
    fitted, tried = halves(points)
    groups = {
        "fitted on": [point for point in points if point.file in fitted],
        "tried on": [point for point in points if point.file in tried],
    }
    held = {id(point): reason(point.launches, machine, point.moved) for point in points}
    groups = {
        f"{kind}, {name}": [point for point in group if point.is_product is products]
        for kind, products in (("memory decides", False), ("products decide", True))
        for name, group in groups.items()
    }
    memory = "memory decides, tried on"
    groups[f"{memory}, nothing holds them back"] = [p for p in groups[memory] if held[id(p)] is None]
    groups[f"{memory}, something does"] = [p for p in groups[memory] if held[id(p)] is not None]
    lines = [
        "<!-- Made by `python benchmarks/predicted.py` from benchmarks/records: do not edit. -->",
        "",
        "# Predicted and measured",
        "",
        f"{len({point.file for point in points})} right kernels of puzzles 0 to 7 at up to six sizes, "
        f"{len(points)} times of 20 microseconds or more, on one {record['gpu']} (torch {record['torch']}, Triton "
        f"{record['triton']}; `python benchmarks/speeds.py`), against what the model of docs/speed.md says of them.",
        "",
        "![predicted over measured microseconds](predicted.svg)",
        "",
        "An error is the share by which the larger of the two times is above the other.",
        "",
        "| kernels | times | median error | nine of ten below |",
        "|---|---:|---:|---:|",
    ]
    for name, group in groups.items():
        median, most = quantiles([point.error(machine) for point in group])
        lines.append(f"| {name} | {len(group)} | {100 * median:.1f} % | {100 * most:.0f} % |")
    others, h200 = on_h200(), machine_named("H200")
    median, most = quantiles([point.error(h200) for point in others])
    text = "solutions on an H200, nothing changed but its data sheet"
    lines.append(f"| {text} | {len(others)} | {100 * median:.1f} % | {100 * most:.0f} % |")
    lines += ["", *_choices(points, machine), "", *_worst(points, machine)]
    return "\n".join(lines) + "\n"


def _choices(points: Sequence[Point], machine: Machine) -> list[str]:
    """Return what one loses who takes the kernel that is predicted to be the fastest."""
    groups: dict[tuple[str, int], list[Point]] = defaultdict(list)
    for point in points:
        groups[point.puzzle, point.size].append(point)
    lost = []
    for group in groups.values():
        if len(group) >= 10:
            chosen = min(group, key=lambda point: point.predicted_us(machine))
            lost.append(chosen.measured_us / min(point.measured_us for point in group) - 1)
    return [
        f"Whoever takes, of all kernels of a puzzle at one size, the one that is predicted to be the fastest, loses "
        f"{100 * statistics.median(lost):.1f} % in the median of {len(lost)} such choices, "
        f"{100 * statistics.mean(lost):.1f} % in the mean, {100 * max(lost):.0f} % at most."
    ]


def _worst(points: Sequence[Point], machine: Machine) -> list[str]:
    """Return the ten kernels that are farthest off, each at its worst size."""
    worst: dict[str, Point] = {}
    for point in points:
        known = worst.setdefault(point.file, point)
        worst[point.file] = max(known, point, key=lambda one: one.error(machine))
    rows = ["| the ten worst | size | measured, us | predicted, us | limit |", "|---|---:|---:|---:|---|"]
    for point in sorted(worst.values(), key=lambda one: -one.error(machine))[:10]:
        predicted, times = call_us(fastest(point.launches, machine), machine)
        limit = max(times, key=lambda one: one.all).limit
        rows.append(f"| `{point.file}` | {point.size:,} | {point.measured_us:,.0f} | {predicted:,.0f} | {limit} |")
    return rows


def draw(points: Sequence[Point], machine: Machine, path: Path) -> None:
    """Draw predicted over measured times, the two halves apart."""
    from matplotlib import rcParams
    from matplotlib.figure import Figure

    rcParams["svg.hashsalt"] = "predicted"  # the same picture, the same bytes

    fitted, _ = halves(points)
    figure = Figure(figsize=(6.4, 5.2), layout="constrained")
    axes = figure.subplots()
    for name, color, marker, chosen in (
        ("fitted on", "#9aa5b1", "o", True),
        ("tried on", "#c2410c", "x", False),
    ):
        group = [point for point in points if (point.file in fitted) is chosen]
        axes.scatter(
            [point.measured_us for point in group],
            [point.predicted_us(machine) for point in group],
            s=14, c=color, marker=marker, linewidths=0.9, label=f"kernels that it was {name}",
        )  # fmt: skip
    ends = [LEAST_US * 0.7, 1.3 * max(point.measured_us for point in points)]
    axes.plot(ends, ends, color="#1f2933", linewidth=0.8)
    axes.set(xscale="log", yscale="log", xlabel="measured, microseconds", ylabel="predicted, microseconds")
    axes.set_title("H100, cold L2 cache", fontsize=10)
    axes.legend(frameon=False, fontsize=9)
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """Write the page and its picture, or print fitted constants."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fit", action="store_true")
    options = parser.parse_args()
    points, record = read_points()
    machine = machine_named("H100")
    if options.fit:
        fitted, _ = halves(points)
        print(fit([point for point in points if point.file in fitted], machine))
        return
    PAGE.write_text(page(points, record, machine), encoding="utf-8")
    draw(points, machine, PICTURE)


if __name__ == "__main__":
    main()
