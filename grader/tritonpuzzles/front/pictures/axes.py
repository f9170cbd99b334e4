"""Axes that show a matrix: rows downwards, ticks in elements, tiles along the far sides; its areas, hatched or not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import astuple
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from tritonpuzzles.front.pictures.style import GREY, GROUND, INK, LINE, SHARED, VERMILLION, key
from tritonpuzzles.front.pictures.tiles import Box, Tile, outer_parts
from tritonpuzzles.results.trace import Numbers

OFF, STRAY = "\\" * 4, "xxxx"  # hatches; dots would make files of megabytes
OFF_WORDS, STRAY_WORDS = "past the end, masked off", "past the end and not masked off"
MOST_CELLS = (150, 300)  # rows and columns
MOST_TICKS = 10
MOST_BORDERS = 80
TOUCHING = 0.3  # of a label's room: closer ticks cannot be told apart
WORD = 0.9  # of a label's room: needed by two numbers side by side
MOST_VECTORS = 3000  # rectangles; more are drawn as dots
PALLOR = 0.28  # share of a program's colour where its lanes are masked off
MOST_PARTS = 400  # drawn one by one


def matrix_axes(axes: Axes, rows: int, cols: int) -> None:
    """Make axes the frame of a matrix, its first row on top."""
    axes.set_xlim(0, cols)
    axes.set_ylim(rows, 0)
    for side in axes.spines.values():
        side.set_visible(True)
        side.set_color(LINE)


def name_axes(axes: Axes, rows: int, more: str = "") -> None:
    """Name the axes of a matrix; a matrix with a single row gets only an element axis."""
    axes.set_xlabel(f"{'element' if rows == 1 else 'column'}{more}", labelpad=1)
    if rows == 1:
        axes.set_yticks([])
    else:
        axes.set_ylabel("row", labelpad=2)


def element_ticks(axes: Axes, along: str, starts: Sequence[int], size: int, label: float = 0.1) -> None:
    """Put ticks where tiles begin, and at the end.

    If every element is a tile, each label is centred on its element.

    Args:
        axes: from `matrix_axes`.
        along: "x" (columns) or "y" (rows).
        starts: of the tiles, in elements.
        size: of the whole axis, in elements.
        label: how much of the axis one label takes.
    """
    axis, limits = (axes.xaxis, axes.get_xlim()) if along == "x" else (axes.yaxis, axes.get_ylim())
    if len(starts) == size <= 2 * MOST_TICKS:
        axis.set_ticks([n + 0.5 for n in range(size)], [str(n) for n in range(size)])
        return
    room = label * max(size, *limits)  # tiles may reach beyond the matrix
    gap = (WORD if along == "x" else TOUCHING) * room
    ticks = [int(tick) for tick in apart(sorted({*thinned([*starts] or [0], MOST_TICKS), 0}), gap)]
    if size - ticks[-1] < room and len(ticks) > 1:
        ticks.pop()  # two labels would touch
    axis.set_ticks([*ticks, size], [f"{n:,}" for n in (*ticks, size)])


def end_tick(axes: Axes, along: str, end: int, size: int, label: float = 0.1) -> None:
    """Add a tick where tiles end beyond a matrix, after dots if the axis ends before; arguments as above."""
    axis, limits = (axes.xaxis, axes.get_xlim()) if along == "x" else (axes.yaxis, axes.get_ylim())
    last = max(limits)
    if last - size > (WORD if along == "x" else 1) * label * last:
        ticks, words = axis.get_ticklocs().tolist(), [text.get_text() for text in axis.get_ticklabels()]
        axis.set_ticks([*ticks, last], [*words, f"{end:,}" if end <= last else f"… {end:,}"])


def tile_ticks(axes: Axes, along: str, starts: Sequence[int], size: int, label: float = 0.1) -> None:
    """Number the tiles on the far side of axes; arguments as of `element_ticks`."""
    ends = [*starts[1:], size]
    middles = [(start + end) / 2 for start, end in zip(starts, ends, strict=True)]
    kept = apart(middles, TOUCHING * label * size)
    chosen = [number for number in thinned(range(len(starts)), MOST_TICKS + 2) if middles[number] in kept]
    roomy = all(b - a > label * size for a, b in pairwise(middles[n] for n in chosen))
    labels = [f"tile {n}" if roomy or not n else str(n) for n in chosen]
    far = axes.secondary_xaxis("top") if along == "x" else axes.secondary_yaxis("right")
    axis = far.xaxis if along == "x" else far.yaxis
    axis.set_ticks([middles[n] for n in chosen], labels)
    far.tick_params(length=0, pad=2, colors=GREY, labelsize=7.5)
    for side in far.spines.values():
        side.set_visible(False)


def tile_borders(axes: Axes, row_starts: Sequence[int], col_starts: Sequence[int]) -> None:
    """Draw thin lines where tiles begin; none where they would cover the picture."""
    if 1 < len(row_starts) <= MOST_BORDERS:
        axes.hlines(row_starts[1:], *axes.get_xlim(), colors=GROUND, linewidth=0.9)
    if 1 < len(col_starts) <= MOST_BORDERS:
        axes.vlines(col_starts[1:], *axes.get_ylim(), colors=GROUND, linewidth=0.9)


def fill(axes: Axes, cells: Numbers, size: tuple[int, int], look: Callable[[int], tuple[str, str]]) -> None:
    """Fill a matrix of `size` (rows, columns) with colour and hatch of each cell's value, one rectangle an area."""
    tall, wide = size[0] / cells.shape[0], size[1] / cells.shape[1]
    for value in np.unique(cells):
        colour, hatch = look(int(value))
        patches = [
            Rectangle((left * wide, top * tall), (right - left) * wide, (bottom - top) * tall)
            for top, bottom, left, right in rectangles(cells == value)
        ]
        # without smoothing, no hairline shows between two rectangles of one colour
        collection = PatchCollection(patches, facecolor=colour, hatch=hatch or None, antialiased=False, linewidth=0)
        collection.set_rasterized(len(patches) > MOST_VECTORS)
        axes.add_collection(collection)


