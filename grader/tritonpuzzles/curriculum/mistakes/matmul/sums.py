"""Mistakes of the sums: iterations along K left out, again or not added; the activation, its slope; the precision."""

from __future__ import annotations

from functools import partial
from operator import mod

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import lines
from tritonpuzzles.curriculum.mistakes.matmul.common import (
    MISTAKES,
    Launch,
    activated,
    leaky,
    product,
    rounded,
    unscaled,
)
from tritonpuzzles.curriculum.references import SLOPE

HALVES = torch.float16
HALF, BRAIN, EIGHT = (partial(rounded, dtype=dtype) for dtype in (HALVES, torch.bfloat16, torch.float8_e4m3fn))
ON_INPUTS = activated, lambda x, at: rounded(activated(x, at), at)  # in float32, in 16 bits


OF_AN_INSTRUCTION = 16  # products that a tensor core adds to a sum at once: k of mma.m16n8k16 and wgmma.m64nNk16


def dot_in_halves(acc: Tensor, x: Tensor, y: Tensor, at: Launch) -> Tensor:
    """Add a tile's products to sums in float16, as tl.dot(x, y, acc, out_dtype=tl.float16): each instruction rounds."""
    for k in range(0, len(y), OF_AN_INSTRUCTION):
        acc = HALF(acc + x[:, k : k + OF_AN_INSTRUCTION] @ y[k : k + OF_AN_INSTRUCTION], at)
    return acc


def in_halves(acc: Tensor, x: Tensor, y: Tensor, at: Launch) -> Tensor:
    """Add in float16 what a tile's products are in float16, as acc += tl.dot(x, y, out_dtype=tl.float16)."""
    return HALF(acc + dot_in_halves(torch.zeros_like(acc), x, y, at), at)


