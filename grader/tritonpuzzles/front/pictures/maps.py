"""Pictures as maps of matrices: which program reads and writes each element, and where the wrong elements lie."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import SubFigure
from numpy.typing import NDArray

from tritonpuzzles.front.pictures import style
from tritonpuzzles.front.pictures.axes import (
    MOST_CELLS,
    OFF,
    OFF_WORDS,
    STRAY_WORDS,
    draw_beyond,
    element_ticks,
    end_tick,
    fill,
    inside,
    keys_beyond,
    matrix_axes,
    name_axes,
    tile_borders,
    tile_ticks,
)
from tritonpuzzles.front.pictures.tiles import MASKED, NOBODY, SEVERAL, Area, areas, ends, shown_end, shrunk
from tritonpuzzles.results.trace import Numbers, Outcome, Picture, folded
from tritonpuzzles.results.words import plural

WIDE = 3  # columns for each row, from which matrices stand below each other
MOST_SHADES = 7  # distinct counts that are labelled
MOST_LABELS = 12
MOST_COUNTS = 4  # distinct counts in the description; for more, only the extremes
HALF_A_LABEL = 0.06  # of a panel's width
NOT_ONE = {  # elements that do not belong to one program
    SEVERAL: (style.SHARED, "", "more than one program"),
    NOBODY: (style.GROUND, "////", "no program"),
    MASKED: (style.GROUND, OFF, "in a tile, but masked off"),
}
LOOKS = {
    Outcome.RIGHT: (style.CALM, "", "right"),
    Outcome.TOO_SMALL: (style.BLUE, "", "too small"),
    Outcome.TOO_LARGE: (style.ORANGE, "", "too large"),
    Outcome.NOT_FINITE: (style.VERMILLION, "", "NaN or infinity"),
    Outcome.UNWRITTEN: (style.INK, "", "never written"),
}


def is_wide(areas: list[Area]) -> bool:
    """Return whether matrices are so wide that they stand below each other, and not side by side."""
    return max(area.cols / max(area.rows, 1) for area in areas) >= WIDE


def access(areas: list[Area], programs: int, about: str) -> style.Drawing:
    """Return the picture of which program reads and writes which element: two panels for each area."""
    height = 1.3 + sum(map(_wide_height, areas)) if is_wide(areas) else 7.2
    told = " ".join(_told(area, programs) for area in areas)
    title = "Which program reads and writes which element"
    return style.Drawing(title, about, height, partial(_draw_access, areas, programs), told)


def _wide_height(area: Area) -> float:
    return 0.75 + min(2.6, max(0.5, 0.19 * area.rows))


def _draw_access(areas: list[Area], programs: int, body: SubFigure) -> None:
    if is_wide(areas):
        ratios = [_wide_height(area) for area in areas]
        grid = body.subplots(len(areas), 2, squeeze=False, width_ratios=[3, 2], height_ratios=ratios)
    else:
        grid = body.subplots(2, len(areas), squeeze=False).T
    for (left, right), area in zip(grid, areas, strict=True):
        _frame(left, area, 0.08)
        _frame(right, area, 0.13)
        _programs(left, area, programs)
        _beyond(left, area, programs)
        _counts(right, area)
        left.set_title(f"{area.title} by" if len(areas) > 2 else f"{area.title}: by which program")
        right.set_title("how often" if len(areas) > 2 else f"{area.title}: how often")
    _legend(body, areas, programs)


def _told(area: Area, programs: int) -> str:
    low, high = int(area.by[area.by > 0].min()), int(area.by.max())
    each = (
        f"{low} to {plural(high, 'program')}" if low < high else f"all {high} programs" if high > 1 else "one program"
    )
    each = f"{high} programs" if 1 < low == high < programs else each
    moved = int(np.count_nonzero(area.count))
    sizes = f"{moved:,} of {plural(area.count.size, 'element')}, each by {each}, {_often(area)}"
    return f"{area.title}: {sizes}{_tiles(area)}."


def _often(area: Area) -> str:
    counts, how_many = np.unique(area.count[area.count > 0], return_counts=True)
    if len(counts) == 1:
        return times(int(counts[0]))
    if len(counts) > MOST_COUNTS:
        return f"{times(int(counts[0]))} to {times(int(counts[-1]))}"
    return ", ".join(f"{n:,} {times(int(count))}" for count, n in zip(counts, how_many, strict=True))


def _tiles(area: Area) -> str:
    """Return the tiles' size, and which of their lanes move nothing."""
    parts = []
    sizes = dict.fromkeys((tile.box.height, tile.box.width) for tile in area.tiles)
    if len(sizes) == 1:
        ((tall, wide),) = sizes
        parts.append(f"in {plural(len({tile.box for tile in area.tiles}), 'tile')} of {tall} x {wide:,} lanes")
    parts += _past(area)
    for kind, words in ((MASKED, "in a tile, but masked off"), (NOBODY, "by no program")):
        count = int(np.count_nonzero(area.who == kind))
        parts += [f"{count:,} {words}"] if count else []
    return "".join(f", {part}" for part in parts)


