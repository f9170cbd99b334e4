"""Speed as it was measured on a GPU, and how far the programs fill the GPU."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from rich.text import Text

from tritonpuzzles.front.page.model import Bar, Block, Blocks, Brief, Cell, Column, Heading, Paragraph, Table, View
from tritonpuzzles.front.text import dimensions, one_line, percent, significant
from tritonpuzzles.results.check import PuzzleResult
from tritonpuzzles.results.speed import Benchmark, GridOccupancy, limited_by, product

ALLOWED = "what this puzzle's traffic allows"
MIN_BAR_WIDTH = 60  # of the terminal: below, numbers only
COLUMNS = (Column(), Column(right=True, whole=True), Column(whole=True))
LABELS = {
    "launch-bound": "launch-bound: below 20 microseconds the launch counts more than the kernel.",
    "suspicious": "suspicious: faster than this GPU can do the puzzle's work, so it does not count.",
}


OF_PROGRAMS = frozenset({"more-programs-than-fit", "idle-multiprocessors", "occupancy-unknown"})


def benchmark_blocks(result: PuzzleResult, view: View) -> Blocks:
    """Return the section on speed: a bar for each contender; nothing where none was measured."""
    found = result.benchmark
    if found is None:
        return []
    shape = f"{dimensions(found.shape)} {one_line(found.dtype)}"
    rest = f"{one_line(found.device)}, {shape}, {significant(found.kernel.median_ms)} ms"
    shown = bars(contenders(found), found.unit, "bold green", view)
    labels = (Paragraph(LABELS.get(label, one_line(label)), "yellow") for label in found.labels)
    blocks: list[Block] = [Heading(title_of(found.unit), rest), shown, Paragraph(sentence(found)), *labels]
    if view.verbose:
        timing = found.kernel
        low, high, best = (significant(ms) for ms in (timing.low_ms, timing.high_ms, timing.best_ms))
        spread = f"{timing.samples} samples: quartiles {low} to {high} ms, best {best} ms."
        blocks.append(Paragraph(spread, "dim"))
    return blocks


def title_of(unit: str) -> str:
    """Return what a rate in this unit is called."""
    return "Bandwidth" if unit == "GB/s" else "Speed"


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
        parts.append(f"{percent(found.share_of_limit)} of {ALLOWED}")
    parts += [f"{significant(found.rate / rate)}x {one_line(name)}" for name, rate in found.baselines.items() if rate]
    return ", ".join(parts) + "." if parts else ""


def bars(
    rates: Mapping[str, float],
    unit: str,
    style: str,
    view: View,
    shown: Callable[[float], str] = significant,
    hatched: bool = False,
) -> Table:
    """Return a bar for each rate by its name; the learner's has a style."""
    room = min(view.width - 18 - max(map(len, rates)), 40) if view.width >= MIN_BAR_WIDTH else 0
    rows: list[list[Cell]] = []
    for name, rate in rates.items():
        own = style if name == "yours" else ""
        bar = Bar(rate, max(rates.values()) or 1, own, room, hatched)
        rows.append([Text(one_line(name), own), Text(f"{shown(rate)} {one_line(unit)}", own), bar])
    return Table(COLUMNS, rows, "numbers")


def share_percent(share: float, stars_at: Sequence[float]) -> str:
    """Return a share; where rounding would lift it to a star that it misses, cut after one more digit."""
    lifted = any(share < at <= round(share, 2) for at in stars_at)
    return f"{math.floor(1000 * share) / 10} %" if lifted else percent(share)


def occupancy_blocks(result: PuzzleResult) -> Blocks:
    """Return the section on programs; none if the puzzle has no requirement on how many a GPU holds.

    For a file that fails for another reason it is one line, as its traffic is.
    """
    found = result.occupancy
    if found is None:
        return []
    fit = f"{product(found.multiprocessors, found.fit)} = {found.at_once:,} fit at once; {limited_by(found.fit)}"
    told = Paragraph(f"{one_line(found.gpu)}: {fit}. Occupancy {percent(found.occupancy)} of its warps.")
    is_asked = result.passed or any(finding.code in OF_PROGRAMS for finding in result.findings)
    short = Brief([told] if is_asked else [], [told, Bar(found.occupancy, 1)])
    return [Heading("Programs", shared_out(found, result.passed)), short]


def shared_out(found: GridOccupancy, evenly: bool) -> str:
    """Return `432 for 1,823 rows, 4.2 each on average`; how many each only where all have some."""
    shared = f"{found.programs:,} for {found.work:,} {one_line(found.work_word)}"
    each = f"{found.work / max(1, found.programs):,.1f}".removesuffix(".0")
    return f"{shared}, {each} each{'' if each.isdecimal() else ' on average'}" if evenly else shared
