"""Picture: a GPU's roofline, and the puzzles under it by their operations per byte."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from math import log10
from textwrap import fill
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.ticker import FuncFormatter, NullFormatter

from tritonpuzzles.front.pictures import style
from tritonpuzzles.front.text import one_line, significant
from tritonpuzzles.hardware.gpus import Gpu
from tritonpuzzles.results.inspect import Point

HEIGHT = 5.8
NOTE_LETTERS = 32  # of a line beside the picture
LEFT, RIGHT = 0.1, 2000.0  # operations per byte
PREDICTED, MEASURED = style.BLUE, style.VERMILLION


def roofline_figure(points: Sequence[Point], gpu: Gpu, measured: Mapping[int, float], dark: bool = False) -> Figure:
    """Return the picture; points with a problem are listed and not drawn.

    `measured` has TFLOP/s on such a GPU by puzzle number; the others' are predicted.
    """
    about = (
        "under the slope memory is the limit, under a flat roof arithmetic; "
        "operations per byte by the ledger, which knows of no caches"
    )
    draw = partial(_draw, points, gpu, measured)
    return style.Drawing(f"What the {gpu.name} lets each puzzle reach", about, HEIGHT, draw).figure(dark)


def _draw(points: Sequence[Point], gpu: Gpu, measured: Mapping[int, float], body: SubFigure) -> None:
    axes, note = body.subplots(1, 2, width_ratios=[3.1, 1])
    _roofs(axes, gpu)
    shown = [point for point in points if point.intensity]
    for point in shown:
        _point(axes, point, gpu, measured.get(point.puzzle))
    _names(axes, shown, gpu, measured)
    note.set_axis_off()
    note.text(0, 1, "\n\n".join(words(p, gpu, measured.get(p.puzzle)) for p in points), va="top", linespacing=1.35)
    dot: dict[str, Any] = {"marker": "o", "linestyle": "", "markersize": 8}
    keys = [
        style.line_key("measured", color=MEASURED, **dot),
        style.line_key("predicted: on the roof", color=PREDICTED, fillstyle="none", **dot),
        style.line_key("limit of memory or of arithmetic", color=style.INK, linewidth=2),
    ]
    style.legend_below(body, keys if any(point.puzzle in measured for point in shown) else keys[1:])


def words(point: Point, gpu: Gpu, measured: float | None) -> str:
    """Say in a few lines where a puzzle's point lies."""
    name = f"p{point.puzzle:02d} {style.name_of(point.slug)}"
    if not point.intensity:
        return f"{name}\n{fill(one_line(f'no point: {point.problem}'), NOTE_LETTERS)}"
    limit = significant(gpu.attainable(point.intensity, point.on_tensor_cores))
    kind = (
        f"{significant(measured)} TFLOP/s measured,\n{limit} by the roof" if measured else f"{limit} TFLOP/s predicted"
    )
    return f"{name}\n{significant(point.intensity)} operations per byte\n{kind}"


def _roofs(axes: Axes, gpu: Gpu) -> None:
    """Draw the slope of memory and the two flat roofs of arithmetic."""
    axes.set_xscale("log")
    axes.set_yscale("log")
    low, high = LEFT * gpu.gb_per_s / 1000 / 2.5, gpu.tensor * 2.5
    axes.set_xlim(LEFT, RIGHT)
    axes.set_ylim(low, high)
    ridge, corner = 1000 * gpu.float32 / gpu.gb_per_s, 1000 * gpu.tensor / gpu.gb_per_s
    axes.plot([LEFT, corner, RIGHT], [LEFT * gpu.gb_per_s / 1000, gpu.tensor, gpu.tensor], color=style.INK, linewidth=2)
    axes.plot([ridge, RIGHT], [gpu.float32] * 2, color=style.INK, linewidth=2)
    axes.text(RIGHT * 0.9, gpu.tensor * 1.12, f"tensor cores, 16-bit: {gpu.tensor:,.0f} TFLOP/s", ha="right")
    axes.text(RIGHT * 0.9, gpu.float32 * 0.88, f"float32: {gpu.float32:,.0f} TFLOP/s", ha="right", va="top")
    middle = (ridge * gpu.gb_per_s / 1000) ** 0.5  # TFLOP/s, half way up the part that belongs to memory
    axes.text(900 * middle / gpu.gb_per_s, middle, f"memory: {gpu.gb_per_s:,.0f} GB/s", ha="right")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("operations per byte of DRAM traffic")
    axes.set_ylabel("TFLOP/s: 10¹² operations in a second")
    axes.grid(color=style.LINE, linewidth=0.4, alpha=0.6)


def _point(axes: Axes, point: Point, gpu: Gpu, measured: float | None) -> None:
    assert point.intensity is not None
    roof = gpu.attainable(point.intensity, point.on_tensor_cores)
    axes.plot([point.intensity] * 2, [axes.get_ylim()[0], roof], color=style.GREY, linewidth=0.7, linestyle=(0, (2, 3)))
    look: dict[str, Any] = {"markersize": 9, "linestyle": "", "zorder": 4, "clip_on": False}
    if measured:
        axes.plot(point.intensity, measured, marker="o", color=MEASURED, markeredgecolor=style.GROUND, **look)
    else:
        axes.plot(
            point.intensity, roof, marker="o", markerfacecolor=style.GROUND, color=PREDICTED, markeredgewidth=2, **look
        )


def _names(axes: Axes, points: Sequence[Point], gpu: Gpu, measured: Mapping[int, float]) -> None:
    """Write the puzzles' numbers beside their points; those that share a place share a label."""
    groups = dict[tuple[float, float], list[Point]]()
    for point in points:
        assert point.intensity is not None
        height = measured.get(point.puzzle) or gpu.attainable(point.intensity, point.on_tensor_cores)
        groups.setdefault((round(log10(point.intensity), 2), round(log10(height), 1)), []).append(point)
    for (x, _), group in groups.items():
        height = min(measured.get(p.puzzle) or gpu.attainable(p.intensity or 0, p.on_tensor_cores) for p in group)
        label = ", ".join(f"p{point.puzzle:02d}" for point in group)
        axes.annotate(label, (10**x, height), (8, -4), textcoords="offset points", va="top", fontweight="bold")
