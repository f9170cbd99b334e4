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
    "Only the last tile's maximum is subtracted: each tile overwrites the maximum of those before. An earlier, larger "
    "value overflows.",
    "Keep the larger of the two: {m} = tl.maximum({m}, tl.max({x}, {axis})).",
    MAX,
    by=[softmax(compared="the last tile"), online(kept=lambda m, own: own)],
    loses="m",
)
MISTAKES.add(
    "own-max-in-last-pass",
    "The last pass subtracts each tile's own maximum, and divides by a sum that belongs to the row's.",
    "Subtract the row's maximum in the last pass, too.",
    r"-\s*tl\.max\(|tl\.store\(",
    by=softmax(m_in_the_end=own_maximum),
)
MISTAKES.add(
    "max-of-first-tile",
    "Only the first tile's maximum is subtracted. A larger value further on overflows.",
    "Take the maximum over every tile of the row before you use it.",
    MAX,
    by=softmax(compared="the first tile"),
    loses="m",
)
MISTAKES.add(
    "sum-of-last-tile",
    "The sum holds the last tile only: in every iteration, what was summed before is lost.",
    "Start the sum at 0 before the loop, and nowhere in it; in the loop add to it: {l} += tl.sum(...).",
    r"^\s{8,}\w+\s*=\s*(0(\.0*)?|tl\.zeros\(.*)\s*(#.*)?$",  # in a loop
    SUM,
    by=softmax(summed="the last tile"),
    by_text=True,
)
MISTAKES.add(
    "normalised-per-tile",
    "Every tile is normalised by itself, with its own maximum and sum, and the row sums to its number of tiles.",
    "Finish the maximum and the sum over the whole row before the first store.",
    DIVISION,
    by=[softmax(m_of=own_maximum, l_of=own_sum), softmax(l_of=own_sum)],
)
MISTAKES.add(
    "first-tile-only",
    "Only the beginning of a row is looked at, or written: there is no loop, it ends after so many columns as there "
    "are tiles, or its columns leave out where a tile starts.",
    "Let the loop end at {n_cols}, range(0, {n_cols}, {BLOCK}), and its columns begin at the tile: {start} + "
    "tl.arange().",
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
    says="Only the beginning of a row is written: the loop that stores ends there, or its columns stay there.",
    by=softmax(written="as many columns as tiles"),
)
MISTAKES.add(
    "tiles-overlap",
    "Each iteration moves on by less than a tile, by one column or by half a tile: columns count several times, and "
    "a loop that counts its iterations stops before the end of the row.",
    "Move on by a tile: range(0, {n_cols}, {BLOCK}), or {cols} = iteration * {BLOCK} + tl.arange(0, {BLOCK}).",
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
    "Every other tile is left out: the loop's step is twice the tile.",
    "Move on by one tile in every iteration: the step of the range is the width of the tile.",
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
    "Every tile is stored in the loop that sums, with the maximum and the sum of the tiles until there: only the last "
    "tile knows the whole row.",
    "Finish the loop over the row before the first tl.store; the results need a loop of their own.",
    STORE,
    by=[
        softmax(l_of=lambda p, m, tile: joined(p.mT, tile.cols, lambda tiles: total(tiles).cumsum(0), 0.0).mT),
        online(at_once=True),
    ],
)
MISTAKES.add(
    "first-tile-in-every-turn",
    "A loop loads the first tile in every iteration, wherever the iteration begins.",
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
    "The first tile is left out: no iteration of a loop takes it.",
    "Let an iteration begin at column 0: the first one, or where a loop goes backwards the last.",
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
    "Every lane keeps a maximum of its own over the tiles, and each column is taken relative to that of its lane.",
    "Join the lanes: {m} = tl.maximum({m}, tl.max({x}, {axis})).",
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
    "Every lane keeps a sum of its own over the tiles, and nothing joins them: each column is divided by the sum of "
    "its lane.",
    "Join the lanes: {l} += tl.sum(..., {axis}), and {m} = tl.maximum({m}, tl.max({x}, {axis})) where {m} is a tile, "
    "too.",
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
    "The new maximum is never kept: without {m} = {m_new}, {m} stays where it started, and every iteration rescales by "
    "exp({m} - {m_new}), which is 0.",
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
    "The maximum is set back to its start in every iteration of the loop: what the tiles before have given is lost, "
    "and only the last tile's is subtracted.",
    "Give it its start once, in front of the loop.",
    RESET,
    by=[softmax(seen="the last tile", start=FIRST), softmax(compared="the last tile")],
    needs=RESET,
    loses="m",
)
