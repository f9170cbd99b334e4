"""Plots of benches, as the classic Triton tutorials draw them. Imports matplotlib: import it when one is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure

from tritonpuzzles.front.bench.ladder import Rung, names_of, rungs_of
from tritonpuzzles.front.bench.table import machine, shape_words
from tritonpuzzles.front.pictures import style
from tritonpuzzles.results.bench import Bench, BenchPoint, Contender, Speed

HEIGHT = 5.6
RUNG_HEIGHT = 0.62
PUZZLES = (style.SKY, style.BLUE, style.GREEN, style.ORANGE)  # one colour per puzzle where several are drawn together


@dataclass(frozen=True)
class Look:
    """How a line is drawn."""

    colour: str
    dashes: str = "-"
    width: float = 1.8
    marker: str = "o"
    hollow: bool = False


LOOKS = {
    "solution": Look(style.BLUE),
    "tuned": Look(style.GREEN),
}
RUNGS = {
    "naive": Look(style.PINK, marker="^"),
    "library": Look(style.VERMILLION, marker="s"),
    "best": Look(style.ORANGE, marker="D"),
}
FIRST = Look(style.INK, width=2.6)
COPY, PREDICTED = Look(style.GREY, "--", 1.4, ""), Look(style.GREY, ":", 1.6, "")


@dataclass(frozen=True)
class Series:
    """One line: a name, and a rate per size (`None` where there is none), with its quartiles where they are known."""

    name: str
    look: Look
    rates: tuple[float | None, ...]
    band: tuple[tuple[float, float] | None, ...] = ()


def bench_figure(bench: Bench, dark: bool = False) -> Figure:
    """Return rates over sizes: files, PyTorch's own, the hardware's limit, and what the first file's bytes predict."""
    title = f"p{bench.puzzle:02d} {style.name_of(bench.slug)}"
    made = [series_of(bench, c, _look(number, c)) for number, c in enumerate(bench.contenders)]
    if bench.memory_bound and bench.contenders:
        predicted = tuple(speed.predicted for speed in bench.contenders[0].speeds)
        made.append(Series(f"{style.name_of(bench.contenders[0].name)}: what its bytes predict", PREDICTED, predicted))
    return lines_figure(bench, [*made, ceiling(bench)], title, dark)


def overview_figure(benches: Sequence[Bench], title: str) -> Figure:
    """Return several puzzles over the same sizes: a colour each, the plain solution dashed, the tuned one solid."""
    made = []
    for bench, colour in zip(benches, PUZZLES, strict=False):
        for contender in bench.contenders:
            if contender.file is not None:
                tuned = contender.name == "tuned"
                look = Look(colour, "-" if tuned else "--", 1.8 if tuned else 1.5, hollow=not tuned)
                name = f"{bench.puzzle} {bench.slug.replace('_', ' ')}{', tuned' if tuned else ''}"
                made.append(series_of(bench, contender, look, name))
    own = [found for found in benches[0].contenders if found.file is None]
    made += [series_of(benches[0], found, look_of(found, Look(style.GREY))) for found in own]
    return lines_figure(benches[0], [*made, ceiling(benches[0])], title)


def lines_figure(bench: Bench, series: Sequence[Series], title: str, dark: bool = False) -> Figure:
    """Return a figure with one line per series."""
    about = f"{machine(bench)}; {shape_words(bench)} {style.name_of(bench.dtype)}"
    return style.Drawing(title, about, HEIGHT, partial(_lines, bench, series)).figure(dark)


def _lines(bench: Bench, series: Sequence[Series], body: SubFigure) -> None:
    axes = body.subplots()
    axes.set_xscale("log", base=2)
    axes.set_xticks([point.size for point in bench.points], [f"{point.size:,}" for point in bench.points])
    axes.minorticks_off()
    axes.set_xlabel(bench.axis)
    axes.set_ylabel(f"{bench.unit}  ({style.name_of(bench.work_in_words)})")
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.grid(axis="y", color=style.PALE)
    axes.set_axisbelow(True)
    for one in series:
        _draw(axes, bench.points, one)
    axes.set_ylim(bottom=0)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=3.2)