def rectangles(mask: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> list[tuple[int, int, int, int]]:
    """Cut the true part of a mask into rectangles (top, bottom, left, right): runs of a row, as long as they repeat."""
    found, open_runs = [], dict[tuple[int, int], int]()
    for row, line in enumerate(mask):
        edges = np.flatnonzero(np.diff(line.astype(np.int8), prepend=0, append=0))
        runs = {(int(left), int(right)) for left, right in edges.reshape(-1, 2)}
        for run in [run for run in open_runs if run not in runs]:
            found.append((open_runs.pop(run), row, *run))
        for run in runs:
            open_runs.setdefault(run, row)
    return found + [(top, len(mask), *run) for run, top in open_runs.items()]


def thinned(values: Sequence[int], most: int) -> list[int]:
    """Return every n-th value, so that at most `most` are left."""
    return list(values[:: -(-len(values) // most)]) if values else []


def apart(values: Sequence[float], gap: float) -> list[float]:
    """Return the values, in rising order, that are at least `gap` greater than the last one kept."""
    kept: list[float] = []
    for value in values:
        if not kept or value - kept[-1] >= gap:
            kept.append(value)
    return kept


def inside(axes: Axes, x: float, y: float, text: str, size: float = 8) -> None:
    """Write a word into an area, dark on a pale ground so that it can be read on any colour."""
    box = {"boxstyle": "round,pad=0.25", "facecolor": GROUND, "edgecolor": "none", "alpha": 0.82}
    axes.text(x, y, text, ha="center", va="center", fontsize=size, color=INK, bbox=box)


def draw_beyond(axes: Axes, tiles: Sequence[Tile], rows: int, cols: int, colours: dict[int, str]) -> None:
    """Draw the lanes past the end of a matrix: pale and hatched if they are masked off, else crossed."""
    parts = dict[tuple[Box, bool], str]()
    for tile in tiles:
        for part in outer_parts(tile.box, rows, cols):
            kind = part, tile.masked >= tile.beyond(rows, cols)
            parts[kind] = colours.get(tile.program, GROUND) if kind not in parts else SHARED
    if len(parts) > MOST_PARTS:
        tops, bottoms, lefts, rights = zip(*(astuple(part) for part, _ in parts), strict=True)
        around = Box(min(tops), max(bottoms), min(lefts), max(rights))
        parts = {(around, all(off for _, off in parts)): SHARED}
    for (part, off), colour in parts.items():
        axes.add_patch(part_patch(part, colour, off))


def pale(colour: str) -> tuple[float, float, float]:
    """Return a colour mixed with the ground: some viewers lose the hatches on transparent faces."""
    mixed = (PALLOR * mine + (1 - PALLOR) * ground for mine, ground in zip(to_rgb(colour), to_rgb(GROUND), strict=True))
    red, green, blue = mixed
    return red, green, blue


def part_patch(part: Box, colour: str, off: bool) -> Rectangle:
    """Return a rectangle that is hatched if its lanes are off, and crossed if they are not."""
    look = pale(colour if off else VERMILLION)
    place = (part.left, part.top), part.width, part.height
    return Rectangle(*place, facecolor=look, hatch=OFF if off else STRAY, linewidth=0)


def keys_beyond(tiles: Sequence[tuple[Tile, int, int]]) -> list[Any]:
    """Return the legend's entries for lanes past the end; each tile comes with its matrix's rows and columns."""
    kinds = {tile.masked >= beyond for tile, rows, cols in tiles if (beyond := tile.beyond(rows, cols))}
    found = [key("none", OFF_WORDS, OFF)] if True in kinds else []
    return [*found, *([key(pale(VERMILLION), STRAY_WORDS, STRAY)] if False in kinds else [])]
