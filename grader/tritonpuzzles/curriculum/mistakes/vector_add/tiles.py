"""Mistakes of where a program works: its tile, its lanes. x, y: (n_elements,) float32."""

from __future__ import annotations

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Tile
from tritonpuzzles.curriculum.mistakes.vector_add.common import (
    ARANGE,
    MISTAKES,
    STORE,
    UNWRITTEN,
    elements,
    only,
    total,
)

PROGRAM = r"program_id\(|tl\.load\("


@MISTAKES.add(
    "first-tile-only",
    "Only the first tile is loaded or stored, by every program: its offsets do not begin at tl.program_id(0) * "
    "BLOCK_SIZE, or there is one program alone.",
    "Begin the offsets at tl.program_id(0) * BLOCK_SIZE, in the loads and in the store; launch a program per tile.",
    ARANGE,
)
def first_tile_alone(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Loads and stores the first tile, in every program."""
    return only(total(inputs), elements(inputs) < tile.cols)


@MISTAKES.also("first-tile-only")
def first_tile_loaded(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Loads the first tile in every program, and stores it where the program's own belongs."""
    return total(inputs)[elements(inputs) % tile.cols]


@MISTAKES.also("first-tile-only")
def first_tile_stored(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Loads the program's own tile, and stores it over the first: in each lane the last program's stays."""
    z, last = torch.full_like(inputs[0], UNWRITTEN), total(inputs)
    for part in torch.split(last, tile.cols):
        z[: len(part)] = part
    return z


@MISTAKES.add(
    "program-id-not-scaled",
    "The offsets begin at the program's number itself: program 1 starts one element behind program 0, in the midst of "
    "its tile, and the far end of the vector is left to nobody.",
    "Programs are BLOCK_SIZE elements apart: tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE).",
    PROGRAM,
)
def program_id_not_scaled(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """offsets = pid + arange."""
    programs = -(-len(inputs[0]) // tile.cols)
    return only(total(inputs), elements(inputs) < programs - 1 + tile.cols)


@MISTAKES.add(
    "arange-missing",
    "Each program takes a single element, and not a tile of BLOCK_SIZE: its offset is one number.",
    "Add tl.arange(0, BLOCK_SIZE) to where the tile begins: one offset for each lane.",
    PROGRAM,
)
def first_element_of_each_tile(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """offsets = pid * BLOCK_SIZE."""
    return only(total(inputs), elements(inputs) % tile.cols == 0)


@MISTAKES.also("arange-missing")
def one_element_per_program(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """offsets = pid."""
    return only(total(inputs), elements(inputs) < -(-len(inputs[0]) // tile.cols))


@MISTAKES.also("arange-missing")
def first_element_in_every_lane(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Loads one element, and stores it in every lane of the tile."""
    return total(inputs)[elements(inputs) // tile.cols * tile.cols]


@MISTAKES.add(
    "counted-in-bytes",
    "Only every fourth element is written, or in 16 bits every second: offsets are multiplied by an element's bytes.",
    "Leave the factor out: a pointer counts elements, and x_ptr + 1 is the next one in every dtype.",
    ARANGE,
)
def four_bytes(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """offsets * 4, in any dtype."""
    return only(total(inputs), elements(inputs) % 4 == 0)


@MISTAKES.also("counted-in-bytes")
def own_bytes(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """offsets * the size of an element."""
    return only(total(inputs), elements(inputs) % tile.dtype.itemsize == 0)


@MISTAKES.add(
    "whole-tiles-only",
    "The last, partial tile is left out: only whole tiles are written.",
    "Launch triton.cdiv(n_elements, BLOCK_SIZE) programs, rounded up, and mask with offsets < n_elements.",
    STORE,
)
def tail_skipped(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """n_elements // BLOCK_SIZE programs, or a mask that a partial tile does not pass."""
    return only(total(inputs), elements(inputs) < len(inputs[0]) // tile.cols * tile.cols)
