"""Picture: where the wrong elements of an output lie, and what each of them is."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import FigureBase

from tritonpuzzles.front.pictures.axes import (
    MOST_CELLS,
    element_ticks,
    fill,
    matrix_axes,
    name_axes,
    tile_borders,
    tile_ticks,
)
from tritonpuzzles.front.pictures.style import BLUE, CALM, INK, ORANGE, VERMILLION, key, legend_below, titled
from tritonpuzzles.front.pictures.tiles import Area, areas, shrunk
from tritonpuzzles.results.trace import Numbers, Outcome, Picture, folded

LOOKS = {
    Outcome.RIGHT: (CALM, "", "right"),
    Outcome.TOO_SMALL: (BLUE, "", "too small"),
    Outcome.TOO_LARGE: (ORANGE, "", "too large"),
    Outcome.NOT_FINITE: (VERMILLION, "", "NaN or infinity"),
    Outcome.UNWRITTEN: (INK, "", "never written"),
}


def height(kinds: Numbers) -> float:
    """Return how high the picture is, in inches."""
    rows, cols = folded(kinds.shape)
    return 1.9 + (min(3.5, max(0.9, 0.26 * rows)) if cols >= rows else 4.0)


def tiles(picture: Picture) -> Area | None:
    """Return what was written to the output, for its tiles; `None` if nothing of its shape was."""
    assert picture.outcomes is not None
    size = folded(picture.outcomes.shape)
    written = (area for launch in picture.launches for area in areas(launch) if area.written)
    return next((area for area in written if area.role == picture.outcome_of and (area.rows, area.cols) == size), None)


def draw(figure: FigureBase, name: str, kinds: Numbers, written: Area | None, subtitle: str) -> None:
    """Draw an output as a map.

    Args:
        figure: where to.
        name: the output's.
        kinds: `Outcome` numbers in the output's shape.
        written: for the borders of its tiles.
        subtitle: which case it is.
    """
    rows, cols = folded(kinds.shape)
    wrong = int(np.count_nonzero(kinds))
    body = titled(figure, height(kinds), f"Where the wrong elements lie: {wrong:,} of {kinds.size:,}", subtitle)
    axes = body.subplots()
    matrix_axes(axes, rows, cols)
    flat = kinds.reshape(rows, cols)
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
    counts = {kind: int(np.count_nonzero(kinds == kind)) for kind in Outcome}
    legend_below(body, [key(LOOKS[k][0], f"{LOOKS[k][2]}: {n:,}") for k, n in counts.items() if n])
