"""Mistakes of the formula itself: scale, sign, base, axis, operands. q, k, v: (n, d) float32."""

from __future__ import annotations

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Tile
from tritonpuzzles.curriculum.mistakes.attention.common import DOT, EXP, KEYS, MISTAKES, STORE, rounded, scores_of


@MISTAKES.add(
    "max-starts-at-zero",
    "The running maximum starts at 0. Where every score lies far below, the weights underflow.",
    'Start {m} at -float("inf").',
    r"^\s*{m}\s*=\s*(0|tl\.zeros)",
    r"m\w*\s*=\s*(0|tl\.zeros)",
    by_text=True,
)
def max_starts_at_zero(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """m = max(0, s), and p is rounded to the inputs' dtype."""
    q, k, v = inputs
    scores = scores_of(q, k)
    return rounded(scores, scores.amax(dim=1, keepdim=True).clamp_min(0), v, tile.dtype)


@MISTAKES.add(
    "max-starts-too-high",
    "The running maximum starts at a number that is low and not low enough: where every score lies far below it, all "
    "weights underflow, and the output becomes 0 / 0.",
    'Start m at -float("inf").',
    r"m\w*\s*=.*-\s*\d",
)
def max_starts_at_minus_1e9(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """m = max(-1e9, s)."""
    return _from(inputs, tile, -1e9)


@MISTAKES.also("max-starts-too-high")
def max_starts_at_minus_1e30(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """m = max(-1e30, s)."""
    return _from(inputs, tile, -1e30)


@MISTAKES.also("max-starts-too-high")
def max_starts_at_minus_1000(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """m = max(-1,000, s)."""
    return _from(inputs, tile, -1e3)


def _from(inputs: tuple[Tensor, ...], tile: Tile, start: float) -> Tensor:
    q, k, v = inputs
    scores = scores_of(q, k)
    return rounded(scores, scores.amax(dim=1, keepdim=True).clamp_min(start), v, tile.dtype)


@MISTAKES.also("transposed-operand")
def keys_reshaped(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Each tile of keys (T, d) read as (d, T)."""
    q, k, v = inputs
    padded = torch.nn.functional.pad(k, (0, 0, 0, -k.shape[0] % tile.cols))
    parts = [q @ part.reshape(q.shape[1], tile.cols) for part in torch.split(padded, tile.cols)]
    scores = torch.cat(parts, dim=1)[:, : k.shape[0]] / q.shape[1] ** 0.5
    return torch.softmax(scores, dim=1) @ v


@MISTAKES.add(
    "scale-missing",
    "The scores are not divided by sqrt(d). The softmax is far too sharp.",
    "Multiply q k^T by 1 / sqrt(d).",
    DOT,
)
def scale_missing(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """softmax(q k^T) v."""
    q, k, v = inputs
    return torch.softmax(q @ k.mT, dim=1) @ v


@MISTAKES.add(
    "scale-wrong",
    "The scores are divided by something else than sqrt(d): d itself, as by the scale taken twice, or the root of the "
    "length.",
    "The scale is d ** -0.5, and the scores are multiplied by it once.",
    r"\*\s*\w*scale|scale\w*\s*\*",
    r"scale",
)
def scale_wrong(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """softmax(q k^T / d) v."""
    q, k, v = inputs
    return torch.softmax(q @ k.mT / q.shape[1], dim=1) @ v


@MISTAKES.also("scale-wrong")
def scale_by_sqrt_n(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """softmax(q k^T / sqrt(n)) v."""
    q, k, v = inputs
    return torch.softmax(q @ k.mT / k.shape[0] ** 0.5, dim=1) @ v


@MISTAKES.add(
    "no-max-subtraction",
    "The running maximum is not subtracted before exp: large scores overflow, and far negative ones underflow.",
    "{p} = exp({s} - {m_new}{column}).",
    EXP,
)
def no_max_subtraction(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """exp(s) v / sum(exp(s)), with p rounded to the inputs' dtype."""
    q, k, v = inputs
    scores = scores_of(q, k)
    return rounded(scores, torch.zeros_like(scores[:, :1]), v, tile.dtype)


@MISTAKES.add(
    "causal-by-mistake",
    "Every query sees only the keys up to its own position: this puzzle's attention is not causal.",
    "Mask only keys past the end.",
    r"tl\.where\(",
)
def causal_by_mistake(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Causal attention."""
    q, k, v = inputs
    hidden = torch.ones(q.shape[0], k.shape[0], dtype=torch.bool).triu(1)
    return torch.softmax(scores_of(q, k).masked_fill(hidden, -torch.inf), dim=1) @ v


@MISTAKES.also("wrong-axis")
def wrong_axis(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """softmax(s, dim=0) v."""
    q, k, v = inputs
    return torch.softmax(scores_of(q, k), dim=0) @ v


@MISTAKES.add(
    "operands-swapped",
    "q and k are swapped: every key attends to the queries.",
    "s = q k^T has one row for each query.",
    DOT,
)
def operands_swapped(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """softmax(k q^T) v."""
    q, k, v = inputs
    return torch.softmax(scores_of(k, q), dim=1) @ v


@MISTAKES.add(
    "queries-for-keys",
    "The queries meet queries: the rows of q stand where those of k should.",
    "Load k from k_ptr, with the row stride of k.",
    KEYS,
    DOT,
)
def queries_for_keys(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """softmax(q q^T) v."""
    q, _, v = inputs
    return torch.softmax(scores_of(q, q), dim=1) @ v


@MISTAKES.add(
    "wrong-base",
    "exp2 is used on the scores themselves: 2^s is not e^s.",
    "Fold log2(e) = 1.4426950408889634 into the scale before tl.exp2.",
    r"exp2\(",
)
def wrong_base(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """softmax(s log(2)) v."""
    q, k, v = inputs
    return torch.softmax(scores_of(q, k) * 0.6931471805599453, dim=1) @ v


@MISTAKES.add(
    "wrong-sign",
    "The exponent has the wrong sign: the worst match gets the largest weight.",
    "{p} = exp({s} - {m_new}), with s = q k^T / sqrt(d).",
    EXP,
)
def wrong_sign(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """softmax(-s) v."""
    q, k, v = inputs
    return torch.softmax(-scores_of(q, k), dim=1) @ v


@MISTAKES.add(
    "uniform-weights",
    "Every key gets the same weight: the output is the mean of v.",
    "Multiply {p}, the exponentials of the scores, with v.",
    DOT,
)
def uniform_weights(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """mean(v)."""
    q, _, v = inputs
    return v.mean(dim=0, keepdim=True).expand(q.shape)


@MISTAKES.add(
    "values-not-weighted",
    "The output is v itself: nothing is attended to.",
    "o = softmax(q k^T / sqrt(d)) v.",
    STORE,
)
def values_not_weighted(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """v."""
    return inputs[2]
