"""Mistakes of the loop along k: turns that are left out, come again, or are not added."""

from __future__ import annotations

from operator import mod

import torch

from tritonpuzzles.curriculum.mistakes.matmul import lines
from tritonpuzzles.curriculum.mistakes.matmul.common import MISTAKES
from tritonpuzzles.curriculum.mistakes.matmul.machine import product, unscaled

MISTAKES.add(
    "last-turn-left-out",
    "The products of the last tile along K are left out: the loop ends a turn early, or runs over whole tiles only.",
    "Round the number of turns up: {all_turns}, with a mask in the last.",
    r"^\s*(for|while)\b.*//",
    lines.LOOP,
    by=[
        product(seen=lambda k, K, step: k < K // step * step),
        product(seen=lambda k, K, step: k < (K - 1) // step * step),
    ],
)
MISTAKES.add(
    "last-product-left-out",
    "The last product of each sum is left out.",
    "The mask along K is ks < K - start, not one less.",
    r"<=?\s*\(?\s*K\b.*-\s*1\b",
    lines.LOAD,
    by=product(seen=lambda k, K, step: k < K - 1),
)
MISTAKES.add(
    "first-turn-again",
    "Every turn takes the first tile of a and the first of b: the pointers are not moved on, or the offsets do not "
    "hold the start of the turn.",
    "End each turn with a_ptrs += BLOCK_K * stride_ak and b_ptrs += BLOCK_K * stride_bk, or add the start of the turn "
    "to the offsets along K.",
    lines.LOAD,
    by=[
        product(k=mod),
        product(
            seen=lambda k, K, step: k < step, sums=lambda c, at: -(-at.a.shape[1] // at.blocks.k) * c
        ),  # with a mask of its own
    ],
)
MISTAKES.add(
    "tile-of-a-again",
    "Every turn takes the first tile of a, and b moves on: the products do not belong together.",
    "Move a on as well: a_ptrs += BLOCK_K * stride_ak, or the start of the turn in its offsets along K.",
    *(lines.MOVE_A, lines.LOAD_A, lines.LOAD),
    by=product(k_of_a=mod),
)
MISTAKES.add(
    "tile-of-b-again",
    "Every turn takes the first tile of b, and a moves on: the products do not belong together.",
    "Move b on as well: b_ptrs += BLOCK_K * stride_bk, or the start of the turn in its offsets along K.",
    *(lines.MOVE_B, lines.LOAD_B, lines.LOAD),
    by=product(k_of_b=mod),
)
MISTAKES.add(
    "later-turns-masked",
    "From the second turn on the masks let nothing through, or next to nothing: what is left of K is counted wrongly.",
    "In the turn that begins at product start, K - start are left; in turn number i, K - i * BLOCK_K.",
    r"(?i)\bk\w*\s*-\s*\w+\s*\*",
    lines.LOAD,
    unless=(r"(?i)\brange\(.*(cdiv|//)|^\s*break\b", r""),
    needs=r"(?i)\brange\((0,\s*)?k\w*\s*,.*(block|bk|tile)",
    by=[
        product(seen=lambda k, K, step: k % step < K - k // step * step * step),
        product(seen=lambda k, K, step: k < step),
    ],
)
MISTAKES.add(
    "first-turn-only",
    "Only the first tile along K counts: there is one turn, because the loop is missing, or because it counts tiles "
    "and steps by their size.",
    "Go through all of K: for start in range(0, K, BLOCK_K).",
    r"^\s*for\b.*range\(.*cdiv.*,.*,",
    *(lines.LOOP, lines.DOT),
    by=[product(seen=lambda k, K, step: k < step), product(seen=lambda k, K, step: k < -(-K // step**2) * step)],
)
MISTAKES.add(
    "last-turn-only",
    "Only the last tile along K counts: every turn overwrites the accumulator, or sets it to 0 first.",
    "Set {acc} to 0 once, before the loop, and add to it: {acc} = tl.dot(a, b, {acc}).",
    r"acc\w*\s*=\s*tl\.dot\((?!.*acc)",
    *(lines.START, lines.ACC),
    by=product(turn=lambda acc, part, at: part),
)
MISTAKES.add(
    "moved-on-too-little",
    "A turn moves on by one product in place of a whole tile, in a, in b or in both: products count several times, and "
    "the end of K is not reached.",
    "Move on by a tile: a_ptrs += BLOCK_K * stride_ak and b_ptrs += BLOCK_K * stride_bk.",
    rf"{lines.MOVE}(?!.*(?i:BLOCK|TILE|\bBK\b))",
    *(lines.MOVE, lines.LOAD),
    by=[product(k=unscaled), product(k_of_a=unscaled), product(k_of_b=unscaled)],
)
MISTAKES.add(
    "padding-not-zero",
    "What lies past the end of K counts: masked lanes hold another number than 0.",
    "Mask both loads along K, with other=0.0.",
    r"other\s*=\s*(?!0)",
    lines.LOAD,
    by=[product(padding=square) for square in (1.0, torch.inf, torch.nan)],  # of 1, of -inf, of -inf and 0
)
MISTAKES.add(
    "accumulator-not-at-zero",
    "The accumulator does not start at 0: every sum is too large by what it starts with.",
    "{acc} = tl.zeros((BLOCK_M, BLOCK_N), tl.float32), before the loop.",
    *(lines.START, lines.ACC),
    by=product(start=1.0),
)
MISTAKES.add(
    "added-twice",
    "What earlier turns have added counts again in every turn: tl.dot adds to {acc} already.",
    "Either {acc} = tl.dot(a, b, {acc}) or {acc} += tl.dot(a, b), not both.",
    r"acc\w*\s*\+=\s*tl\.dot\(.*acc",
    lines.ACC,
    by=product(turn=lambda acc, part, at: 2 * acc + part),
)
