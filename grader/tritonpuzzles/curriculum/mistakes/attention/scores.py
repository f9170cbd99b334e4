"""Mistakes of the scores and of the weights: scale, mask, maximum, axis, exponent."""

import torch

from tritonpuzzles.curriculum.mistakes.attention.machine import MISTAKES, as_inputs, attention
from tritonpuzzles.curriculum.mistakes.lines import ACC, DOT, EXP, MAX, WEIGHTS, WHERE

MISTAKES.add(
    "transposed-operand",
    "The tile of keys is reshaped, not transposed, or the scores are transposed: the scores do not belong to their "
    "query and key.",
    "Compute s = tl.dot(q, tl.trans(k)): one row for each query, one column for each key.",
    DOT,
    by=[
        attention(score=lambda q, k: k @ q.mT, square=True, rounded=as_inputs),
        attention(score=lambda q, k: q @ k.reshape(k.mT.shape)),
    ],
)
MISTAKES.add(
    "scale-missing",
    "The scores are not divided by sqrt(d). The softmax is far too sharp.",
    "Multiply q k^T by 1 / sqrt(d).",
    DOT,
    by=attention(divisor=lambda n, d: 1, whole=True),
)
MISTAKES.add(
    "scale-wrong",
    "The scores are not divided by sqrt(d), but by d, as when the scale is applied twice, or by the square root of the "
    "length.",
    "Multiply the scores once, by the scale d ** -0.5.",
    *(r"\*\s*\w*scale|scale\w*\s*\*", r"scale"),
    by=[attention(divisor=lambda n, d: d, whole=True), attention(divisor=lambda n, d: n**0.5, whole=True)],
)
MISTAKES.add(
    "key-mask-missing",
    "The keys past the end of the sequence are zeros with a score of 0, and they get weight exp(0 - {m}). They must "
    "get none.",
    'Mask the scores: {s} = tl.where({key_mask}, {s}, -float("inf")).',
    *(r"tl\.where\(.*,\s*0(?:\.0*)?\s*\)", r"tl\.where\(.*-\s*float\(", r"tl\.dot\(\s*q"),
    by=attention(hidden=0, whole=True),
    by_text=True,
)
MISTAKES.add(
    "masked-lanes-too-high",
    "The keys past the end get a score that is not low enough: where all other scores are as low, they get weight.",
    'Use {s} = tl.where({key_mask}, {s}, -float("inf")): no score is lower.',
    WHERE,
    by=[attention(hidden=score, whole=True) for score in (-20, -50, -100, -1e3, -1e4, -1e9, -1e30)],
)
MISTAKES.add(
    "masked-lanes-as-zero",
    "The keys past the end are masked for the sum but not for the maximum, where they count with a score of 0. Queries "
    "whose scores are all far below 0 underflow.",
    'Mask the scores before the maximum: {s} = tl.where({key_mask}, {s}, -float("inf")).',
    WHERE,
    by=attention(maximum_of=lambda s: s.masked_fill(torch.isneginf(s), 0), rounded=as_inputs),
)
MISTAKES.add(
    "mask-inverted",
    "The scores of existing keys become -inf, and those past the end stay: the arguments of tl.where are in the wrong "
    "order.",
    '{s} = tl.where({key_mask}, {s}, -float("inf")): put the value for a true condition first.',
    WHERE,
    by=attention(seen=lambda queries, keys, n: keys >= n),
)
MISTAKES.add(
    "mask-along-queries",
    "The keys' mask is along the axis of the queries: in the last block it masks existing queries, and keys past the "
    "end get a weight.",
    'Mask along the keys: {s} = tl.where({key_mask}, {s}, -float("inf")).',
    *(r"tl\.where\(.*\[:,\s*None\]", WHERE),
    by=attention(seen=lambda queries, keys, n: keys[:, None] < n, square=True, rounded=as_inputs),
)
MISTAKES.add(
    "causal-by-mistake",
    "Every query sees only the keys up to its own position: this puzzle's attention is not causal.",
    "Mask only keys past the end.",
    r"tl\.where\(",
    by=attention(seen=lambda queries, keys, n: keys <= queries, whole=True),
)
MISTAKES.add(
    "max-starts-at-zero",
    "The running maximum starts at 0. Where every score is far below 0, the weights underflow.",
    'Start {m} at -float("inf").',
    *(r"^\s*{m}\s*=\s*(0|tl\.zeros)", r"m\w*\s*=\s*(0|tl\.zeros)"),
    by=attention(start=0, whole=True, rounded=as_inputs),
    by_text=True,
)
MISTAKES.add(
    "max-starts-too-high",
    "The running maximum starts at a number that is not low enough: where every score is far below it, all weights "
    "underflow, and the output becomes 0 / 0.",
    'Start the running maximum at -float("inf").',
    r"m\w*\s*=.*-\s*\d",
    by=[attention(start=start, whole=True, rounded=as_inputs) for start in (-1e9, -1e30, -1e3)],
)
MISTAKES.add(
    "one-max-for-the-tile",
    "One maximum is taken for all the queries of a tile. Queries whose scores lie far below it underflow.",
    "Reduce along the keys only: tl.max({s}, {axis}).",
    r"tl\.max\((?:(?!axis|,).)*\)",  # without an axis
    MAX,
    by=attention(maximum_of=lambda s: s.amax(dim=-2, keepdim=True), rounded=as_inputs),
    by_text=True,
)
MISTAKES.add(
    "maximum-of-another-query",
    "The maxima are along the keys' axis: the maxima of other queries are subtracted from a query's scores.",
    "Subtract one maximum from each row of the tile: {s} - {m_new}{column}.",
    *(r"\[None,\s*:\]\s*\)", EXP),
    by=attention(weights=lambda s, m: torch.exp(s - m.mT), square=True, rounded=as_inputs),
)
MISTAKES.add(
    "wrong-axis",
    "The softmax runs over the queries in place of the keys.",
    "Reduce along the keys, the other axis of the tile: one maximum and one sum for each query.",
    r"axis\s*=\s*0",
    by=attention(max_axis=-2, sum_axis=-2, weights=lambda s, m: torch.exp(s - m.mT), square=True, rounded=as_inputs),
)
MISTAKES.also(
    "wrong-axis",
    r"tl\.sum\(.*(axis\s*=\s*0|,\s*0\s*\))",
    says="The sum runs over the queries in place of the keys.",
    next_step="Sum along the keys, as tl.max does with {max_axis}: one sum for each query.",
    by=attention(sum_axis=-2, square=True, rounded=as_inputs),
)
MISTAKES.also(
    "wrong-axis",
    r"tl\.max\(.*(axis\s*=\s*0|,\s*0\s*\))",
    says="The maximum runs over the queries in place of the keys.",
    next_step="Take it along the keys, as tl.sum does with {sum_axis}: one maximum for each query.",
    by=attention(max_axis=-2, square=True, rounded=as_inputs),
)
MISTAKES.also(
    "wrong-axis",
    by=[
        attention(max_axis=-2, sum_axis=-2, square=True, rounded=as_inputs),
        attention(weights=lambda s, m: torch.softmax(s, dim=-2), hidden=0, normalised=False, whole=True),
    ],
)
MISTAKES.add(
    "no-max-subtraction",
    "The running maximum is not subtracted before exp: large scores overflow, and large negative ones underflow.",
    "Compute {p} = exp({s} - {m_new}{column}).",
    EXP,
    by=attention(weights=lambda s, m: torch.exp(s), factor=torch.ones_like, rounded=as_inputs),
)
MISTAKES.add(
    "terms-relative-to-own-max",
    "A tile's weights are computed with the tile's own maximum, but added as if computed with the running one.",
    "Compute {p} = tl.exp({s} - {m_new}{column}), with the maximum of all tiles so far.",
    *(WEIGHTS, EXP),
    by=attention(weights=lambda s, m: torch.exp(s - s.amax(dim=-1, keepdim=True)), rounded=as_inputs),
)
MISTAKES.add(
    "wrong-base",
    "exp2 is applied to the scores themselves: 2^s is not e^s.",
    "Fold log2(e) = 1.4426950408889634 into the scale before tl.exp2.",
    r"exp2\(",
    by=attention(weights=lambda s, m: torch.exp2(s - m), whole=True),
)
MISTAKES.add(
    "wrong-sign",
    "The exponent has the wrong sign: the smallest score gets the largest weight.",
    "Compute {p} = exp({s} - {m_new}), with s = q k^T / sqrt(d).",
    EXP,
    by=[
        attention(divisor=lambda n, d: -(d**0.5), whole=True),
        attention(weights=lambda s, m: torch.exp(m - s), rounded=as_inputs),  # inf past the end of the sequence
    ],
)
MISTAKES.add(
    "exp-missing",
    "exp is missing: the weights are {s} - {m_new} itself, which is never above 0 and is -inf past the end of the "
    "sequence.",
    "Compute {p} = tl.exp({s} - {m_new}{column}).",
    *(WEIGHTS, ACC),
    by=attention(weights=torch.sub, rounded=as_inputs),
)
MISTAKES.add(
    "uniform-weights",
    "Every key gets the same weight: the output is the mean of v.",
    "Multiply {p}, the exponentials of the scores, by v.",
    DOT,
    by=attention(weights=lambda s, m: (~torch.isneginf(s)).float(), whole=True),
)