def _past(area: Area) -> Iterator[str]:
    bottom, right = ends(area.tiles, area.rows, area.cols)
    kinds = {
        OFF_WORDS if tile.masked >= beyond else STRAY_WORDS
        for tile in area.tiles
        if (beyond := tile.beyond(area.rows, area.cols))
    }
    unit = "element" if area.rows == 1 else "column"
    places = [plural(right - area.cols, unit)] if right > area.cols else []
    places += [plural(bottom - area.rows, "row")] if bottom > area.rows else []
    if kinds:
        word = "past the end, masked off in part" if len(kinds) > 1 else kinds.pop()
        yield f"the last ones reach {' and '.join(places)} {word}"


def _frame(axes: Axes, area: Area, label: float) -> None:
    matrix_axes(axes, area.rows, area.cols)
    element_ticks(axes, "x", area.col_starts, area.cols, label)
    element_ticks(axes, "y", area.row_starts, area.rows)
    stacked = len(area.row_starts) > 1 and area.moves[0][1].height > 1
    if stacked:
        tile_ticks(axes, "y", area.row_starts, area.rows)
    if len(area.col_starts) > 1 or not stacked:
        tile_ticks(axes, "x", area.col_starts, area.cols, label)
    name_axes(axes, area.rows)


def _programs(axes: Axes, area: Area, programs: int) -> None:
    cells, _, _ = shrunk(area.who, MOST_CELLS, area.who == NOBODY)
    fill(axes, cells, (area.rows, area.cols), _look_of_program)
    tile_borders(axes, area.row_starts, area.col_starts)
    if (area.who == SEVERAL).all():
        low, high = int(area.by.min()), int(area.by.max())
        words = f"{low} to {high}" if low < high else f"all {high}" if high == programs else str(high)
        inside(axes, area.cols / 2, area.rows / 2, f"{words} programs")
        return
    own = [(n, box) for n, box in area.moves if (area.who[box.top : box.bottom, box.left : box.right] == n).all()]
    bands = {(n, box.top, box.bottom): box for n, box in sorted(own, key=lambda move: -move[1].left)}
    if len(bands) <= MOST_LABELS:
        for (program, _, _), box in bands.items():
            x = box.left + max(box.width / 2, HALF_A_LABEL * area.cols)
            inside(axes, x, box.top + box.height / 2, f"program {program}", 7.5)


def _beyond(axes: Axes, area: Area, programs: int) -> None:
    """Make room for the lanes past the end of the matrix, and draw them; a line shows where the matrix ends."""
    bottom, right = ends(area.tiles, area.rows, area.cols)
    axes.set_xlim(0, shown_end(right, area.cols))
    axes.set_ylim(shown_end(bottom, area.rows), 0)
    draw_beyond(axes, area.tiles, area.rows, area.cols, {n: style.program_colour(n) for n in range(programs)})
    if right > area.cols:
        axes.plot([area.cols] * 2, [0, area.rows], color=style.INK, linewidth=1.2)
        end_tick(axes, "x", right, area.cols)
    if bottom > area.rows:
        axes.plot([0, area.cols], [area.rows] * 2, color=style.INK, linewidth=1.2)
        end_tick(axes, "y", bottom, area.rows)


def _look_of_program(program: int) -> tuple[str, str]:
    return NOT_ONE[program][:2] if program in NOT_ONE else (style.program_colour(program), "")


def _counts(axes: Axes, area: Area) -> None:
    usual = Counter(area.count.reshape(-1).tolist()).most_common(1)[0][0]
    cells, _, _ = shrunk(area.count, MOST_CELLS, np.abs(area.count - usual))
    shade = shades(area.count)
    fill(axes, cells, (area.rows, area.cols), lambda count: (shade[count], "////" if not count else ""))
    tile_borders(axes, area.row_starts, area.col_starts)
    axes.set_title("how often")
    for count in np.unique(cells)[:MOST_SHADES]:
        y, x = _middle(cells == count)
        margin = min(HALF_A_LABEL * 1.5, 0.5) * area.cols
        x = min(max(x * area.cols, margin), area.cols - margin)
        inside(axes, x, y * area.rows, times(int(count)))


