"""Mistakes of the kernel, which show in the result and in both gradients alike: those of puzzle 7."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Emulation, Mistake, Tile, matmul
from tritonpuzzles.curriculum.mistakes.dot.common import MISTAKES, Call, Inputs, Made, emulated

Product = Callable[[tuple[Tensor, Tensor], Tile], Tensor]
LOAD, MOVE = r"tl\.load\(", r"\b(\w+_?ptrs?\w*)\s*(\+=|=\s*\1\s*\+)"
OFFSETS = r"tl\.arange\("

# Those whose words hold for any two matrices.
SAME = (
    "last-turn-left-out", "last-product-left-out", "first-turn-only", "last-turn-only", "padding-not-zero",
    "accumulator-not-at-zero", "added-twice", "low-precision", "tiles-exchanged",
)  # fmt: skip


def in_all_products(product: Product) -> Emulation:
    """Return what a call gives whose products are all computed so."""

    def emulate(inputs: Inputs, tile: Tile) -> tuple[Tensor, ...]:
        def of(factors: Callable[[Call], tuple[Tensor, Tensor]], turn: Callable[[Call, Tensor], Tensor]) -> Made:
            return lambda call: turn(call, product(factors(call), tile))

        return emulated(
            inputs,
            tile,
            c=of(lambda call: (call.x, call.y), lambda _, c: c),
            da=of(lambda call: (call.g, call.y.mT), Call.to_a),
            db=of(lambda call: (call.x.mT, call.g), Call.to_b),
        )

    emulate.__name__ = getattr(product, "__name__", "product")
    return emulate


def _taken(code: str, own: str | None = None, **words: object) -> None:
    """Take a mistake over from puzzle 7, under its own code or another, with other words where they are given."""
    known: Mistake = matmul.MISTAKES.by_code[code]
    emulations = tuple(in_all_products(product) for product in known.emulations)  # type: ignore[arg-type]
    MISTAKES.by_code[own or code] = replace(known, code=own or code, emulations=emulations, **words)  # type: ignore[arg-type]


for _code in SAME:
    _taken(_code)
_taken(
    "first-turn-again",
    says="Every turn takes the first tile of both matrices: the pointers are not moved on, or the offsets do not hold "
    "the start of the turn.",
    next_step="End each turn with x_ptrs += BLOCK_K * stride_xk and y_ptrs += BLOCK_K * stride_yk, or add the start of "
    "the turn to the offsets along K.",
    lines=(LOAD,),
)
_taken(
    "tile-of-a-again",
    "left-tile-again",
    says="Every turn takes the first tile of the left matrix, and the right one moves on: the products do not belong "
    "together.",
    next_step="Move the left one on as well: x_ptrs += BLOCK_K * stride_xk, or the start of the turn in its offsets "
    "along K.",
    lines=(r"\b[ax]\w*\s*=\s*tl\.load\(", LOAD),
)
_taken(
    "tile-of-b-again",
    "right-tile-again",
    says="Every turn takes the first tile of the right matrix, and the left one moves on: the products do not belong "
    "together.",
    next_step="Move the right one on as well: y_ptrs += BLOCK_K * stride_yk, or the start of the turn in its offsets "
    "along K.",
    lines=(r"\b[by]\w*\s*=\s*tl\.load\(", LOAD),
)
_taken(
    "moved-on-too-little",
    next_step="Move on by a tile: x_ptrs += BLOCK_K * stride_xk and y_ptrs += BLOCK_K * stride_yk.",
    says="A turn moves on by one product in place of a whole tile, in one matrix or in both: products count several "
    "times, and the end of K is not reached.",
    lines=(rf"{MOVE}(?!.*(?i:BLOCK|TILE|\bBK\b))", MOVE, LOAD),
)
_taken(
    "first-tile-loaded",
    says="Every program loads the first rows of the left matrix, or the first columns of the right one: its offsets do "
    "not hold its own tile's start.",
    lines=(r"=\s*tl\.arange\(0,\s*\w*[MN]\)\s*$", rf"ptr\w*\s*\+.*{OFFSETS}", OFFSETS),
)
