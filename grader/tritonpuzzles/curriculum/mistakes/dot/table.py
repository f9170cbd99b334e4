"""Mistakes of products with gradients: factors, order, transposition, passes, and those of puzzle 7 in all products."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Emulation, matmul
from tritonpuzzles.curriculum.mistakes.dot.common import BACK_A, BACK_B, CALL, MISTAKES, RETURN, SAVE, each, gradients
from tritonpuzzles.curriculum.mistakes.dot.products import recognise
from tritonpuzzles.curriculum.mistakes.lines import ARANGE, LOAD
from tritonpuzzles.curriculum.mistakes.matmul.common import exchanged
from tritonpuzzles.curriculum.references import turned

KEPT = r"ctx\.\w*(d[abxy]|grad|buffer|kept|out)\w*"
OWN = "Allocate new da and db in every backward pass: returned gradients belong to the caller."
MOVE = r"\b(\w+_?ptrs?\w*)\s*(\+=|=\s*\1\s*\+)"
BARE = r"^(?!.*ctx).*=\s*[ab]\s*(,|$)"  # x = a
BARE_FACTOR = r"\(\s*[ab]\s*,.*\bg\b|\bg\b.*,\s*[ab]\s*[,)]"  # multiply(b, g.T, da)
FLAG = r"^(?!\s*def\b).*(\.T\b|\.mT\b|\.t\(|transpose\()"
VIEWED = r"\.(?:view|reshape)\("

in_host = partial(MISTAKES.add, host=True)
of_factors = partial(in_host, recognise=recognise)  # values show which product it is


def _as_it_is(dx: Tensor, transposed: bool) -> Tensor:
    return dx


def _viewed(dx: Tensor, transposed: bool) -> Tensor:
    return dx.view(turned(dx, transposed).shape)  # sizes are exchanged, strides are not


of_factors(
    "gradients-exchanged",
    "The two gradients are exchanged.",
    "Return one gradient for each argument of forward, in the order of its arguments: da, db, None, None.",
    RETURN,
    by=gradients(whose=lambda of, name: {"a": "b", "b": "a"}[name] if of.a.shape == of.b.shape else name),
)
of_factors(
    "factor-not-transposed",
    "The factor of a gradient is not transposed: dX = G Y in place of G Y^T, or dY = X G in place of X^T G.",
    "Pass y.T for dX and x.T for dY: dX is (M, K), and dY is (K, N).",
    *(CALL, BACK_A, BACK_B),
    by=each("a b ab", da=lambda of: (of.g, of.y), db=lambda of: (of.x, of.g)),
)
of_factors(
    "factors-in-reverse",
    "The factors of a gradient are in the wrong order: Y^T G in place of G Y^T, or G X^T in place of X^T G.",
    "Take the order that the shapes allow: dX (M, K) is (M, N) times (N, K), dY (K, N) is (K, M) times (M, N).",
    *(CALL, BACK_A, BACK_B),
    by=each("a b ab", da=lambda of: (of.y.mT, of.g), db=lambda of: (of.g, of.x.mT)),
)
of_factors(
    "wrong-factor",
    "A gradient is computed with its own matrix, or with the result, in place of the other matrix.",
    "Save both inputs: dX = G Y^T needs Y, and dY = X^T G needs X.",
    *(CALL, SAVE, BACK_A),
    by=[
        *each("ab a b", da=lambda of: (of.g, of.x.mT), db=lambda of: (of.y.mT, of.g)),
        gradients(da=lambda of: (of.g, turned(of.x @ of.y, of.transpose_b).mT)),  # the result was saved instead
    ],
)
in_host(
    "g-not-used",
    "The incoming gradient g is not used: the gradients are those of the sum of c, or c is used in place of g.",
    "Use g, the gradient of the loss with respect to c, as a factor of both gradients.",
    *(BACK_A, BACK_B, CALL),
    by=[
        gradients(back=lambda of: replace(of, g=torch.ones_like(of.g))),
        gradients(back=lambda of: replace(of, g=(of.x @ of.y).to(of.tile.dtype).float())),
    ],
)
of_factors(
    "transposition-ignored",
    "A matrix is not transposed although its transpose flag is true, or the other matrix is transposed in its place.",
    "Use x = a.T where transpose_a is true and y = b.T where transpose_b is, in forward and in backward.",
    *(BARE, r"ctx\.\w+.*=.*transpose", FLAG, CALL),
    by=[
        gradients(c=lambda of: (of.a, of.y)),
        gradients(c=lambda of: (of.x, of.b)),
        gradients(da=lambda of: (of.g, of.b.mT), db=lambda of: (of.a.mT, of.g), into_a=_as_it_is, into_b=_as_it_is),
        gradients(da=lambda of: (of.g, of.b.mT), db=lambda of: (of.a.mT, of.g)),
        gradients(back=lambda of: replace(of, transpose_a=of.transpose_b, transpose_b=of.transpose_a)),
        gradients(da=lambda of: (of.g, turned(of.b, of.transpose_a).mT)),  # transposed by the other matrix's flag
        gradients(db=lambda of: (turned(of.a, of.transpose_b).mT, of.g)),
    ],
)
MISTAKES.also(  # right if the other matrix is not transposed
    "transposition-ignored",
    *(BARE_FACTOR, CALL),
    by=[
        gradients(da=lambda of: (of.b, of.g.mT) if of.transpose_a else (of.g, of.y.mT), into_a=_as_it_is),
        gradients(db=lambda of: (of.g.mT, of.a) if of.transpose_b else (of.x.mT, of.g), into_b=_as_it_is),
    ],
)
of_factors(
    "gradient-not-turned",
    "The gradient of a matrix whose transpose flag is true is not transposed: it holds dX, and must hold dX^T.",
    "Where transpose_a is true, the gradient of a is dX^T: let the kernel write dX into the transpose of da. Do the "
    "same for b.",
    *(CALL, BACK_A, BACK_B),
    by=each("ab a b", into_a=_as_it_is, into_b=_as_it_is),
)
MISTAKES.also(
    "gradient-not-turned",
    *(VIEWED, CALL),
    by=each("ab a b", into_a=_viewed, into_b=_viewed, like=lambda x: torch.empty(x.shape)),
)
of_factors(
    "gradient-turned-twice",
    "A gradient is transposed although the transpose flag of its matrix is false.",
    "Return dX as da, and dX^T only where transpose_a is true. Do the same for b.",
    *(CALL, BACK_A, BACK_B, RETURN),
    by=each("a b ab", into_a=lambda dx, _: dx.mT, into_b=lambda dx, _: dx.mT),
)
MISTAKES.add(
    "strides-exchanged",
    "The two strides of a matrix are exchanged: its rows use the stride of the columns, and the matrix is read "
    "transposed.",
    "Read element (i, k) of x at i * stride_xm + k * stride_xk, element (k, j) of y at k * stride_yk + j * stride_yn.",
    *(r"ptr\w*\s*\+.*stride", r"stride"),
    by=[
        gradients(product=lambda factors, tile: exchanged(factors[0], tile) @ factors[1]),
        gradients(product=lambda factors, tile: factors[0] @ exchanged(factors[1], tile)),
    ],
)
in_host(
    "passes-share-memory",
    "A second backward pass writes into the memory that the first one returned, and overwrites its gradients.",
    OWN,
    *(KEPT, SAVE, BACK_A),
    by=[
        gradients(passes=lambda passes: [passes[-1]] * len(passes)),
        gradients(passes=lambda passes: [(*passes[-1][:1], *own[1:]) for own in passes]),  # only the first gradient
        gradients(passes=lambda passes: [(*own[:-1], *passes[-1][-1:]) for own in passes]),  # only the last one
    ],
)
in_host(
    "passes-added",
    "A second backward pass adds to the gradients that the first one returned: each pass must return its own gradients "
    "only.",
    OWN,
    *(KEPT, SAVE, BACK_A),
    by=gradients(
        passes=lambda passes: [tuple(sum(one[1:], one[0]) for one in zip(*passes, strict=True))] * len(passes)
    ),
)
in_host(
    "first-pass-kept",
    "A second backward pass returns the gradients of the first, but its g is different.",
    "Launch the kernels in every backward pass.",
    *(KEPT, SAVE, CALL),
    by=gradients(passes=lambda passes: [passes[0]] * len(passes)),
)

# Mistakes whose texts fit any two matrices.
SAME = (
    "last-turn-left-out", "last-product-left-out", "first-turn-only", "last-turn-only", "padding-not-zero",
    "accumulator-not-at-zero", "added-twice", "low-precision", "tiles-exchanged",
)  # fmt: skip


def _in_all_products(code: str) -> tuple[Emulation, ...]:
    """Return the emulations of a call in which all products have a mistake of puzzle 7."""
    return tuple(gradients(product=product) for product in matmul.MISTAKES.by_code[code].emulations)  # type: ignore[arg-type]


for _code in SAME:
    MISTAKES.by_code[_code] = replace(matmul.MISTAKES.by_code[_code], emulations=_in_all_products(_code))
MISTAKES.add(
    "first-turn-again",
    "Every iteration loads the first tile of both matrices: the pointers do not move, or the offsets do not include "
    "the start of the iteration.",
    "End each iteration with x_ptrs += BLOCK_K * stride_xk and y_ptrs += BLOCK_K * stride_yk, or add the start of "
    "the iteration to the offsets along K.",
    LOAD,
    by=_in_all_products("first-turn-again"),
)
MISTAKES.add(
    "left-tile-again",
    "Every iteration loads the first tile of the left matrix, and the right one moves: the factors do not belong "
    "together.",
    "Move the left one, too: x_ptrs += BLOCK_K * stride_xk, or add the start of the iteration to its offsets along K.",
    *(r"\b[ax]\w*\s*=\s*tl\.load\(", LOAD),
    by=_in_all_products("tile-of-a-again"),
)
MISTAKES.add(
    "right-tile-again",
    "Every iteration loads the first tile of the right matrix, and the left one moves: the factors do not belong "
    "together.",
    "Move the right one, too: y_ptrs += BLOCK_K * stride_yk, or add the start of the iteration to its offsets along K.",
    *(r"\b[by]\w*\s*=\s*tl\.load\(", LOAD),
    by=_in_all_products("tile-of-b-again"),
)
MISTAKES.add(
    "moved-on-too-little",
    "An iteration moves by one product in place of a whole tile, in one matrix or in both: products count several "
    "times, and the end of K is not reached.",
    "Move by a tile: x_ptrs += BLOCK_K * stride_xk and y_ptrs += BLOCK_K * stride_yk.",
    *(rf"{MOVE}(?!.*(?i:BLOCK|TILE|\bBK\b))", MOVE, LOAD),
    by=_in_all_products("moved-on-too-little"),
)
MISTAKES.add(
    "first-tile-loaded",
    "Offsets do not start at a program's tile: it loads the first rows of the left matrix or columns of the right one, "
    "or starts at its number, not multiplied by the tile's size.",
    matmul.MISTAKES.by_code["first-tile-loaded"].next_step,
    *(r"=\s*tl\.arange\(0,\s*\w*[MN]\)\s*$", rf"ptr\w*\s*\+.*{ARANGE}", ARANGE),
    by=_in_all_products("first-tile-loaded"),
)
