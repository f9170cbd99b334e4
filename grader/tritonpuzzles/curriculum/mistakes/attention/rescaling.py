"""Mistakes of the running state: what is rescaled, divided and added, and when. q, k, v: (n, d) float32."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Tile
from tritonpuzzles.curriculum.mistakes.attention.common import (
    ACC,
    EXP,
    MAX,
    MISTAKES,
    STORE,
    SUM,
    loop,
    one,
    scores_of,
)


@MISTAKES.add(
    "acc-not-rescaled",
    "The accumulator is not rescaled when the running maximum grows. What was added before belongs to a smaller one "
    "and weighs too much.",
    "Multiply {acc} by the same {alpha} = exp({m_old} - {m_new}) as the sum, in every step.",
    ACC,
)
def acc_not_rescaled(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """acc += p v, without alpha."""
    q, k, v = inputs
    acc, l = loop(scores_of(q, k), v, tile.cols, acc_factor=one)
    return acc / l


@MISTAKES.add(
    "sum-not-rescaled",
    "The running sum is not rescaled when the running maximum grows. It comes out too large, and the output too small.",
    "Multiply {l} by the same {alpha} = exp({m_old} - {m_new}) as the accumulator, in every step.",
    SUM,
)
def sum_not_rescaled(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """l += sum(p), without alpha."""
    q, k, v = inputs
    acc, l = loop(scores_of(q, k), v, tile.cols, sum_factor=one)
    return acc / l


@MISTAKES.add(
    "nothing-rescaled",
    "Neither sum nor accumulator is rescaled when the running maximum grows: early keys weigh too much.",
    "Multiply both {l} and {acc} by {alpha} = exp({m_old} - {m_new}) in every step, taken before {m} becomes {m_new}.",
    r"alpha\w*\s*=",
    ACC,
)
def nothing_rescaled(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """No alpha at all."""
    q, k, v = inputs
    acc, l = loop(scores_of(q, k), v, tile.cols, one, one)
    return acc / l


@MISTAKES.add(
    "rescaled-the-wrong-way",
    "Sum and accumulator are multiplied by exp({m_new} - {m_old}), the inverse of the right factor.",
    "The factor is exp({m_old} - {m_new}): never above 1.",
    EXP,
)
def rescaled_the_wrong_way(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """alpha = exp(m_new - m)."""
    q, k, v = inputs
    acc, l = loop(scores_of(q, k), v, tile.cols, lambda m, n: torch.exp(n - m), lambda m, n: torch.exp(n - m))
    return acc / l


@MISTAKES.add(
    "max-of-last-tile",
    "The maximum is each tile's own in place of the running one: a tile with smaller scores shrinks nothing, it grows "
    "what came before.",
    "{m_new} = tl.maximum({m}, tl.max({s}, {axis})).",
    MAX,
)
def max_of_last_tile(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """m is each tile's own, and nothing is rescaled to it."""
    q, k, v = inputs
    acc, l = loop(scores_of(q, k), v, tile.cols, one, one, running=False)
    return acc / l


@MISTAKES.also("max-of-last-tile")
def max_of_last_tile_online(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """m is each tile's own, and what came before is rescaled to it, upwards too."""
    q, k, v = inputs
    acc, l = loop(scores_of(q, k), v, tile.cols, running=False)
    return acc / l


@MISTAKES.also("divided-twice")
def divided_in_the_loop(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """acc = (acc alpha + p v) / l in every step."""
    return _divided(inputs, tile, lambda before, product, l: (before + product) / l)


@MISTAKES.also("divided-twice")
def weights_divided_and_nothing_after(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """acc = acc alpha + (p / l) v, with the sum until there."""
    return _divided(inputs, tile, lambda before, product, l: before + product / l)


def _divided(inputs: tuple[Tensor, ...], tile: Tile, joined: Callable[[Tensor, Tensor, Tensor], Tensor]) -> Tensor:
    """Return acc after the loop; in every step it becomes `joined(acc alpha, p v, l)`."""
    q, k, v = inputs
    scores = scores_of(q, k)
    m, l, acc = None, torch.zeros_like(scores[:, :1]), torch.zeros_like(q)
    for start in range(0, k.shape[0], tile.cols):
        part = scores[:, start : start + tile.cols]
        top = part.amax(dim=1, keepdim=True)
        m_new = top if m is None else torch.maximum(m, top)
        alpha = torch.zeros_like(l) if m is None else torch.exp(m - m_new)
        p = torch.exp(part - m_new)
        l = l * alpha + p.sum(dim=1, keepdim=True)
        acc = joined(acc * alpha, p @ v[start : start + tile.cols], l)
        m = m_new
    return acc


@MISTAKES.also("divided-twice")
def divided_in_the_loop_and_after(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The same, and once more by the whole sum."""
    q, k, v = inputs
    return divided_in_the_loop(inputs, tile) / loop(scores_of(q, k), v, tile.cols)[1]


@MISTAKES.add(
    "not-normalised",
    "The accumulator is stored without being divided by the sum {l}.",
    "Divide {acc} by {l} once, after the loop.",
    STORE,
)
def not_normalised(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """acc itself."""
    q, k, v = inputs
    return loop(scores_of(q, k), v, tile.cols)[0]


@MISTAKES.add(
    "normalised-per-tile",
    "Every tile of keys is normalised by itself before it is added; the weights sum to the number of tiles.",
    "Divide once, after the loop, by the sum over all keys.",
    ACC,
)
def normalised_per_tile(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The sum of each block's own attention."""
    q, k, v = inputs
    starts = range(0, k.shape[0], tile.cols)
    parts = [torch.softmax(scores_of(q, k[s : s + tile.cols]), dim=1) @ v[s : s + tile.cols] for s in starts]
    return torch.stack(parts).sum(dim=0)
