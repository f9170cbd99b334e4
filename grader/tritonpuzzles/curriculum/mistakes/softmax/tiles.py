"""Mistakes in which tiles a pass takes, and in using one tile for all."""

from __future__ import annotations

import torch

from tritonpuzzles.curriculum.mistakes.lines import DIVISION, LOAD, LOOP, MAX, STORE, SUM
from tritonpuzzles.curriculum.mistakes.machines import total
from tritonpuzzles.curriculum.mistakes.softmax.machine import (
    FIRST,
    INF,
    MISTAKES,
    joined,
    lane_maximum,
    lane_sum,
    online,
    own_maximum,
    own_sum,
    softmax,
)

COUNTED = r"^\s*for\b.*range\(.*cdiv"  # a loop that ends at a number of tiles
WITHOUT_START = r"^\s{8,}\w+\s*=\s*tl\.arange\("  # in a loop
HALF = r"^\s*for\b.*range\(.*//\s*2"  # a step of half a tile
TWICE = r"^\s*for\b.*range\(.*(\b2\s*\*|\*\s*2\b|\+\s*[A-Z]\w*\s*\))"  # a step of two tiles
RESET = r"^\s{8,}\w+\s*=\s*(?:-\s*(?:float\(|\d|math\.inf)|float\(\s*[\"']-|tl\.full\()"

