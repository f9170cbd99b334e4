"""Mistakes of the formula itself: maximum, exponentials, sum, axis, division, rounding."""

from __future__ import annotations

import torch

from tritonpuzzles.curriculum.mistakes.lines import DIVISION, EXP, MAX, STORE, SUM
from tritonpuzzles.curriculum.mistakes.machines import total, weight
from tritonpuzzles.curriculum.mistakes.softmax.machine import INF, MISTAKES, joined, online, softmax

WHOLE_MAX = r"tl\.max\((?:(?!axis|,).)*\)"  # without an axis
LN2 = 0.6931471805599453

MISTAKES.add(
    "no-max-subtraction",
    "The row's maximum is not subtracted before exp. Above 88.7 exp overflows float32 and the row becomes inf / inf; "
    "far below 0 every exp is 0 and it becomes 0 / 0.",
    "Subtract the row's maximum from x before tl.exp.",
    EXP,
    by=softmax(term=lambda x, m: torch.exp(x)),
)
MISTAKES.add(
    "wrong-sign",
    "The exponent has the wrong sign: the smallest value has the largest exp.",
    "Use exp(x - max), not exp(max - x) or exp(-x).",
    EXP,
    by=[softmax(loaded=lambda x, tile: -x), softmax(term=lambda x, m: weight(m, x), pad=-INF)],
)
MISTAKES.also(
    "wrong-sign",
    SUM,
    by=[softmax(term_in_sum=lambda x, m: weight(m, x), pad=-INF), online(term=lambda x, m: weight(m, x), pad=-INF)],
)
MISTAKES.add(
    "wrong-base",
    "exp2 is applied to x itself: 2^(x - max) is not e^(x - max).",
    "Multiply x by log2(e) = 1.4426950408889634 before tl.exp2.",
    r"exp2\(",
    by=softmax(loaded=lambda x, tile: x * LN2),
)
MISTAKES.also(
    "wrong-base",
    r"0\.6931",
    says="exp2 is applied to x times ln(2), but e^x is 2^(x log2(e)).",
    next_step="Multiply by log2(e) = 1.4426950408889634, not by its inverse, ln(2).",
    by=softmax(loaded=lambda x, tile: x * LN2 * LN2),
)
MISTAKES.also(
    "wrong-base",
    EXP,
    says="exp is applied to x times log2(e), which belongs before exp2: e^(x log2(e)) is not e^x.",
    next_step="Use tl.exp2 there, or apply tl.exp to x itself.",
    by=softmax(loaded=lambda x, tile: x / LN2),
)
MISTAKES.add(
    "exp-missing",
    "exp is missing: the sum adds x - max itself, which is never above 0.",
    "Apply tl.exp before tl.sum: tl.sum(tl.exp(x - max)).",
    r"tl\.sum\(",
    by=[
        softmax(term=torch.sub),
        softmax(term=torch.sub, pad=-INF),
        softmax(term_in_sum=torch.sub, pad=-INF),
        online(term=torch.sub, pad=-INF),
    ],
)
MISTAKES.add(
    "max-subtracted-after-exp",
    "The maximum is subtracted after exp, not before: exp(x) still overflows, and the terms are not proportional to "
    "exp(x).",
    "Subtract inside exp: tl.exp(x - max).",
    EXP,
    by=[
        softmax(term=lambda x, m: torch.exp(x) - torch.exp(m), pad=-INF),
        softmax(term=lambda x, m: torch.exp(x) - m, pad=-INF),
    ],
)
MISTAKES.add(
    "max-starts-at-zero",
    "The maximum is never below 0: it starts at 0, is clamped at 0, or masked lanes hold 0. In a row far below 0 every "
    "exp underflows, and the row becomes 0 / 0.",
    "Start the maximum at {lowest}; give masked lanes -inf.",
    r"^\s*{m}\s*=\s*(?:0(?:\.0*)?\s*$|tl\.zeros\(|tl\.full\(.*,\s*0(?:\.0*)?\s*[,)])",
    r"tl\.maximum\(.*,\s*0(\.0*)?\s*\)|(\bm|max)\w*\s*=\s*(0|tl\.zeros)|other\s*=\s*0|tl\.where\(.*,\s*0(\.0*)?\)",
    by=softmax(start=0.0),
    by_text=True,
    loses="m",
)
MISTAKES.add(
    "max-starts-too-high",
    "The maximum starts at a number that is not low enough: in a row far below it every exp underflows, and the row "
    "becomes 0 / 0.",
    "Start the maximum at {lowest}.",
    r"m\w*\s*=.*-\s*\d",
    by=[softmax(start=start) for start in (-1e9, -1e30, -1e6, -1e4, -1e3)],
    loses="m",
)
MISTAKES.add(
    "log-sum-added-to-max",
    "log(sum) is added to the maximum before both are subtracted. Beside a large maximum it is rounded away, because "
    "float32 keeps 24 bits.",
    "Subtract the maximum first: exp({x} - {m} - log({l})), or divide by {l}.",
    r"tl\.log2?\(",
    by=softmax(stored=lambda x, m, l: torch.exp(x - (m + torch.log(l)))),
)
MISTAKES.add(
    "one-max-for-the-tile",
    "One maximum is taken for all the rows of a tile. Rows that lie far below it underflow to 0 / 0.",
    "Reduce along the columns only: tl.max({x}, axis=1) gives one maximum for each row.",
    *(WHOLE_MAX, MAX),
    by=softmax(m_of=lambda x, m, tile: joined(m, tile.rows)),
    by_text=True,
)
MISTAKES.add(
    "one-sum-for-the-tile",
    "One sum is taken for all the rows of a tile. Every row must sum to 1 by itself.",
    "Reduce along the columns only: tl.sum(x, axis=1) gives one sum for each row.",
    *(r"tl\.sum\((?!.*(axis\s*=\s*1|,\s*1\s*\)))", SUM),
    by=[
        softmax(l_of=lambda p, m, tile: joined(total(p), tile.rows, total, 0.0)),
        softmax(
            m_of=lambda x, m, tile: joined(m, tile.rows),
            l_of=lambda p, m, tile: joined(total(p), tile.rows, total, 0.0),
        ),
    ],
    by_text=True,
)
MISTAKES.add(
    "not-normalised",
    "The result is exp(x - max) and is never divided by the row's sum.",
    "Divide by the sum before you store.",
    STORE,
    by=softmax(stored=lambda x, m, l: weight(x, m)),
    unless=(STORE, DIVISION),
)
MISTAKES.add(
    "divided-twice",
    "The result is divided by the row's sum twice.",
    "Divide once, where you store.",
    DIVISION,
    by=softmax(stored=lambda x, m, l: weight(x, m) / l / l),
)
MISTAKES.add(
    "quotient-inverted",
    "The quotient is inverted: the sum is divided by the exponentials.",
    "Divide the exponentials by their sum: tl.exp({x} - {m}) / {l}.",
    DIVISION,
    by=softmax(stored=lambda x, m, l: l / weight(x, m)),
)
MISTAKES.add(
    "divided-by-n-cols",
    "The result is divided by the number of columns in place of the sum of the exponentials.",
    "Divide by tl.sum of the exponentials.",
    DIVISION,
    by=softmax(stored=lambda x, m, l: weight(x, m) / x.shape[1]),
)
MISTAKES.add(
    "log-softmax",
    "The result is the logarithm of the softmax: x - max - log(sum).",
    "Store exp(x - max) / sum.",
    r"tl\.log2?\(",
    by=softmax(stored=lambda x, m, l: torch.log_softmax(x, dim=1)),
)
MISTAKES.add(
    "wrong-axis",
    "The softmax is taken down the columns, not along the rows.",
    "Reduce along each row: its elements are at row * x_row_stride + cols.",
    r"program_id",
    by=[
        softmax(m_of=lambda x, m, tile: joined(x, len(x)), l_of=lambda p, m, tile: joined(p, len(p), total, 0.0)),
        softmax(m_of=lambda x, m, tile: joined(x, tile.rows), l_of=lambda p, m, tile: joined(p, tile.rows, total, 0.0)),
    ],
)
MISTAKES.add(
    "statistic-stored",
    "Every column of a row gets the row's sum or its maximum in place of its probability.",
    "Store exp(x - max) / sum.",
    STORE,
    by=[softmax(stored=lambda x, m, l: l), softmax(stored=lambda x, m, l: m)],
)
MISTAKES.add(
    "low-precision",
    "A step between load and store is computed in 16 bits. That keeps two or three of the seven digits of float32.",
    "Convert with .to(tl.float32) right after the load; round once, at the store.",
    r"tl\.b?float16",
    by=[
        softmax(loaded=lambda x, tile: x.half().float()),
        softmax(loaded=lambda x, tile: x.bfloat16().float()),
        softmax(loaded=lambda x, tile: x.half().float(), term=lambda x, m: weight(x, m).half().float()),
        softmax(term=lambda x, m: weight(x, m).half().float()),
        online(rounded=lambda m, l: (m.half().float().clamp_min(torch.finfo(torch.float16).min), l.half().float())),
    ],
)
