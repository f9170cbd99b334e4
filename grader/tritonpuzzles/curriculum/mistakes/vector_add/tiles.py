"""Mistakes of where a program works: its tile, its lanes."""

from __future__ import annotations

from tritonpuzzles.curriculum.mistakes.vector_add.common import ARANGE, MISTAKES, STORE, added

PROGRAM = r"program_id\(|tl\.load\("

MISTAKES.add(
    "first-tile-only",
    "Only the first tile is loaded or stored, by every program: its offsets do not begin at tl.program_id(0) * "
    "BLOCK_SIZE, or there is one program alone.",
    "Begin the offsets at tl.program_id(0) * BLOCK_SIZE, in the loads and in the store; launch a program per tile.",
    ARANGE,
    by=[
        added(written=lambda i, n, tile: i < tile.cols),
        added(of=lambda i, n, tile: i % tile.cols),
        added(  # in each lane the last program's stays
            of=lambda i, n, tile: i + (n - 1 - i) // tile.cols * tile.cols, written=lambda i, n, tile: i < tile.cols
        ),
    ],
)
MISTAKES.add(
    "program-id-not-scaled",
    "The offsets begin at the program's number itself: program 1 starts one element behind program 0, in the midst of "
    "its tile, and the far end of the vector is left to nobody.",
    "Programs are BLOCK_SIZE elements apart: tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE).",
    PROGRAM,
    by=added(written=lambda i, n, tile: i < -(-n // tile.cols) - 1 + tile.cols),
)
MISTAKES.add(
    "arange-missing",
    "Each program takes a single element, and not a tile of BLOCK_SIZE: its offset is one number.",
    "Add tl.arange(0, BLOCK_SIZE) to where the tile begins: one offset for each lane.",
    PROGRAM,
    by=[
        added(written=lambda i, n, tile: i % tile.cols == 0),
        added(written=lambda i, n, tile: i < -(-n // tile.cols)),
        added(of=lambda i, n, tile: i // tile.cols * tile.cols),
    ],
)
MISTAKES.add(
    "counted-in-bytes",
    "Only every fourth element is written, or in 16 bits every second: offsets are multiplied by an element's bytes.",
    "Leave the factor out: a pointer counts elements, and x_ptr + 1 is the next one in every dtype.",
    ARANGE,
    by=[
        added(written=lambda i, n, tile: i % 4 == 0),  # in any dtype
        added(written=lambda i, n, tile: i % tile.dtype.itemsize == 0),
    ],
)
MISTAKES.add(
    "whole-tiles-only",
    "The last, partial tile is left out: only whole tiles are written.",
    "Launch triton.cdiv(n_elements, BLOCK_SIZE) programs, rounded up, and mask with offsets < n_elements.",
    STORE,
    by=added(written=lambda i, n, tile: i < n // tile.cols * tile.cols),
)
