"""What wrong attention kernels compute. q, k, v: (n, d) float32; `tile.cols` keys are taken in one step."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Mistakes, Tile

MISTAKES = Mistakes()
DOT, SUM, MAX, EXP, STORE, LOAD = (
    r"tl\.dot\(",
    r"tl\.sum\(",
    r"tl\.max(imum)?\(",
    r"tl\.exp2?\(",
    r"tl\.store\(",
    r"tl\.load\(",
)
ACC, LOOP = r"acc\w*\s*[*+]?=", r"^\s*(for|while)\b"

Factor = Callable[[Tensor, Tensor], Tensor]


def _scores(q: Tensor, k: Tensor) -> Tensor:
    scores: Tensor = q @ k.mT / q.shape[1] ** 0.5
    return scores


def _right(m: Tensor, m_new: Tensor) -> Tensor:
    return torch.exp(m - m_new)


def _one(m: Tensor, m_new: Tensor) -> Tensor:
    return torch.ones_like(m)


def _loop(
    scores: Tensor, v: Tensor, cols: int, sum_factor: Factor = _right, acc_factor: Factor = _right, running: bool = True
) -> tuple[Tensor, Tensor]:
    """Return acc and l after the FlashAttention-2 loop with these factors; without `running`, m is each tile's own."""
    m = torch.full_like(scores[:, :1], torch.finfo(torch.float32).min)
    l, acc = torch.zeros_like(m), torch.zeros_like(scores[:, :1] * v[:1])
    for start in range(0, scores.shape[1], cols):
        part = scores[:, start : start + cols]
        top = part.amax(dim=1, keepdim=True)
        m_new = torch.maximum(m, top) if running else top
        p = torch.exp(part - m_new)
        first = start == 0
        l = (0 * l if first else l * sum_factor(m, m_new)) + p.sum(dim=1, keepdim=True)
        acc = (0 * acc if first else acc * acc_factor(m, m_new)) + p @ v[start : start + cols]
        m = m_new
    return acc, l


