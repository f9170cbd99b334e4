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
    "The accumulator is not rescaled when the running maximum grows. What was added before belongs to a smaller one "
    "and weighs too much.",
    "Multiply {acc} by the same {alpha} = exp({m_old} - {m_new}) as the sum, in every step.",
    ACC,
    by=attention(acc_factor=torch.ones_like),
)
MISTAKES.add(
    "sum-not-rescaled",
    "The running sum is not rescaled when the running maximum grows. It comes out too large, and the output too small.",
    "Multiply {l} by the same {alpha} = exp({m_old} - {m_new}) as the accumulator, in every step.",
    SUM,
    by=attention(sum_factor=torch.ones_like),
)
MISTAKES.add(
    "nothing-rescaled",
    "Neither sum nor accumulator is rescaled when the running maximum grows: early keys weigh too much.",
    "Multiply both {l} and {acc} by {alpha} = exp({m_old} - {m_new}) in every step, taken before {m} becomes {m_new}.",
    *(FACTOR, ACC),
    by=attention(factor=torch.ones_like),
)
MISTAKES.add(
    "rescaled-the-wrong-way",
    "Sum and accumulator are multiplied by exp({m_new} - {m_old}), the inverse of the right factor.",
    "The factor is exp({m_old} - {m_new}): never above 1.",
    EXP,
    by=attention(exponent=lambda d: -1),
)
MISTAKES.add(
    "factor-without-exp",
    "Sum and accumulator are multiplied by {m_old} - {m_new} itself: exp is missing in the factor.",
    "The factor is tl.exp({m_old} - {m_new}).",
    *(FACTOR, ACC),
    by=attention(factor=lambda change: change),
)
MISTAKES.add(
    "exponentials-differ",
    "The weights and the factor for earlier blocks are exponentials of different numbers: one has exp2, log2(e) or the "
    "scale, and the other has not.",
    "Scale the scores first, and take the weights and the factor by the same function.",
    EXP,
    # log2(e) with exp in the factor only; exp2 in the factor only; the scale in the weights only
    by=[attention(exponent=exponent) for exponent in (lambda d: 1 / LN2, lambda d: LN2, lambda d: d**0.5)],
)
MISTAKES.add(
    "new-terms-rescaled-too",
    "The factor is applied after the tile's own terms were added. Those already belong to the new maximum, and the "
    "first tile, whose factor is 0, is lost.",
    "{acc} = {acc} * {alpha} + {p} v: rescale what was there before alone, and {l} likewise.",
    ACC,
    by=[attention(late=late, rounded=as_inputs) for late in (("acc",), ("l", "acc"))],
)
MISTAKES.add(
    "max-of-last-tile",
    "The maximum is each tile's own in place of the running one: a tile with smaller scores shrinks nothing, it grows "
    "what came before.",
    "{m_new} = tl.maximum({m}, tl.max({s}, {axis})).",
    MAX,
    by=[attention(running=False, factor=torch.ones_like), attention(running=False)],
)
MISTAKES.add(
    "acc-of-last-tile",
    "The accumulator holds the last block of keys only: each iteration overwrites what was added before, and the sum "
    "counts all.",
    "Add to {acc}: {acc} = {acc} * {alpha} + {p} v.",
    *(ACC, DOT),
    by=attention(acc_factor=torch.zeros_like),
)
MISTAKES.add(
    "sum-of-last-tile",
    "The sum holds the last block of keys only: each iteration overwrites what was summed before.",
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
    "The weights are rounded to 16 bits where the inputs have more, or the accumulator is between two tiles.",
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
    "The output is v itself: nothing is attended to.",
    "o = softmax(q k^T / sqrt(d)) v.",
    STORE,
    by=lambda inputs, tile: inputs[2],
)