MISTAKES.add(
    "last-turn-left-out",
    "The products of the last tile along K are left out: the loop ends an iteration early, or runs over whole tiles "
    "only.",
    "Round the number of iterations up: {all_turns}, and mask the last one.",
    *(r"^\s*(for|while)\b.*//", lines.LOOP),
    by=[product(until=lambda K, step: K // step * step), product(until=lambda K, step: (K - 1) // step * step)],
)
MISTAKES.add(
    "last-product-left-out",
    "The last product of each sum is left out.",
    "Mask along K with ks < K - start, not one less.",
    *(r"<=?\s*\(?\s*K\b.*-\s*1\b", lines.LOAD),
    by=product(until=lambda K, step: K - 1),
)
MISTAKES.add(
    "first-turn-again",
    "Every iteration loads the first tile of a and the first of b: the pointers do not move, or the offsets do not "
    "include the start of the iteration.",
    "End each iteration with a_ptrs += BLOCK_K * stride_ak and b_ptrs += BLOCK_K * stride_bk, or add the start of the "
    "iteration to the offsets along K.",
    lines.LOAD,
    by=[product(k=mod), product(until=lambda K, step: step, sums=lambda c, at: -(-at.a.shape[1] // at.blocks.k) * c)],
)
MISTAKES.add(
    "tile-of-a-again",
    "Every iteration loads the first tile of a, and b moves: the factors do not belong together.",
    "Move a, too: a_ptrs += BLOCK_K * stride_ak, or add the start of the iteration to its offsets along K.",
    *(lines.MOVE_A, lines.LOAD_A, lines.LOAD),
    by=product(k_of_a=mod),
)
MISTAKES.add(
    "tile-of-b-again",
    "Every iteration loads the first tile of b, and a moves: the factors do not belong together.",
    "Move b, too: b_ptrs += BLOCK_K * stride_bk, or add the start of the iteration to its offsets along K.",
    *(lines.MOVE_B, lines.LOAD_B, lines.LOAD),
    by=product(k_of_b=mod),
)
MISTAKES.add(
    "later-turns-masked",
    "From the second iteration on, the masks switch off all lanes, or almost all: the rest of K is computed wrongly.",
    "Mask with ks < K - start in the iteration that begins at start, or with ks < K - i * BLOCK_K in iteration i.",
    *(r"(?i)\bk\w*\s*-\s*\w+\s*\*", lines.LOAD),
    unless=(r"(?i)\brange\(.*(cdiv|//)|^\s*break\b", r""),
    needs=r"(?i)\brange\((0,\s*)?k\w*\s*,.*(block|bk|tile)",
    by=[
        product(until=lambda K, step: K // step**2 * step + min(step, K % step**2)),
        product(until=lambda K, step: step),
    ],
)
MISTAKES.add(
    "first-turn-only",
    "Only the first tile along K counts: there is only one iteration, because the loop is missing, or counts tiles and "
    "steps by their size.",
    "Loop over all of K: for start in range(0, K, BLOCK_K).",
    *(r"^\s*for\b.*range\(.*cdiv.*,.*,", lines.LOOP, lines.DOT),
    by=[product(until=lambda K, step: step), product(until=lambda K, step: -(-K // step**2) * step)],
)
MISTAKES.add(
    "last-turn-only",
    "Only the last tile along K counts: every iteration overwrites the accumulator, or sets it to 0 first.",
    "Set {acc} to 0 once, before the loop, and add to it: {acc} = tl.dot(a, b, {acc}).",
    *(r"acc\w*\s*=\s*tl\.dot\((?!.*acc)", lines.START, lines.ACC),
    by=product(iteration=lambda acc, x, y, at: x @ y),
)
MISTAKES.add(
    "moved-on-too-little",
    "An iteration moves by one product in place of a whole tile, in a, in b or in both: products count several times, "
    "and the end of K is not reached.",
    "Move by a tile: a_ptrs += BLOCK_K * stride_ak and b_ptrs += BLOCK_K * stride_bk.",
    *(rf"{lines.MOVE}(?!.*(?i:BLOCK|TILE|\bBK\b))", lines.MOVE, lines.LOAD),
    by=[product(k=unscaled), product(k_of_a=unscaled), product(k_of_b=unscaled)],
)
MISTAKES.add(
    "padding-not-zero",
    "Lanes past the end of K enter the sum: masked lanes do not hold 0.",
    "Mask both loads along K, with other=0.0.",
    *(r"other\s*=\s*(?!0)", lines.LOAD),
    by=[product(padding=square) for square in (1.0, torch.inf, torch.nan)],  # squares of 1, of -inf, of -inf and 0
)
MISTAKES.add(
    "accumulator-not-at-zero",
    "The accumulator does not start at 0: every sum is too large by its start value.",
    "Set {acc} = tl.zeros((BLOCK_M, BLOCK_N), tl.float32) before the loop.",
    *(lines.START, lines.ACC),
    by=product(start=1.0),
)
MISTAKES.add(
    "added-twice",
    "The sum of earlier iterations is added again in every iteration: tl.dot adds to {acc} already.",
    "Use either {acc} = tl.dot(a, b, {acc}) or {acc} += tl.dot(a, b), not both.",
    *(r"acc\w*\s*\+=\s*tl\.dot\(.*acc", lines.ACC),
    by=product(iteration=lambda acc, x, y, at: 2 * acc + x @ y),
)
MISTAKES.add(
    "activation-missing",
    "The activation is never applied.",
    'Add before the store: if ACTIVATION == "leaky_relu": {acc} = tl.where({acc} > 0, {acc}, 0.01 * {acc}).',
    *(lines.BRANCH, lines.STORE),
    by=product(activation=None),
)
MISTAKES.add(
    "activation-always",
    "The activation is applied where the call does not ask for it.",
    'Put it under if ACTIVATION == "leaky_relu": the default is "".',
    *(lines.CHOICE, lines.STORE),
    by=[
        product(activation=None, stored=leaky),
        product(activation=None, stored=lambda c, at: c if at.asked else leaky(c, at)),
    ],
)
MISTAKES.add(
    "activation-in-the-loop",
    "The activation is applied in every iteration, to a sum that is not complete yet, or to a part of it.",
    "Apply it once, after the loop: a negative part may belong to a positive sum.",
    *(lines.BRANCH, lines.CHOICE),
    by=[
        product(iteration=lambda acc, x, y, at: activated(acc + x @ y, at), activation=None),
        product(iteration=lambda acc, x, y, at: acc + activated(x @ y, at), activation=None),
    ],
)
MISTAKES.add(
    "activation-rounded-first",
    "The sum is rounded to 16 bits before the activation, and once more after it.",
    "Apply the activation to {acc} in float32; the store rounds, once.",
    *(r"\.to\(", lines.BRANCH),
    by=[
        product(activation=lambda c, at: leaky(rounded(c, at), at)),
        product(activation=lambda c, at: leaky(rounded(c, at), at, rounded(torch.tensor(SLOPE), at).item())),
    ],
)
MISTAKES.add(
    "wrong-slope",
    "Negative sums are multiplied by a number that is not 0.01.",
    "Use tl.where({acc} > 0, {acc}, 0.01 * {acc}).",
    *(lines.CHOICE, lines.BRANCH),
    by=[
        product(activation=lambda c, at: torch.where(c > 0, c, 0.0)),
        *(product(activation=partial(leaky, below=below)) for below in (0.1, 0.001, 0.2, -SLOPE)),
    ],
)
MISTAKES.also(
    "wrong-slope",
    says="Negative sums are replaced by 0.01; they must be multiplied by it.",
    by=product(activation=lambda c, at: torch.where(c > 0, c, SLOPE)),
)
MISTAKES.add(
    "activation-upside-down",
    "Positive sums are multiplied by 0.01: the two sides are exchanged, or there is no condition.",
    "Use tl.where({acc} > 0, {acc}, 0.01 * {acc}): put the value for a true condition first.",
    *(lines.CHOICE, lines.BRANCH),
    by=[product(activation=partial(leaky, below=below, above=SLOPE)) for below in (1.0, SLOPE)],
)
MISTAKES.add(
    "activation-of-the-inputs",
    "The activation is applied to a or b, not to their product.",
    "Apply it to {acc}, after the loop.",
    *(lines.CHOICE, lines.DOT),
    by=[
        *(product(a=change, activation=None) for change in ON_INPUTS),
        *(product(b=change, activation=None) for change in ON_INPUTS),
    ],
)
MISTAKES.add(
    "activation-loses-nan",
    "The activation turns NaN into a number: tl.maximum and tl.minimum return the other operand if one is NaN.",
    "Choose by a comparison: tl.where({acc} > 0, {acc}, 0.01 * {acc}).",
    *(r"tl\.(maximum|minimum|clamp)\(", lines.CHOICE, lines.BRANCH),
    needs=r"maximum|minimum|clamp|where|\bmax\(|\bmin\(|fma[xn]",
    by=product(activation=lambda c, at: torch.where(c.isnan(), 0.0, leaky(c, at))),
)
MISTAKES.add(
    "low-precision",
    "The sums are rounded before they are complete, or to another dtype than that of c, or a and b are rounded to "
    "fewer bits than they have.",
    "Keep {acc} in float32, tl.zeros((BLOCK_M, BLOCK_N), tl.float32), and round only at the store.",
    *(r"float16", r"out_dtype", r"^(?!.*(program_id|arange|int)).*\.to\(", r"acc\w*\s*="),
    needs=r"float16|\.to\(|dtype|\.element_ty",
    by=[
        product(iteration=lambda acc, x, y, at: rounded(acc + x @ y, at)),
        product(iteration=lambda acc, x, y, at: (acc + x @ y).half().float()),
        product(iteration=lambda acc, x, y, at: acc + rounded(x @ y, at)),
        product(iteration=lambda acc, x, y, at: HALF(acc + HALF(x @ y, at), at)),
        *(product(iteration=halves) for halves in (dot_in_halves, in_halves)),
        product(iteration=lambda acc, x, y, at: in_halves(acc, x, y, at) if at.tile.dtype == HALVES else acc + x @ y),
        *(product(stored=change) for change in (HALF, BRAIN)),
        *(product(a=change, b=change) for change in (BRAIN, HALF, EIGHT)),
    ],
)