def series_of(bench: Bench, contender: Contender, look: Look, name: str | None = None) -> Series:
    """Return a contender's line; what is not counted is left out."""
    rates = tuple(speed.counted_rate for speed in contender.speeds)
    return Series(name or style.name_of(contender.name), look, rates, tuple(map(_quartiles, contender.speeds)))


def _quartiles(speed: Speed) -> tuple[float, float] | None:
    if speed.timing is None or speed.counted_rate is None:
        return None
    scale = speed.counted_rate * speed.timing.median_ms
    return scale / speed.timing.high_ms, scale / speed.timing.low_ms


def ceiling(bench: Bench) -> Series:
    """Return the hardware's line: a copy of each size, or a large matrix product."""
    rates = tuple(bench.ceiling_at(index) for index in range(len(bench.points)))
    return Series("copy" if bench.memory_bound else "large matrix product", COPY, rates)


def _look(number: int, contender: Contender) -> Look:
    return FIRST if number == 0 and contender.name not in LOOKS else look_of(contender, Look(style.SKY))


def look_of(contender: Contender, other: Look) -> Look:
    """Return the look of a shipped file, or of PyTorch's own by its place on the ladder."""
    return LOOKS.get(contender.name) or RUNGS.get(contender.rung or "") or other


def _draw(axes: Axes, points: Sequence[BenchPoint], series: Series) -> None:
    known = [(point.size, rate) for point, rate in zip(points, series.rates, strict=True) if rate is not None]
    look = series.look
    drawn = {"color": look.colour, "linestyle": look.dashes, "linewidth": look.width, "marker": look.marker or None}
    drawn["markerfacecolor"] = style.GROUND if look.hollow else look.colour
    sizes, rates = [size for size, _ in known], [rate for _, rate in known]
    axes.plot(sizes, rates, label=series.name, markersize=4.5, **drawn)  # type: ignore[arg-type]
    spread = [(point.size, band) for point, band in zip(points, series.band, strict=False) if band is not None]
    lows, highs = [low for _, (low, _) in spread], [high for _, (_, high) in spread]
    axes.fill_between([size for size, _ in spread], lows, highs, color=look.colour, alpha=0.15, linewidth=0)


def ladder_figure(benches: Sequence[Bench], dark: bool = False) -> Figure:
    """Return the ladder: a row per puzzle, in it every contender's share of what the hardware does."""
    rungs = rungs_of(benches)
    height = 1.9 + RUNG_HEIGHT * max(1, len(rungs))
    about = machine(benches[0]) if benches else ""
    return style.Drawing("From naive to tuned", about, height, partial(_rungs, rungs)).figure(dark)


def _rungs(rungs: Sequence[Rung], body: SubFigure) -> None:
    axes = body.subplots()
    heights = list(range(len(rungs)))[::-1]
    for height, rung in zip(heights, rungs, strict=True):
        shares = [100 * share for share in rung.shares.values()]
        if shares:
            axes.plot([min(shares), max(shares)], [height, height], color=style.LINE, linewidth=3, zorder=1)
    for name in names_of(rungs):
        known = [(height, 100 * r.shares[name]) for height, r in zip(heights, rungs, strict=True) if name in r.shares]
        place = next((rung.looks[name] for rung in rungs if name in rung.looks), "")
        look = LOOKS.get(name) or RUNGS.get(place) or FIRST
        x, y = [share for _, share in known], [height for height, _ in known]
        axes.scatter(x, y, color=look.colour, marker=look.marker, s=52, label=name, zorder=2)
    axes.axvline(100, color=style.GREY, linestyle="--", linewidth=1)
    axes.set_yticks(heights, [f"{style.name_of(rung.name)}\n100 % = {rung.whole}" for rung in rungs])
    axes.set_ylim(-0.6, len(rungs) - 0.4)
    axes.set_xlim(left=0)
    axes.grid(axis="x", color=style.PALE)
    axes.set_axisbelow(True)
    axes.set_xlabel("percent of what the hardware does: a copy (GB/s), or a large matrix product (TFLOP/s)")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
