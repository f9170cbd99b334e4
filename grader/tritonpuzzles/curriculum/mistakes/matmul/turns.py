"""Mistakes of the loop along k: turns that are left out, come again, or are not added. a: (m, k), b: (k, n) float32."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Tile
from tritonpuzzles.curriculum.mistakes.matmul.common import (
    ACC,
    DOT,
    LOAD,
    LOAD_A,
    LOAD_B,
    LOOP,
    MISTAKES,
    MOVE,
    MOVE_A,
    MOVE_B,
    START,
    Inputs,
    activated,
    blocks_of,
    product,
    turns,
    zeros,
)


@MISTAKES.add(
    "last-turn-left-out",
    "The products of the last tile along K are left out: the loop ends a turn early, or runs over whole tiles only.",
    "Round the number of turns up: {all_turns}, with a mask in the last.",
    r"^\s*(for|while)\b.*//",
    LOOP,
)
def whole_tiles_alone(inputs: Inputs, tile: Tile) -> Tensor:
    """The sum over whole tiles."""
    (a, b), step = inputs, blocks_of(tile).k
    whole = a.shape[1] // step * step
    return product(a[:, :whole], b[:whole], tile)


@MISTAKES.also("last-turn-left-out")
def one_turn_too_few(inputs: Inputs, tile: Tile) -> Tensor:
    """The sum over all turns but the last, be it partial or whole."""
    (a, b), step = inputs, blocks_of(tile).k
    before = max(0, a.shape[1] - 1) // step * step
    return product(a[:, :before], b[:before], tile)


@MISTAKES.add(
    "last-product-left-out",
    "The last product of each sum is left out.",
    "The mask along K is ks < K - start, not one less.",
    r"<=?\s*\(?\s*K\b.*-\s*1\b",
    LOAD,
)
def last_product_left_out(inputs: Inputs, tile: Tile) -> Tensor:
    """The sum over k - 1 products."""
    a, b = inputs
    return product(a[:, :-1], b[:-1], tile)


@MISTAKES.add(
    "first-turn-again",
    "Every turn takes the first tile of a and the first of b: the pointers are not moved on, or the offsets do not "
    "hold the start of the turn.",
    "End each turn with a_ptrs += BLOCK_K * stride_ak and b_ptrs += BLOCK_K * stride_bk, or add the start of the turn "
    "to the offsets along K.",
    LOAD,
)
def first_turn_again(inputs: Inputs, tile: Tile) -> Tensor:
    """The first tile of both in every turn, as many products of it as the turn has."""
    (a, b), step = inputs, blocks_of(tile).k
    again = torch.arange(a.shape[1]) % step
    return product(a[:, again], b[again], tile)


@MISTAKES.add(
    "tile-of-a-again",
    "Every turn takes the first tile of a, and b moves on: the products do not belong together.",
    "Move a on as well: a_ptrs += BLOCK_K * stride_ak, or the start of the turn in its offsets along K.",
    MOVE_A,
    LOAD_A,
    LOAD,
)
def first_tile_of_a_again(inputs: Inputs, tile: Tile) -> Tensor:
    """The first tile of a in every turn, b as it should be."""
    (a, b), step = inputs, blocks_of(tile).k
    return product(a[:, torch.arange(a.shape[1]) % step], b, tile)


@MISTAKES.add(
    "tile-of-b-again",
    "Every turn takes the first tile of b, and a moves on: the products do not belong together.",
    "Move b on as well: b_ptrs += BLOCK_K * stride_bk, or the start of the turn in its offsets along K.",
    MOVE_B,
    LOAD_B,
    LOAD,
)
def first_tile_of_b_again(inputs: Inputs, tile: Tile) -> Tensor:
    """The first tile of b in every turn, a as it should be."""
    (a, b), step = inputs, blocks_of(tile).k
    return product(a, b[torch.arange(a.shape[1]) % step], tile)


@MISTAKES.also("first-turn-again")
def whole_first_tile_again(inputs: Inputs, tile: Tile) -> Tensor:
    """The first tile of both, with a mask of its own, as often as there are turns."""
    (a, b), step = inputs, blocks_of(tile).k
    return activated(-(-a.shape[1] // step) * (a[:, :step] @ b[:step]), tile)


@MISTAKES.add(
    "later-turns-masked",
    "From the second turn on the masks let nothing through, or next to nothing: what is left of K is counted wrongly.",
    "In the turn that begins at product start, K - start are left; in turn number i, K - i * BLOCK_K.",
    r"(?i)\bk\w*\s*-\s*\w+\s*\*",
    LOAD,
    unless=(r"(?i)\brange\(.*(cdiv|//)|^\s*break\b", r""),
    needs=r"(?i)\brange\((0,\s*)?k\w*\s*,.*(block|bk|tile)",
)
def what_is_left_counted_twice(inputs: Inputs, tile: Tile) -> Tensor:
    """K - start * BLOCK_K products in the turn that begins at `start`."""
    (a, b), step, acc = inputs, blocks_of(tile).k, zeros(inputs)
    for start, width in _spans(a.shape[1], step):
        seen = slice(start, start + max(0, min(width, a.shape[1] - start * step)))
        acc += a[:, seen] @ b[seen]
    return activated(acc, tile)


@MISTAKES.also("later-turns-masked")
def later_turns_masked(inputs: Inputs, tile: Tile) -> Tensor:
    """The first tile of both, and zeros in later turns."""
    (a, b), step = inputs, blocks_of(tile).k
    return product(a[:, :step], b[:step], tile)


@MISTAKES.add(
    "first-turn-only",
    "Only the first tile along K counts: there is one turn, because the loop is missing, or because it counts tiles "
    "and steps by their size.",
    "Go through all of K: for start in range(0, K, BLOCK_K).",
    r"^\s*for\b.*range\(.*cdiv.*,.*,",
    LOOP,
    DOT,
)
def first_turn_only(inputs: Inputs, tile: Tile) -> Tensor:
    """The first tile of both."""
    (a, b), step = inputs, blocks_of(tile).k
    return product(a[:, :step], b[:step], tile)


@MISTAKES.also("first-turn-only")
def tiles_counted_as_products(inputs: Inputs, tile: Tile) -> Tensor:
    """The turns of range(0, cdiv(k, BLOCK_K), BLOCK_K): one, but of long sums."""
    (a, b), step = inputs, blocks_of(tile).k
    tiles = -(-a.shape[1] // step)
    seen = -(-tiles // step) * step
    return product(a[:, :seen], b[:seen], tile)


@MISTAKES.add(
    "last-turn-only",
    "Only the last tile along K counts: every turn overwrites the accumulator, or sets it to 0 first.",
    "Set {acc} to 0 once, before the loop, and add to it: {acc} = tl.dot(a, b, {acc}).",
    r"acc\w*\s*=\s*tl\.dot\((?!.*acc)",
    START,
    ACC,
)
def last_turn_only(inputs: Inputs, tile: Tile) -> Tensor:
    """The last tile of both."""
    parts = turns(inputs, tile)
    return activated(parts[-1] if parts else zeros(inputs), tile)


@MISTAKES.add(
    "moved-on-too-little",
    "A turn moves on by one product in place of a whole tile, in a, in b or in both: products count several times, and "
    "the end of K is not reached.",
    "Move on by a tile: a_ptrs += BLOCK_K * stride_ak and b_ptrs += BLOCK_K * stride_bk.",
    rf"{MOVE}(?!.*(?i:BLOCK|TILE|\bBK\b))",
    MOVE,
    LOAD,
)
def moved_on_by_one(inputs: Inputs, tile: Tile) -> Tensor:
    """Turn j begins at product j, in both."""
    a, b = inputs
    return activated(_from_turns(a, b, tile, slow_a=True, slow_b=True), tile)


@MISTAKES.also("moved-on-too-little")
def a_moved_on_by_one(inputs: Inputs, tile: Tile) -> Tensor:
    """Turn j begins at product j, in a."""
    a, b = inputs
    return activated(_from_turns(a, b, tile, slow_a=True), tile)


@MISTAKES.also("moved-on-too-little")
def b_moved_on_by_one(inputs: Inputs, tile: Tile) -> Tensor:
    """Turn j begins at product j, in b."""
    a, b = inputs
    return activated(_from_turns(a, b, tile, slow_b=True), tile)


def _from_turns(a: Tensor, b: Tensor, tile: Tile, slow_a: bool = False, slow_b: bool = False) -> Tensor:
    """Return the sums of a kernel whose turns begin too early in one tensor or both; masks are those of the turn."""
    c = torch.zeros(a.shape[0], b.shape[1])
    for number, (start, width) in enumerate(_spans(a.shape[1], blocks_of(tile).k)):
        in_a, in_b = (number if slow else start for slow in (slow_a, slow_b))
        c += a[:, in_a : in_a + width] @ b[in_b : in_b + width]
    return c


def _spans(k: int, step: int) -> Iterator[tuple[int, int]]:
    return ((start, min(step, k - start)) for start in range(0, k, step))


@MISTAKES.add(
    "padding-not-zero",
    "What lies past the end of K counts: masked lanes hold another number than 0.",
    "Mask both loads along K, with other=0.0.",
    r"other\s*=\s*(?!0)",
    LOAD,
)
def padded_with_one(inputs: Inputs, tile: Tile) -> Tensor:
    """1 in all lanes past the end, of both."""
    return _padded(inputs, tile, 1.0)


@MISTAKES.also("padding-not-zero")
def padded_with_minus_inf(inputs: Inputs, tile: Tile) -> Tensor:
    """-inf in all lanes past the end, of both."""
    return _padded(inputs, tile, torch.inf)


@MISTAKES.also("padding-not-zero")
def padded_with_nan(inputs: Inputs, tile: Tile) -> Tensor:
    """-inf in the lanes past the end of one of both: 0 * inf is NaN."""
    return _padded(inputs, tile, torch.nan)


def _padded(inputs: Inputs, tile: Tile, square: float) -> Tensor:
    """Return the sums with a product of two lanes past the end for each that is missing in the last tile."""
    (a, b), missing = inputs, -inputs[0].shape[1] % blocks_of(tile).k
    return activated(a @ b + (missing * square if missing else 0.0), tile)


@MISTAKES.add(
    "accumulator-not-at-zero",
    "The accumulator does not start at 0: every sum is too large by what it starts with.",
    "{acc} = tl.zeros((BLOCK_M, BLOCK_N), tl.float32), before the loop.",
    START,
    ACC,
)
def starts_at_one(inputs: Inputs, tile: Tile) -> Tensor:
    """acc = 1."""
    a, b = inputs
    return activated(a @ b + 1, tile)


@MISTAKES.add(
    "added-twice",
    "What earlier turns have added counts again in every turn: tl.dot adds to {acc} already.",
    "Either {acc} = tl.dot(a, b, {acc}) or {acc} += tl.dot(a, b), not both.",
    r"acc\w*\s*\+=\s*tl\.dot\(.*acc",
    ACC,
)
def added_twice(inputs: Inputs, tile: Tile) -> Tensor:
    """acc += dot(a, b, acc)."""
    acc = zeros(inputs)
    for part in turns(inputs, tile):
        acc = 2 * acc + part
    return activated(acc, tile)