def _middle(mask: NDArray[np.bool_]) -> tuple[float, float]:
    """Return a place well inside the true part of a mask, as shares of its rows and columns."""
    middle = mask.shape[0] // 2, mask.shape[1] // 2
    if mask.all():
        return 0.5, 0.5
    places = np.argwhere(mask)
    row, col = middle if mask[middle] else places[len(places) // 2]
    return (row + 0.5) / mask.shape[0], (col + 0.5) / mask.shape[1]


def times(count: int) -> str:
    """Return `never`, `once` or `3 times`."""
    return {0: "never", 1: "once"}.get(count) or plural(count, "time")


def shades(count: Numbers) -> dict[int, str]:
    """Return a colour for every count that occurs: the more often, the further from the ground's."""
    high = max(int(count.max()), 4)
    start, way = (0.92, -0.72) if style.is_dark() else (0.15, 0.75)
    blues = colormaps["Blues"]
    return {int(n): style.GROUND if n == 0 else to_hex(blues(start + way * n / high)) for n in np.unique(count)}


def _legend(body: SubFigure, areas: list[Area], programs: int) -> None:
    shown = min(programs, len(style.PROGRAMS))
    keys = [style.key(style.program_colour(n), f"program {n}") for n in range(shown)]
    if programs > shown:
        keys[-1].set_label(f"program {shown - 1}; then the colours repeat, to program {programs - 1}")
    for kind, (colour, hatch, words) in NOT_ONE.items():
        if any((area.who == kind).any() for area in areas):
            keys.append(style.key(colour, words, hatch))
    keys += keys_beyond([(tile, area.rows, area.cols) for area in areas for tile in area.tiles])
    style.legend_below(body, keys)


def outcomes(picture: Picture, kinds: Numbers, where: str, about: str) -> style.Drawing:
    """Return the map of an output's elements; it shows the tiles written to it, if a launch wrote any of its shape."""
    name, size = picture.outcome_of, folded(kinds.shape)
    rows, cols = size
    areas_written = (area for launch in picture.launches for area in areas(launch) if area.written)
    written = (area for area in areas_written if area.role == name and (area.rows, area.cols) == size)
    counts = {kind: int(np.count_nonzero(kinds == kind)) for kind in Outcome}
    seen = {kind: count for kind, count in counts.items() if count}
    told = ", ".join(f"{count:,} {LOOKS[kind][2]}" for kind, count in seen.items())
    wrong = f"lie: {int(np.count_nonzero(kinds)):,} of {kinds.size:,}"
    return style.Drawing(
        f"Where the wrong elements {wrong}",
        about,
        1.9 + (min(3.5, max(0.9, 0.26 * rows)) if cols >= rows else 4.0),
        partial(_draw_outcomes, name, kinds.reshape(size), next(written, None), seen),
        f"{told}.{f' Wrong: {where}.' if where else ''}",
        spoken=f"Where the wrong elements of {name} {wrong}. {about}",
    )


def _draw_outcomes(name: str, flat: Numbers, written: Area | None, counts: dict[Outcome, int], body: SubFigure) -> None:
    rows, cols = flat.shape
    axes = body.subplots()
    matrix_axes(axes, rows, cols)
    cells, tall, wide = shrunk(flat, MOST_CELLS, flat)
    fill(axes, cells, (rows, cols), lambda kind: LOOKS[Outcome(kind)][:2])
    row_starts = written.row_starts if written else [0]
    col_starts = written.col_starts if written else [0]
    tile_borders(axes, row_starts, col_starts)
    element_ticks(axes, "y", row_starts, rows)
    element_ticks(axes, "x", col_starts, cols)
    if len(col_starts) > 1:
        tile_ticks(axes, "x", col_starts, cols)
    if len(row_starts) > 1 and len(row_starts) < rows:
        tile_ticks(axes, "y", row_starts, rows)
    axes.set_title(f"{name}, element by element")
    worst = f"; a dot stands for up to {tall} x {wide} elements and shows the worst of them" if tall * wide > 1 else ""
    name_axes(axes, rows, worst)
    style.legend_below(body, [style.key(LOOKS[k][0], f"{LOOKS[k][2]}: {n:,}") for k, n in counts.items()])