@MISTAKES.add(
    "acc-not-rescaled",
    "The accumulator is not rescaled when the running maximum grows. What was added before belongs to a smaller one "
    "and weighs too much.",
    "Multiply acc by the same alpha = exp(m_old - m_new) as the sum, in every step.",
    ACC,
)
def acc_not_rescaled(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """acc += p v, without alpha."""
    q, k, v = inputs
    acc, l = _loop(_scores(q, k), v, tile.cols, acc_factor=_one)
    return acc / l


@MISTAKES.add(
    "sum-not-rescaled",
    "The running sum is not rescaled when the running maximum grows. It comes out too large, and the output too small.",
    "Multiply l by the same alpha = exp(m_old - m_new) as the accumulator, in every step.",
    SUM,
)
def sum_not_rescaled(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """l += sum(p), without alpha."""
    q, k, v = inputs
    acc, l = _loop(_scores(q, k), v, tile.cols, sum_factor=_one)
    return acc / l


@MISTAKES.add(
    "nothing-rescaled",
    "Neither sum nor accumulator is rescaled when the running maximum grows: early keys weigh too much.",
    "Multiply both l and acc by alpha = exp(m_old - m_new) in every step.",
    ACC,
)
def nothing_rescaled(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """No alpha at all."""
    q, k, v = inputs
    acc, l = _loop(_scores(q, k), v, tile.cols, _one, _one)
    return acc / l


@MISTAKES.add(
    "rescaled-the-wrong-way",
    "Sum and accumulator are multiplied by exp(m_new - m_old), the inverse of the right factor.",
    "The factor is exp(m_old - m_new): never above 1.",
    EXP,
)
def rescaled_the_wrong_way(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """alpha = exp(m_new - m)."""
    q, k, v = inputs
    acc, l = _loop(_scores(q, k), v, tile.cols, lambda m, n: torch.exp(n - m), lambda m, n: torch.exp(n - m))
    return acc / l


@MISTAKES.add(
    "max-of-last-tile",
    "The maximum is each tile's own in place of the running one: a tile with smaller scores shrinks nothing, it grows "
    "what came before.",
    "m_new = tl.maximum(m, tl.max(s, axis=1)).",
    MAX,
)
def max_of_last_tile(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """m is each tile's own, and nothing is rescaled to it."""
    q, k, v = inputs
    acc, l = _loop(_scores(q, k), v, tile.cols, _one, _one, running=False)
    return acc / l


@MISTAKES.add(
    "divided-twice",
    "The accumulator is divided by the sum inside the loop, where the sum is not complete yet.",
    "Divide acc by l[:, None] once, after the loop.",
    ACC,
)
def divided_in_the_loop(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """acc = (acc alpha + p v) / l in every step."""
    q, k, v = inputs
    scores = _scores(q, k)
    m, l, acc = None, torch.zeros_like(scores[:, :1]), torch.zeros_like(q)
    for start in range(0, k.shape[0], tile.cols):
        part = scores[:, start : start + tile.cols]
        top = part.amax(dim=1, keepdim=True)
        m_new = top if m is None else torch.maximum(m, top)
        alpha = torch.zeros_like(l) if m is None else torch.exp(m - m_new)
        p = torch.exp(part - m_new)
        l = l * alpha + p.sum(dim=1, keepdim=True)
        acc = (acc * alpha + p @ v[start : start + tile.cols]) / l
        m = m_new
    return acc


@MISTAKES.also("divided-twice")
def divided_in_the_loop_and_after(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The same, and once more by the whole sum."""
    q, k, v = inputs
    return divided_in_the_loop(inputs, tile) / _loop(_scores(q, k), v, tile.cols)[1]


@MISTAKES.add(
    "max-starts-at-zero",
    "The running maximum starts at 0. Where every score lies far below, the weights underflow.",
    'Start m at -float("inf").',
    r"m\w*\s*=\s*(0|tl\.zeros)",
)
def max_starts_at_zero(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """m = max(0, s), and p is rounded to the inputs' dtype."""
    q, k, v = inputs
    scores = _scores(q, k)
    return _rounded(scores, scores.amax(dim=1, keepdim=True).clamp_min(0), v, tile.dtype)


@MISTAKES.add(
    "one-max-for-the-tile",
    "One maximum is taken for all the queries of a tile. Queries whose scores lie far below it underflow.",
    "Reduce along the keys only: tl.max(s, axis=1).",
    MAX,
)
def one_max_for_the_tile(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """m = max over all queries of the tile."""
    q, k, v = inputs
    scores = _scores(q, k)
    tops = [part.amax().expand(part.shape[0], 1) for part in torch.split(scores, tile.rows)]
    return _rounded(scores, torch.cat(tops), v, tile.dtype)


def _rounded(scores: Tensor, m: Tensor, v: Tensor, dtype: torch.dtype) -> Tensor:
    """Return attention relative to m, with p rounded to `dtype` before the product."""
    p = torch.exp(scores - m)
    return p.to(dtype).float() @ v / p.sum(dim=1, keepdim=True)


@MISTAKES.add(
    "values-shifted",
    "The weights meet the wrong values: the rows of v stand one beside their keys, or k is read in their place.",
    "Load v with the same key offsets as k, from v_ptr.",
    LOAD,
)
def keys_for_values(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """softmax(s) k."""
    q, k, _ = inputs
    return torch.softmax(_scores(q, k), dim=1) @ k


@MISTAKES.also("values-shifted")
def values_one_late(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """v[1:] in place of v."""
    q, k, v = inputs
    return torch.softmax(_scores(q, k), dim=1) @ torch.cat([v[1:], torch.zeros_like(v[:1])])


@MISTAKES.also("values-shifted")
def values_one_early(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """v moved down by one row."""
    q, k, v = inputs
    return torch.softmax(_scores(q, k), dim=1) @ torch.cat([torch.zeros_like(v[:1]), v[:-1]])


@MISTAKES.add(
    "transposed-operand",
    "The tile of keys is reshaped where it must be transposed: its numbers stay in order and meet the wrong queries.",
    "tl.trans(k), or load the tile with swapped offsets.",
    DOT,
)
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
    "The scores are divided by something else than sqrt(d): d itself, or the root of the length.",
    "The scale is d ** -0.5.",
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
    "key-mask-missing",
    "The keys past the end of the sequence are zeros with a score of 0, and they get weight exp(0 - m). They must get "
    "none.",
    'Mask the scores: s = tl.where(keys[None, :] < n, s, -float("inf")).',
    r"tl\.dot\(\s*q",
)
def key_mask_missing(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Attention with k and v padded with zeros to whole tiles."""
    q, k, v = inputs
    pad = (0, 0, 0, -k.shape[0] % tile.cols)
    k, v = torch.nn.functional.pad(k, pad), torch.nn.functional.pad(v, pad)
    return torch.softmax(_scores(q, k), dim=1) @ v


@MISTAKES.add(
    "last-block-skipped",
    "The last, partial block of keys is left out: the loop runs over whole blocks only.",
    "Round the number of blocks up: range(0, n, BLOCK_N), with a mask in the last.",
    LOOP,
)
def last_block_skipped(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Attention to whole blocks of keys only."""
    q, k, v = inputs
    whole = k.shape[0] // tile.cols * tile.cols
    if not whole:
        return torch.full_like(q, torch.nan)
    return torch.softmax(_scores(q, k[:whole]), dim=1) @ v[:whole]


@MISTAKES.also("last-block-skipped")
def first_block_only(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Attention to the first block of keys only."""
    q, k, v = inputs
    return torch.softmax(_scores(q, k[: tile.cols]), dim=1) @ v[: tile.cols]


@MISTAKES.add(
    "last-key-skipped",
    "The last key is left out.",
    "The mask is keys < n, not keys < n - 1.",
    r"<\s*n\b",
)
def last_key_skipped(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Attention to all keys but the last."""
    q, k, v = inputs
    if k.shape[0] < 2:
        return torch.full_like(q, torch.nan)
    return torch.softmax(_scores(q, k[:-1]), dim=1) @ v[:-1]


@MISTAKES.add(
    "not-normalised",
    "The accumulator is stored without being divided by the sum l.",
    "Divide acc by l[:, None] once, after the loop.",
    STORE,
)
def not_normalised(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """acc itself."""
    q, k, v = inputs
    return _loop(_scores(q, k), v, tile.cols)[0]


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
    parts = [torch.softmax(_scores(q, k[s : s + tile.cols]), dim=1) @ v[s : s + tile.cols] for s in starts]
    return torch.stack(parts).sum(dim=0)


@MISTAKES.add(
    "no-max-subtraction",
    "The running maximum is not subtracted before exp: large scores overflow, and far negative ones underflow.",
    "p = exp(s - m_new[:, None]).",
    EXP,
)
def no_max_subtraction(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """exp(s) v / sum(exp(s)), with p rounded to the inputs' dtype."""
    q, k, v = inputs
    scores = _scores(q, k)
    return _rounded(scores, torch.zeros_like(scores[:, :1]), v, tile.dtype)


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
    return torch.softmax(_scores(q, k).masked_fill(hidden, -torch.inf), dim=1) @ v


@MISTAKES.add(
    "wrong-axis",
    "The softmax runs over the queries in place of the keys.",
    "Reduce along axis 1: one maximum and one sum for each query.",
    r"axis\s*=\s*0",
)
def wrong_axis(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """softmax(s, dim=0) v."""
    q, k, v = inputs
    return torch.softmax(_scores(q, k), dim=0) @ v


@MISTAKES.add(
    "operands-swapped",
    "q and k are swapped: every key attends to the queries.",
    "s = q k^T has one row for each query.",
    DOT,
)
def operands_swapped(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """softmax(k q^T) v."""
    q, k, v = inputs
    return torch.softmax(_scores(k, q), dim=1) @ v


@MISTAKES.add(
    "wrong-base",
    "exp2 is used on the scores themselves: 2^s is not e^s.",
    "Fold log2(e) = 1.4426950408889634 into the scale before tl.exp2.",
    r"exp2\(",
)
def wrong_base(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """softmax(s log(2)) v."""
    q, k, v = inputs
    return torch.softmax(_scores(q, k) * 0.6931471805599453, dim=1) @ v


@MISTAKES.add(
    "wrong-sign",
    "The exponent has the wrong sign: the worst match gets the largest weight.",
    "p = exp(s - m_new), with s = q k^T / sqrt(d).",
    EXP,
)
def wrong_sign(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """softmax(-s) v."""
    q, k, v = inputs
    return torch.softmax(-_scores(q, k), dim=1) @ v


@MISTAKES.add(
    "uniform-weights",
    "Every key gets the same weight: the output is the mean of v.",
    "Multiply p, the exponentials of the scores, with v.",
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


@MISTAKES.add(
    "tf32",
    "The products are computed in TF32, which keeps 10 of the 23 bits: it is the default of tl.dot for float32.",
    'Pass input_precision="ieee" to tl.dot where the inputs are float32.',
    DOT,
)
def tf32(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Attention with the operands of both products cut to TF32."""
    q, k, v = (_cut(tensor) for tensor in inputs)
    scores = _scores(q, k)
    p = torch.exp(scores - scores.amax(dim=1, keepdim=True))
    return _cut(p) @ v / p.sum(dim=1, keepdim=True)


def _cut(x: Tensor) -> Tensor:
    return (x.contiguous().view(torch.int32) & ~0x1FFF).view(torch.float32)
