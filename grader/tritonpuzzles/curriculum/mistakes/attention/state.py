"""Mistakes of the running state: what is rescaled, added, divided and rounded, and when."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import TF32, Emulation
from tritonpuzzles.curriculum.mistakes.attention.machine import MISTAKES, as_inputs, attention
from tritonpuzzles.curriculum.mistakes.lines import ACC, DOT, EXP, FACTOR, MAX, STORE, SUM

LN2 = 0.6931471805599453

MISTAKES.add(
    "acc-not-rescaled",
    "The accumulator is not rescaled when the running maximum grows. The terms added so far were computed with a "
    "smaller one and weigh too much.",
    "Multiply {acc} by the same {alpha} = exp({m_old} - {m_new}) as the sum, in every iteration.",
    ACC,
    by=attention(acc_factor=torch.ones_like),
)
MISTAKES.add(
    "sum-not-rescaled",
    "The running sum is not rescaled when the running maximum grows. It becomes too large, and the output too small.",
    "Multiply {l} by the same {alpha} = exp({m_old} - {m_new}) as the accumulator, in every iteration.",
    SUM,
    by=attention(sum_factor=torch.ones_like),
)
MISTAKES.add(
    "nothing-rescaled",
    "Neither the sum nor the accumulator is rescaled when the running maximum grows: early keys weigh too much.",
    "Multiply {l} and {acc} by {alpha} = exp({m_old} - {m_new}) in each iteration, taken before {m} becomes {m_new}.",
    *(FACTOR, ACC),
    by=attention(factor=torch.ones_like),
)
MISTAKES.add(
    "rescaled-the-wrong-way",
    "The sum and the accumulator are multiplied by exp({m_new} - {m_old}), the inverse of the right factor.",
    "Multiply by exp({m_old} - {m_new}), which is never above 1.",
    EXP,
    by=attention(exponent=lambda d: -1),
)
MISTAKES.add(
    "factor-without-exp",
    "The sum and the accumulator are multiplied by {m_old} - {m_new} itself: exp is missing in the factor.",
    "Multiply by tl.exp({m_old} - {m_new}).",
    *(FACTOR, ACC),
    by=attention(factor=lambda change: change),
)
MISTAKES.add(
    "exponentials-differ",
    "The weights and the factor for earlier blocks do not match: one uses exp2, log2(e) or the scale, and the other "
    "does not.",
    "Scale the scores first, and compute the weights and the factor with the same function.",
    EXP,
    # log2(e) with exp in the factor only; exp2 in the factor only; the scale in the weights only
    by=[attention(exponent=exponent) for exponent in (lambda d: 1 / LN2, lambda d: LN2, lambda d: d**0.5)],
)
MISTAKES.add(
    "new-terms-rescaled-too",
    "The factor is applied after the tile's terms are added. These are already relative to the new maximum, and the "
    "first tile, whose factor is 0, is lost.",
    "Rescale only the old values: {acc} = {acc} * {alpha} + {p} v, and {l} likewise.",
    ACC,
    by=[attention(late=late, rounded=as_inputs) for late in (("acc",), ("l", "acc"))],
)
MISTAKES.add(
    "max-of-last-tile",
    "Each tile's own maximum is used in place of the running one: the earlier sums get no factor, or one above 1 if "
    "the tile's scores are smaller.",
    "Keep the larger of the two: {m_new} = tl.maximum({m}, tl.max({s}, {axis})).",
    MAX,
    by=[attention(running=False, factor=torch.ones_like), attention(running=False)],
)
MISTAKES.add(
    "acc-of-last-tile",
    "The accumulator holds the last block of keys only: each iteration overwrites the earlier blocks, but the sum "
    "includes all.",
    "Add to {acc}: {acc} = {acc} * {alpha} + {p} v.",
    *(ACC, DOT),
    by=attention(acc_factor=torch.zeros_like),
)
MISTAKES.add(
    "sum-of-last-tile",
    "The sum holds the last block of keys only: each iteration overwrites the earlier sum.",
    "Add to the sum: {l} = {l} * {alpha} + tl.sum({p}, {axis}).",
    SUM,
    by=attention(sum_factor=torch.zeros_like),
)
MISTAKES.add(
    "divided-twice",
    "The weights or the accumulator are divided by the sum inside the loop, where the sum is not complete yet.",
    "Divide {acc} by {l} once, after the loop.",
    ACC,
    by=[
        attention(divided="p", rounded=as_inputs),
        attention(divided="acc", normalised=False),
        attention(divided="p", normalised=False),
        attention(divided="acc"),
    ],
)
MISTAKES.add(
    "not-normalised",
    "The accumulator is stored without being divided by the sum {l}.",
    "Divide {acc} by {l} once, after the loop.",
    STORE,
    by=attention(normalised=False),
)
MISTAKES.add(
    "normalised-per-tile",
    "Every tile of keys is normalised by itself before it is added; the weights sum to the number of tiles.",
    "Divide once, after the loop, by the sum over all keys.",
    ACC,
    by=attention(running=False, sum_factor=torch.zeros_like, acc_factor=torch.ones_like, divided="p", normalised=False),
)


def in_tf32(bits: int) -> Emulation:
    """Return an emulation that cuts all operands to TF32, as tensor cores do, after adding `bits` to the lost bits."""

    def cut(x: Tensor) -> Tensor:
        return ((x.contiguous().view(torch.int32) + bits) & ~0x1FFF).view(torch.float32)

    return attention(score=lambda q, k: cut(q) @ cut(k).mT, rounded=lambda x, dtype: cut(x))


MISTAKES.by_code[TF32.code] = replace(TF32, emulations=(in_tf32(0), in_tf32(0x1000)))  # cut, or rounded to nearest
MISTAKES.add(
    "low-precision",
    "The weights are rounded to fewer bits than the inputs have, or the accumulator is rounded between two tiles.",
    "Round {p} to the inputs' own dtype, {p}.to(v.dtype), and keep {acc} in float32.",
    *(r"float16", DOT),
    by=[
        attention(rounded=lambda x, dtype: x.bfloat16().float()),
        attention(kept=lambda acc: acc.half().float(), rounded=as_inputs),
        attention(rounded=lambda x, dtype: x.half().float()),
    ],
)
MISTAKES.add(
    "values-not-weighted",
    "The output is v itself: no weights are applied.",
    "Compute o = softmax(q k^T / sqrt(d)) v.",
    STORE,
    by=lambda inputs, tile: inputs[2],
)
