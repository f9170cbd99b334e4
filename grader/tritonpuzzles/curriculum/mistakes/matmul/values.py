"""Mistakes of what is computed: the activation, where and when it is applied and its slope, and the precision."""

from __future__ import annotations

from functools import partial

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes.matmul import lines
from tritonpuzzles.curriculum.mistakes.matmul.common import MISTAKES
from tritonpuzzles.curriculum.mistakes.matmul.machine import (
    Change,
    Launch,
    activated,
    leaky,
    product,
    same,
    where_asked,
)
from tritonpuzzles.curriculum.references import SLOPE


def rounded(x: Tensor, at: Launch, dtype: torch.dtype | None = None) -> Tensor:
    """Round to a dtype, or to that of the inputs."""
    return x.to(dtype or at.tile.dtype).float()


def _slopes(below: float, above: float = 1.0) -> Change:
    return where_asked(partial(leaky, below=below, above=above))


HALF, BRAIN, EIGHT = (partial(rounded, dtype=dtype) for dtype in (torch.float16, torch.bfloat16, torch.float8_e4m3fn))
ACTIVATED_ROUNDED = where_asked(lambda x, at: rounded(leaky(x, at), at))


MISTAKES.add(
    "activation-missing",
    "The activation is never applied.",
    'Before the store: if ACTIVATION == "leaky_relu": {acc} = tl.where({acc} > 0, {acc}, 0.01 * {acc}).',
    *(lines.BRANCH, lines.STORE),
    by=product(activation=same),
)
MISTAKES.add(
    "activation-always",
    "The activation is applied where nobody asked for it.",
    'Put it behind if ACTIVATION == "leaky_relu": the default is "".',
    *(lines.WHERE, lines.STORE),
    by=[product(activation=leaky), product(activation=lambda c, at: c if at.asked else leaky(c, at))],
)
MISTAKES.add(
    "activation-in-the-loop",
    "The activation is applied in every turn, to a sum that is not complete yet, or to a part of it.",
    "Apply it once, after the loop: a negative part may belong to a positive sum.",
    *(lines.BRANCH, lines.WHERE),
    by=[
        product(turn=lambda acc, part, at: activated(acc + part, at), activation=same),
        product(turn=lambda acc, part, at: acc + activated(part, at), activation=same),
    ],
)
MISTAKES.add(
    "activation-rounded-first",
    "The sum is rounded to 16 bits before the activation, and once more behind it.",
    "Apply the activation to {acc} in float32; the store rounds, once.",
    r"\.to\(",
    lines.BRANCH,
    by=[
        product(sums=where_asked(rounded)),
        product(  # the slope as well
            sums=where_asked(rounded),
            activation=where_asked(lambda c, at: leaky(c, at, rounded(torch.tensor(SLOPE), at).item())),
        ),
    ],
)
MISTAKES.add(
    "wrong-slope",
    "Negative sums are multiplied by another number than 0.01.",
    "tl.where({acc} > 0, {acc}, 0.01 * {acc}).",
    *(lines.WHERE, lines.BRANCH),
    by=[
        product(activation=where_asked(lambda c, at: torch.where(c > 0, c, 0.0))),
        *(product(activation=_slopes(below)) for below in (0.1, 0.001, 0.2, -SLOPE)),
        product(activation=where_asked(lambda c, at: torch.where(c > 0, c, SLOPE))),
    ],
)
MISTAKES.add(
    "activation-upside-down",
    "Positive sums are multiplied by 0.01 and negative ones are left as they are: the sides are exchanged.",
    "tl.where({acc} > 0, {acc}, 0.01 * {acc}): first what holds where the condition does.",
    *(lines.WHERE, lines.BRANCH),
    by=[product(activation=_slopes(below, above=SLOPE)) for below in (1.0, SLOPE)],
)
MISTAKES.add(
    "activation-of-the-inputs",
    "The activation is applied to a or b, and not to their product.",
    "Apply it to {acc}, after the loop.",
    *(lines.WHERE, lines.DOT),
    by=[
        product(a=activated, activation=same),
        product(a=ACTIVATED_ROUNDED, activation=same),
        product(b=activated, activation=same),
        product(b=ACTIVATED_ROUNDED, activation=same),
    ],
)
MISTAKES.add(
    "activation-loses-nan",
    "The activation makes a number of NaN: where one of two operands is NaN, tl.maximum and tl.minimum return the "
    "other one.",
    "Let the activation choose by a comparison: tl.where({acc} > 0, {acc}, 0.01 * {acc}).",
    r"tl\.(maximum|minimum|clamp)\(",
    *(lines.WHERE, lines.BRANCH),
    needs=r"maximum|minimum|clamp|where|\bmax\(|\bmin\(|fma[xn]",
    by=product(activation=where_asked(lambda c, at: torch.where(c.isnan(), 0.0, leaky(c, at)))),
)
MISTAKES.add(
    "low-precision",
    "The sums are kept in 16 bits from one turn to the next, or rounded to them on the way: before they are complete, "
    "or to another dtype than that of c.",
    "Keep {acc} in float32, tl.zeros((BLOCK_M, BLOCK_N), tl.float32), and leave the rounding to the store.",
    r"float16",
    r"out_dtype",
    r"^(?!.*(program_id|arange|int)).*\.to\(",
    r"acc\w*\s*=",
    needs=r"float16|\.to\(|dtype|\.element_ty",
    by=[
        product(turn=lambda acc, part, at: rounded(acc + part, at)),
        product(turn=lambda acc, part, at: (acc + part).half().float()),
        product(turn=lambda acc, part, at: acc + rounded(part, at)),
        product(turn=lambda acc, part, at: (acc + part.half().float()).half().float()),
        *(product(stored=change) for change in (HALF, BRAIN)),
        *(product(a=change, b=change) for change in (BRAIN, HALF, EIGHT)),
    ],
)
