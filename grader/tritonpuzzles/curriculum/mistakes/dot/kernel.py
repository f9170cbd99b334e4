"""Mistakes of the kernel, which show in the result and in both gradients alike: those of puzzle 7."""

from __future__ import annotations

from dataclasses import replace

from tritonpuzzles.curriculum.mistakes import Emulation, matmul
from tritonpuzzles.curriculum.mistakes.dot.common import MISTAKES
from tritonpuzzles.curriculum.mistakes.dot.machine import gradients
from tritonpuzzles.curriculum.mistakes.matmul.lines import LOAD

MOVE = r"\b(\w+_?ptrs?\w*)\s*(\+=|=\s*\1\s*\+)"
OFFSETS = r"tl\.arange\("

# Those whose words hold for any two matrices.
SAME = (
    "last-turn-left-out", "last-product-left-out", "first-turn-only", "last-turn-only", "padding-not-zero",
    "accumulator-not-at-zero", "added-twice", "low-precision", "tiles-exchanged",
)  # fmt: skip


def _in_all_products(code: str) -> tuple[Emulation, ...]:
    """Return what a call gives whose products are all computed with a mistake of puzzle 7."""
    return tuple(gradients(product=product) for product in matmul.MISTAKES.by_code[code].emulations)  # type: ignore[arg-type]


for _code in SAME:
    MISTAKES.by_code[_code] = replace(matmul.MISTAKES.by_code[_code], emulations=_in_all_products(_code))
MISTAKES.add(
    "first-turn-again",
    "Every turn takes the first tile of both matrices: the pointers are not moved on, or the offsets do not hold "
    "the start of the turn.",
    "End each turn with x_ptrs += BLOCK_K * stride_xk and y_ptrs += BLOCK_K * stride_yk, or add the start of "
    "the turn to the offsets along K.",
    LOAD,
    by=_in_all_products("first-turn-again"),
)
MISTAKES.add(
    "left-tile-again",
    "Every turn takes the first tile of the left matrix, and the right one moves on: the products do not belong "
    "together.",
    "Move the left one on as well: x_ptrs += BLOCK_K * stride_xk, or the start of the turn in its offsets along K.",
    r"\b[ax]\w*\s*=\s*tl\.load\(",
    LOAD,
    by=_in_all_products("tile-of-a-again"),
)
MISTAKES.add(
    "right-tile-again",
    "Every turn takes the first tile of the right matrix, and the left one moves on: the products do not belong "
    "together.",
    "Move the right one on as well: y_ptrs += BLOCK_K * stride_yk, or the start of the turn in its offsets along K.",
    r"\b[by]\w*\s*=\s*tl\.load\(",
    LOAD,
    by=_in_all_products("tile-of-b-again"),
)
MISTAKES.add(
    "moved-on-too-little",
    "A turn moves on by one product in place of a whole tile, in one matrix or in both: products count several "
    "times, and the end of K is not reached.",
    "Move on by a tile: x_ptrs += BLOCK_K * stride_xk and y_ptrs += BLOCK_K * stride_yk.",
    rf"{MOVE}(?!.*(?i:BLOCK|TILE|\bBK\b))",
    *(MOVE, LOAD),
    by=_in_all_products("moved-on-too-little"),
)
MISTAKES.add(
    "first-tile-loaded",
    "Every program loads the first rows of the left matrix, or the first columns of the right one: its offsets do "
    "not hold its own tile's start.",
    matmul.MISTAKES.by_code["first-tile-loaded"].next_step,
    r"=\s*tl\.arange\(0,\s*\w*[MN]\)\s*$",
    rf"ptr\w*\s*\+.*{OFFSETS}",
    OFFSETS,
    by=_in_all_products("first-tile-loaded"),
)
