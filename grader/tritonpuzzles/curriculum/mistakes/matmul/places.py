"""Mistakes in assigning tiles to programs, and in addresses: offsets, program ids, groups, strides, transposition.

Here a tensor has the strides of the call, except where its rows have gaps.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import mod

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import lines
from tritonpuzzles.curriculum.mistakes.machines import same
from tritonpuzzles.curriculum.mistakes.matmul.common import (
    MISTAKES,
    Change,
    Launch,
    activated,
    by_strides,
    exchanged,
    product,
    tiled,
    unscaled,
    untiled,
)

GROUPS = r"\b(min|minimum|GROUP\w*)\b"
POINTERS_A, POINTERS_B = r"\ba_?ptr\w*\s*\+", r"\bb_?ptr\w*\s*\+"
MOST_TILES = 4096  # of a kernel whose constants do not show its tile sizes
Places = tuple[Tensor, Tensor]  # rows and columns of tiles


def _exchanged(tiles: Tensor, at: Launch) -> Tensor:
    """Load rows by pid_n and columns by pid_m, but store by pid_m and pid_n; what is outside is 0."""
    found, size = torch.zeros_like(tiles), min(tiles.shape[:2])
    found[:size, :size] = tiles[:size, :size].transpose(0, 1)
    return found


def _grouped(
    pid: Tensor, rows: int, cols: int, group: int, tall: str = "", scaled: bool = True, in_grid: bool = False
) -> Places:
    """Return the tiles of programs that are numbered in groups.

    `tall`: m, n or both are computed as if the last group were as high as the others; without `scaled`, a group starts
    at its index; with `in_grid`, m depends on the program's id in the whole grid.
    """
    first, within = pid // (group * cols) * (group if scaled else 1), pid % (group * cols)
    height = (rows - first).clamp(max=group).clamp(min=1)
    m = (pid if in_grid else within) % (group if "m" in tall else height)
    return first + m, within // (group if "n" in tall else height)


def _written(tiles: Tensor, at: Launch, numbered: Callable[[Tensor, int, int, int], Places]) -> Tensor:
    """Keep only the tiles that programs with this numbering write, if each program takes one tile."""
    rows, cols = tiles.shape[:2]
    if rows * cols > MOST_TILES or rows * cols != at.tile.programs:  # too few programs, or a loop
        return tiles
    m, n = numbered(torch.arange(rows * cols), rows, cols, at.blocks.group)
    inside = (m < rows) & (n < cols)
    found = torch.full_like(tiles, torch.nan)
    found[m[inside], n[inside]] = tiles[m[inside], n[inside]]
    return found


def _kept(tiles: Tensor, at: Launch, then: Change) -> Tensor:
    """Return the sums of programs that take every n-th tile, in groups, and start it with `then` of the last sums."""
    rows, cols = tiles.shape[:2]
    if at.tile.programs < rows * cols <= MOST_TILES:
        places = torch.stack(_grouped(torch.arange(rows * cols), rows, cols, at.blocks.group)).T.tolist()
        for (m, n), now in zip(places, places[at.tile.programs :], strict=False):
            tiles[now[0], now[1]] += then(tiles[m, n], at)
    return tiles


MISTAKES.add(
    "first-tile-loaded",
    "Offsets do not start at a program's tile: it loads the first rows of a or columns of b, or starts at row pid_m.",
    "Use rows = pid_m * BLOCK_M + tl.arange(0, BLOCK_M) and cols = pid_n * BLOCK_N + tl.arange(0, BLOCK_N), in the "
    "loads and in the store.",
    *(rf"ptr\w*\s*\+.*{lines.ARANGE}", lines.ARANGE),
    by=[product(rows=mod), product(cols=mod), product(rows=mod, cols=mod), product(rows=unscaled, cols=unscaled)],
)
MISTAKES.add(
    "tiles-exchanged",
    "A program loads the rows and columns of one tile and stores another: pid_m and pid_n are exchanged on one side.",
    "Use pid_m for rows of tiles and pid_n for columns, in the loads and in the store.",
    *(lines.PID_M, lines.PID_N, lines.ARANGE),
    by=product(tiles=_exchanged),
)
MISTAKES.add(
    "last-group-not-lowered",
    "The last group of tiles has fewer rows than the others, but its programs are numbered as if it had as many: no "
    "program stores some of its tiles.",
    "Use min({tiles_m} - its first row of tiles, {GROUP_M}) as the height of a group, both in % and in // inside the "
    "group.",
    r"=\s*GROUP\w*\s*$",  # height = GROUP_M
    *(r"(?:%|//)\s*GROUP\w*\b(?!\s*\*)", GROUPS),
    needs=r"%|swizzle2d",  # a place in a group
    by=[product(tiles=partial(_written, numbered=partial(_grouped, tall=tall))) for tall in ("mn", "m", "n")],
)
MISTAKES.add(
    "tiles-left-out",
    "No program stores some of the tiles: the program's number is divided by the wrong count of tiles, // and % are "
    "exchanged, or a group's number is not multiplied by its height.",
    "Row by row, use {pid} // {tiles_n} as the row and {pid} % {tiles_n} as the column; give a group {GROUP_M} * "
    "{tiles_n} programs.",
    *(lines.PID_M, lines.PID_N, GROUPS),
    by=[
        product(tiles=partial(_written, numbered=numbered))
        for numbered in (
            lambda pid, rows, cols, group: (pid // rows, pid % rows),
            partial(_grouped, in_grid=True),
            lambda pid, rows, cols, group: _grouped(pid // rows * cols + pid % rows, rows, cols, group),  # swizzle2d
            lambda pid, rows, cols, group: _grouped(pid, rows, rows, group),  # groups of GROUP_M * tiles_m programs
            partial(_grouped, scaled=False),
        )
    ],
)
MISTAKES.add(
    "sums-of-the-last-tile",
    "A program that computes several tiles starts each with the sums of the tile before: its accumulator is set to 0 "
    "once, not for each tile.",
    "Set {acc} to 0 for each tile: inside the loop over tiles, before the iterations along K.",
    *(lines.START, lines.ACC, lines.DOT),
    by=[product(tiles=partial(_kept, then=then)) for then in (same, activated)],
)
MISTAKES.add(
    "strides-exchanged",
    "The two strides of a matrix are exchanged: its rows use the stride of the columns, and the matrix is read "
    "transposed.",
    "Read element (i, k) of a at i * stride_am + k * stride_ak, element (k, j) of b at k * stride_bk + j * stride_bn.",
    rf"{POINTERS_A}.*(\[:,\s*None\]\s*\*\s*stride_ak|\[None,\s*:\]\s*\*\s*stride_am)",
    rf"{POINTERS_B}.*(\[:,\s*None\]\s*\*\s*stride_bn|\[None,\s*:\]\s*\*\s*stride_bk)",
    *(POINTERS_A, POINTERS_B),
    by=[product(a=exchanged), product(b=exchanged), product(a=exchanged, b=exchanged)],
)


def _moved_on_by(stride: int, b: Tensor, at: Launch) -> Tensor:
    """Return b as read if each iteration moves by `stride` elements per product."""
    (k, n), step = b.shape, at.blocks.k
    iterations = by_strides(b, (-(-k // step), step, n), (step * stride, *b.stride()))
    return iterations.flatten(0, 1)[:k]


MISTAKES.add(
    "stride-of-another",
    "b is addressed with a stride that is not its own, in the pointers or where they move: rows of b are stride_bk "
    "apart.",
    "Use stride_bk for the rows of b, also from one iteration to the next: b_ptrs += BLOCK_K * stride_bk.",
    *(lines.MOVE_B, POINTERS_B),
    by=[
        product(b=lambda b, at: by_strides(b, b.shape, at.a.stride())),
        product(b=lambda b, at: _moved_on_by(1, b, at)),
        product(b=lambda b, at: _moved_on_by(at.a.stride(1), b, at)),
    ],
)


def _turned(x: Tensor, height: int, width: int) -> Tensor:
    """Return a matrix with its tiles transposed if they are square; any other matrix unchanged."""
    tiles = tiled(x, height, width)
    return untiled(tiles.mT, *x.shape) if height == width else x


MISTAKES.add(
    "tile-transposed",
    "A square tile of a, b or c is transposed: its rows and columns are exchanged.",
    "Keep {acc} (BLOCK_M, BLOCK_N): rows of a along axis 0, columns of b along axis 1, in the loads and in the store.",
    *(r"tl\.trans\(|\.T\b", lines.STORE, lines.DOT),
    by=[
        product(sums=lambda c, at: _turned(c, at.blocks.m, at.blocks.n)),
        product(a=lambda a, at: _turned(a, at.blocks.m, at.blocks.k)),
        product(b=lambda b, at: _turned(b, at.blocks.k, at.blocks.n)),
    ],
)