MISTAKES.add(
    "max-of-last-tile",
    "Only the last tile's maximum is subtracted: each tile overwrites the maximum of the tiles before it. An earlier, "
    "larger value overflows.",
    "Keep the larger of the two: {m} = tl.maximum({m}, tl.max({x}, {axis})).",
    MAX,
    by=[softmax(compared="the last tile"), online(kept=lambda m, own: own)],
    loses="m",
)
MISTAKES.add(
    "own-max-in-last-pass",
    "The last pass subtracts each tile's own maximum, but the sum was computed with the row's maximum.",
    "Subtract the row's maximum in the last pass, too.",
    r"-\s*tl\.max\(|tl\.store\(",
    by=softmax(m_in_the_end=own_maximum),
)
MISTAKES.add(
    "max-of-first-tile",
    "Only the first tile's maximum is subtracted. A larger value in a later tile overflows.",
    "Take the maximum over all tiles of the row before you use it.",
    MAX,
    by=softmax(compared="the first tile"),
    loses="m",
)
MISTAKES.add(
    "sum-of-last-tile",
    "The sum holds the last tile only: every iteration overwrites the sum of the tiles before.",
    "Set the sum to 0 before the loop, not in it; in the loop add to it: {l} += tl.sum(...).",
    r"^\s{8,}\w+\s*=\s*(0(\.0*)?|tl\.zeros\(.*)\s*(#.*)?$",  # in a loop
    SUM,
    by=softmax(summed="the last tile"),
    by_text=True,
)
MISTAKES.add(
    "normalised-per-tile",
    "Every tile is normalised with its own sum: the probabilities of a row sum to its number of tiles.",
    "Finish the maximum and the sum over the whole row before the first store.",
    DIVISION,
    by=[softmax(m_of=own_maximum, l_of=own_sum), softmax(l_of=own_sum)],
)
MISTAKES.add(
    "first-tile-only",
    "Only the start of a row is read or written: there is no loop, it ends after as many columns as there are tiles, "
    "or its columns do not include the start of the tile.",
    "Loop over range(0, {n_cols}, {BLOCK}), and start the columns at the tile: {start} + tl.arange().",
    *(COUNTED, WITHOUT_START, LOOP),
    by=[
        softmax(seen="as many columns as tiles", written="as many columns as tiles"),
        softmax(seen="as many columns as tiles", start=FIRST),
        softmax(summed="as many columns as tiles"),
    ],
    still=True,
)
MISTAKES.also(
    "first-tile-only",
    says="Only the start of a row is written: the loop that stores ends there, or its columns do not move.",
    by=softmax(written="as many columns as tiles"),
)
MISTAKES.add(
    "tiles-overlap",
    "Each iteration moves by one column or by half a tile, not by a tile: columns count several times, and a loop that "
    "counts its iterations stops before the end of the row.",
    "Move by a tile: range(0, {n_cols}, {BLOCK}), or {cols} = iteration * {BLOCK} + tl.arange(0, {BLOCK}).",
    *(HALF, COUNTED, LOOP),
    by=[
        softmax(seen="tiles one column apart", start=FIRST, written="tiles one column apart"),
        softmax(seen="tiles one column apart", start=FIRST),
        softmax(written="tiles one column apart"),
        softmax(summed="tiles half a tile apart"),
    ],
    moving=True,
)
MISTAKES.add(
    "every-other-tile",
    "Every other tile is left out: the step of the loop is two tiles.",
    "Move by one tile in every iteration: use the width of the tile as the step of the range.",
    *(TWICE, LOOP),
    by=[
        softmax(seen="every other tile", start=FIRST, written="every other tile"),
        softmax(seen="every other tile", start=FIRST),
        softmax(summed="every other tile"),
        softmax(compared="every other tile", start=FIRST),
        softmax(written="every other tile"),
    ],
)
MISTAKES.add(
    "stored-in-the-loop",
    "Every tile is stored in the loop that sums, and divided by the sum of the tiles so far: only the last tile is "
    "divided by the sum of the row.",
    "Finish the loop over the row before the first tl.store, and store the results in a loop of their own.",
    STORE,
    by=[
        softmax(l_of=lambda p, m, tile: joined(p.mT, tile.cols, lambda tiles: total(tiles).cumsum(0), 0.0).mT),
        online(at_once=True),
    ],
)
MISTAKES.add(
    "first-tile-in-every-turn",
    "A loop loads the first tile in every iteration: its columns do not move.",
    "Load at {cols} = {start} + tl.arange(0, {BLOCK}), in every pass.",
    *(WITHOUT_START, LOAD),
    by=[
        softmax(read="the first tile again and again"),
        softmax(summed="the first tile again and again"),
        softmax(compared="the first tile", summed="the first tile again and again"),
        softmax(compared="the first tile", summed="the first tile in every iteration", start=FIRST),
        softmax(
            seen="the first tile", summed="the first tile in every iteration", start=FIRST, written="the first tile"
        ),
    ],
    still=True,
)
MISTAKES.add(
    "first-tile-skipped",
    "The first tile is left out: no iteration of a loop uses it.",
    "Start the loop at column 0, or end it there if it goes backwards.",
    r"^\s*for\b.*range\(\s*[A-Z]",  # a loop that begins at another tile
    LOOP,
    by=[
        softmax(seen="but the first tile", start=FIRST),
        softmax(seen="but the first tile"),
        softmax(summed="but the first tile"),
        softmax(compared="but the first tile", start=FIRST),
        softmax(compared="but the first tile"),
        softmax(written="but the first tile"),
        softmax(seen="but the first tile", start=FIRST, written="but the first tile"),
    ],
)
MISTAKES.add(
    "max-per-lane",
    "Every lane keeps its own maximum over the tiles, and this is subtracted in place of the row's maximum.",
    "Reduce over the lanes: {m} = tl.maximum({m}, tl.max({x}, {axis})).",
    r"^    \w+\s*=\s*\w+\s*$",  # after a loop, where tl.max belongs
    r"tl\.maximum\(",
    by=[
        softmax(m_of=lane_maximum, pad=-INF),
        softmax(m_of=lambda x, m, tile: lane_maximum(x, m, tile).clamp_min(FIRST), pad=-INF),
    ],
    by_text=True,
)
MISTAKES.add(
    "sum-per-lane",
    "Every lane keeps its own sum over the tiles, and nothing adds these up: each column is divided by the sum of its "
    "lane.",
    "Reduce over the lanes: {l} += tl.sum(..., {axis}), and {m} = tl.maximum({m}, tl.max({x}, {axis})) if {m} is a "
    "tile, too.",
    r"^    \w+\s*=\s*\w+\s*$",  # after a loop, where tl.sum belongs
    r"\+=(?!.*tl\.sum)",
    by=[
        softmax(l_of=lane_sum, pad=-INF),
        softmax(m_of=lambda x, m, tile: lane_maximum(x, m, tile).clamp_min(FIRST), l_of=lane_sum, pad=-INF),
    ],
    by_text=True,
)
MISTAKES.add(
    "max-never-kept",
    "The new maximum is never kept: {m} = {m_new} is missing, and every iteration rescales the old sum by exp({m} - "
    "{m_new}), which is 0.",
    "End each iteration with {m} = {m_new}.",
    MAX,
    by=[
        softmax(seen="the last tile", start=FIRST, m_in_the_end=lambda x, m, tile: torch.full_like(m, FIRST)),
        softmax(seen="the last tile", m_in_the_end=lambda x, m, tile: torch.full_like(m, -INF)),
        softmax(seen="the last tile", start=FIRST),
    ],
    loses="m",
)
MISTAKES.add(
    "max-reset-in-the-loop",
    "The maximum is set to its start value in every iteration of the loop: the maximum of the earlier tiles is lost, "
    "and only the last tile's is subtracted.",
    "Set its start value once, before the loop.",
    RESET,
    by=[softmax(seen="the last tile", start=FIRST), softmax(compared="the last tile")],
    needs=RESET,
    loses="m",
)
