"""Mistakes of the loop's turns: the same tile, the last tile alone, exponentials that do not fit each other.

q, k, v: (n, d) float32; `tile.cols` keys are taken in one step.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import pad

from tritonpuzzles.curriculum.mistakes import Tile
from tritonpuzzles.curriculum.mistakes.attention.common import (
    ACC,
    DOT,
    EXP,
    LOOP,
    MISTAKES,
    SUM,
    VALUES,
    WHERE,
    loop,
    none,
    scores_of,
)

LOG2E = 1.4426950408889634


@MISTAKES.add(
    "first-block-only",
    "Only the first block of keys, or of values, is ever read: every turn takes it again, or there is one turn.",
    "Move on in every turn, as far as {n}: {keys} = {start} + tl.arange(0, {BLOCK_N}), or add {BLOCK_N} rows to the "
    "pointers.",
    LOOP,
    still=True,
)
def first_block_only(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Attention to the first block of keys only; taken once or in every turn, it comes to the same."""
    q, k, v = inputs
    return torch.softmax(scores_of(q, k[: tile.cols]), dim=1) @ v[: tile.cols]


@MISTAKES.also("first-block-only")
def blocks_counted_as_keys(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The blocks of range(0, cdiv(n, BLOCK_N), BLOCK_N): one, but of long sequences."""
    q, k, v = inputs
    blocks = -(-k.shape[0] // tile.cols)
    seen = -(-blocks // tile.cols) * tile.cols
    return torch.softmax(scores_of(q, k[:seen]), dim=1) @ v[:seen]


@MISTAKES.also("first-block-only")
def first_block_in_every_turn(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The first block of both in every turn, as many of it as the turn has keys."""
    q, k, v = inputs
    return torch.softmax(scores_of(q, _again(k, tile.cols)), dim=1) @ _again(v, tile.cols)


@MISTAKES.also("first-block-only")
def first_keys_in_every_turn(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The first block of keys meets each block of values."""
    q, k, v = inputs
    return torch.softmax(scores_of(q, _again(k, tile.cols)), dim=1) @ v


@MISTAKES.also("first-block-only")
def first_values_in_every_turn(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Each block of keys meets the first block of values."""
    q, k, v = inputs
    return torch.softmax(scores_of(q, k), dim=1) @ _again(v, tile.cols)


def _again(rows: Tensor, cols: int) -> Tensor:
    """Return the first block over and over, in the shape of all rows."""
    return rows[torch.arange(rows.shape[0]) % cols]


@MISTAKES.add(
    "last-block-only",
    "Only the last block of keys counts: {m} is never set to {m_new}, so that exp({m} - {m_new}) is 0 in every turn, "
    "or {l} and {acc} are overwritten.",
    "End each turn with {m} = {m_new}; add to {l} and {acc}.",
    EXP,
)
def last_block_only(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Attention to the last block of keys only."""
    q, k, v = inputs
    start = (k.shape[0] - 1) // tile.cols * tile.cols
    return torch.softmax(scores_of(q, k[start:]), dim=1) @ v[start:]


@MISTAKES.add(
    "acc-of-last-tile",
    "The accumulator holds the last block of keys only: each turn overwrites what was added before, and the sum counts "
    "all.",
    "Add to {acc}: {acc} = {acc} * {alpha} + {p} v.",
    ACC,
    DOT,
)
def acc_overwritten(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """acc is that of the last block, and l is right."""
    q, k, v = inputs
    acc, l = loop(scores_of(q, k), v, tile.cols, acc_factor=none)
    return acc / l


@MISTAKES.add(
    "sum-of-last-tile",
    "The sum holds the last block of keys only: each turn overwrites what was summed before.",
    "Add to the sum: {l} = {l} * {alpha} + tl.sum({p}, {axis}).",
    SUM,
)
def sum_overwritten(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """l is that of the last block, and acc is right."""
    q, k, v = inputs
    acc, l = loop(scores_of(q, k), v, tile.cols, sum_factor=none)
    return acc / l


@MISTAKES.add(
    "tiles-overlap",
    "Each turn moves on by less than a tile, by one key or by half a tile: keys count several times, and where the "
    "turns are counted the end of the sequence is not reached.",
    "Move on by a tile: range(0, {n}, {BLOCK_N}), or {keys} = turn * {BLOCK_N} + tl.arange(0, {BLOCK_N}).",
    r"^\s*for\b.*range\(.*//\s*2",
    r"^\s*for\b.*range\(.*cdiv",
    LOOP,
    moving=True,
)
def blocks_one_key_apart(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Attention to blocks that begin at keys 0, 1, 2, ..., as many as it takes to cover the sequence."""
    q, k, v = inputs
    n = k.shape[0]
    keys = torch.cat([torch.arange(s, min(s + tile.cols, n)) for s in range(-(-n // tile.cols))])
    return torch.softmax(scores_of(q, k[keys]), dim=1) @ v[keys]


@MISTAKES.also("tiles-overlap")
def blocks_half_a_block_apart(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Attention to blocks that begin at keys 0, T / 2, T, ...: all keys behind the first half block count twice."""
    q, k, v = inputs
    each = torch.arange(k.shape[0])
    keys = torch.cat([each, each[max(1, tile.cols // 2) :]])
    return torch.softmax(scores_of(q, k[keys]), dim=1) @ v[keys]


@MISTAKES.add(
    "every-other-tile",
    "Every other tile of keys is left out: the loop's step is twice the tile.",
    "Move on by one tile in every turn: the step of the range is the number of keys in a tile.",
    LOOP,
)
def every_other_block(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Attention to the blocks that begin at keys 0, 2 T, 4 T, ..."""
    q, k, v = inputs
    seen = torch.arange(k.shape[0]) // tile.cols % 2 == 0
    return torch.softmax(scores_of(q, k[seen]), dim=1) @ v[seen]


@MISTAKES.add(
    "masked-lanes-as-inf",
    "What stands past the end of the sequence is infinite: scores of +inf, whose distance from their maximum is NaN, "
    "or values, whose weight is 0, and 0 * inf is NaN.",
    'Mask the scores with -float("inf"), with the minus, and load v with other=0.0.',
    r"tl\.where\(.*,\s*float\(",
    rf"{VALUES}.*inf",
    VALUES,
)
def masked_values_as_inf(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """NaN, unless the sequence fills its blocks."""
    q, k, v = inputs
    right = torch.softmax(scores_of(q, k), dim=1) @ v
    return right if k.shape[0] % tile.cols == 0 else torch.full_like(right, torch.nan)


@MISTAKES.add(
    "mask-inverted",
    "The scores of the keys that are there become -inf, and those past the end keep theirs: tl.where has its arguments "
    "in the wrong order.",
    '{s} = tl.where({key_mask}, {s}, -float("inf")): first what holds where the condition does.',
    WHERE,
)
def mask_inverted(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """-inf - (-inf) in every whole block; a lone partial block gives the keys past the end, whose values are 0."""
    q, k, _ = inputs
    return torch.full_like(q, torch.nan) if k.shape[0] >= tile.cols else torch.zeros_like(q)


@MISTAKES.add(
    "masked-lanes-too-high",
    "The keys past the end get a score that is low and not low enough: where all other scores are as low, they have "
    "weight.",
    '{s} = tl.where({key_mask}, {s}, -float("inf")): no score lies below it.',
    WHERE,
)
def masked_at_minus_20(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Scores of -20 past the end."""
    return _masked_at(inputs, tile, -20.0)


@MISTAKES.also("masked-lanes-too-high")
def masked_at_minus_50(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Scores of -50 past the end."""
    return _masked_at(inputs, tile, -50.0)


@MISTAKES.also("masked-lanes-too-high")
def masked_at_minus_100(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Scores of -100 past the end."""
    return _masked_at(inputs, tile, -100.0)


@MISTAKES.also("masked-lanes-too-high")
def masked_at_minus_1000(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Scores of -1,000 past the end."""
    return _masked_at(inputs, tile, -1e3)


@MISTAKES.also("masked-lanes-too-high")
def masked_at_minus_10000(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Scores of -10,000 past the end."""
    return _masked_at(inputs, tile, -1e4)


@MISTAKES.also("masked-lanes-too-high")
def masked_at_minus_1e9(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Scores of -1e9 past the end."""
    return _masked_at(inputs, tile, -1e9)


@MISTAKES.also("masked-lanes-too-high")
def masked_at_minus_1e30(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Scores of -1e30 past the end."""
    return _masked_at(inputs, tile, -1e30)


def _masked_at(inputs: tuple[Tensor, ...], tile: Tile, score: float) -> Tensor:
    q, k, v = inputs
    missing = -k.shape[0] % tile.cols
    scores = pad(scores_of(q, k), (0, missing), value=score)
    return torch.softmax(scores, dim=1) @ pad(v, (0, 0, 0, missing))


@MISTAKES.add(
    "exponentials-differ",
    "The weights and the factor for earlier blocks are exponentials of different numbers: one has exp2, log2(e) or the "
    "scale, and the other has not.",
    "Scale the scores first, and take the weights and the factor by the same function.",
    EXP,
)
def factor_to_the_wrong_base(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Weights by exp2 of scores with log2(e), the factor by exp of them."""
    return _differing(inputs, tile, LOG2E)


@MISTAKES.also("exponentials-differ")
def factor_by_exp2(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Weights by exp, the factor by exp2."""
    return _differing(inputs, tile, 1 / LOG2E)


@MISTAKES.also("exponentials-differ")
def factor_without_scale(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The scale in the weights alone."""
    return _differing(inputs, tile, inputs[0].shape[1] ** 0.5)


def _differing(inputs: tuple[Tensor, ...], tile: Tile, times: float) -> Tensor:
    """Return attention whose factor is exp(times * (m - m_new))."""
    q, k, v = inputs

    def factor(m: Tensor, m_new: Tensor) -> Tensor:
        return torch.exp(times * (m - m_new))

    acc, l = loop(scores_of(q, k), v, tile.cols, factor, factor)
    return acc / l
