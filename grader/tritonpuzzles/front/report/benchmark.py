"""Speed on a GPU: a bar per contender, and the rate as shares of what can be reached."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from tritonpuzzles.front.report.style import Lines, View, heading, indented
from tritonpuzzles.front.text import dimensions, one_line, percent, significant
from tritonpuzzles.results.check import Benchmark, PuzzleResult

MIN_BAR_WIDTH = 60  # of the terminal: below, numbers only
LABELS = {
    "launch-bound": "launch-bound: below 20 microseconds the launch counts more than the kernel.",
    "suspicious": "suspicious: faster than this GPU can do the puzzle's work, so it does not count.",
}


def benchmark_lines(result: PuzzleResult, view: View) -> Lines:
    """Return the section on speed; nothing where none was measured."""
    found = result.benchmark
    if found is None:
        return []
    lines = [*heading(*titled(found)), indented(_bars(found, view)), indented(Text(sentence(found)))]
    lines += [indented(Text(LABELS.get(label, one_line(label)), style="yellow")) for label in found.labels]
    if view.verbose:
        lines.append(indented(Text(_spread(found), style="dim")))
    return lines


def titled(found: Benchmark) -> tuple[str, str]:
    """Return what was measured, and on what: `Bandwidth`, `NVIDIA H200, 1024 x 65536 float32, 0.203 ms`."""
    title = "Bandwidth" if found.unit == "GB/s" else "Speed"
    shape = f"{dimensions(found.shape)} {one_line(found.dtype)}"
    return title, f"{one_line(found.device)}, {shape}, {significant(found.kernel.median_ms)} ms"


def contenders(found: Benchmark) -> dict[str, float]:
    """Return the rates to compare, the learner's first."""
    copy = {"copy": found.copy_gb_per_s} if found.unit == "GB/s" else {}
    return {"yours": found.rate, **copy, **found.baselines}


def sentence(found: Benchmark) -> str:
    """Return the rate as shares: `66 % of a copy, 98 % of what this puzzle's traffic allows, 1.03x torch.softmax.`"""
    parts = []
    if found.share_of_copy is not None:
        parts.append(f"{percent(found.share_of_copy)} of a copy")
    if found.share_of_limit is not None:
        parts.append(f"{percent(found.share_of_limit)} of what this puzzle's traffic allows")
    parts += [f"{significant(found.rate / rate)}x {one_line(name)}" for name, rate in found.baselines.items() if rate]
    return ", ".join(parts) + "." if parts else ""


def _bars(found: Benchmark, view: View) -> Table:
    rates = contenders(found)
    grid = Table.grid(padding=(0, 2))
    grid.add_column(overflow="fold")
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column(no_wrap=True)
    room = view.width - 18 - max(len(name) for name in rates) if view.width >= MIN_BAR_WIDTH else 0
    for name, rate in rates.items():
        style = "bold green" if name == "yours" else ""
        bar = "█" * round(min(room, 40) * rate / (max(rates.values()) or 1))
        value = f"{significant(rate)} {found.unit}"
        grid.add_row(Text(one_line(name), style), Text(value, style), Text(bar, style or "dim"))
    return grid


def _spread(found: Benchmark) -> str:
    low, high, best = (significant(ms) for ms in (found.kernel.low_ms, found.kernel.high_ms, found.kernel.best_ms))
    return f"{found.kernel.samples} samples: quartiles {low} to {high} ms, best {best} ms."
