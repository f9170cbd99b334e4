"""Mistakes of the formulas of the gradients: which factor, in which order, transposed or not, and where it lies."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes.dot.common import BACK_A, BACK_B, CALL, MISTAKES, RETURN, SAVE
from tritonpuzzles.curriculum.mistakes.dot.machine import each, gradients
from tritonpuzzles.curriculum.mistakes.dot.products import recognise
from tritonpuzzles.curriculum.mistakes.matmul.machine import exchanged
from tritonpuzzles.curriculum.references import turned

BARE = r"^(?!.*ctx).*=\s*[ab]\s*(,|$)"  # x = a
BARE_FACTOR = r"\(\s*[ab]\s*,.*\bg\b|\bg\b.*,\s*[ab]\s*[,)]"  # multiply(b, g.T, da)
FLAG = r"^(?!\s*def\b).*(\.T\b|\.mT\b|\.t\(|transpose\()"
VIEWED = r"\.(?:view|reshape)\("


def _as_it_is(x: Tensor, transposed: bool) -> tuple[Tensor, Tensor]:
    """dx into da."""
    dx = torch.empty_like(x)
    return dx, dx


def _turned(x: Tensor, transposed: bool) -> tuple[Tensor, Tensor]:
    """dx into da.T."""
    dx = torch.empty_like(x)
    return dx, dx.mT


def _viewed(x: Tensor, transposed: bool) -> tuple[Tensor, Tensor]:
    """dx into da.view(x.shape): the sizes are exchanged, and the strides are not."""
    dx = torch.empty(x.shape)
    return dx, dx.view(turned(x, transposed).shape)


MISTAKES.add(
    "gradients-exchanged",
    "The two gradients stand in each other's place.",
    "Return one gradient for each argument of forward, in the order of its arguments: da, db, None, None.",
    RETURN,
    by=gradients(whose=lambda of, name: {"a": "b", "b": "a"}[name] if of.a.shape == of.b.shape else name),
    host=True,
    recognise=recognise,
)
MISTAKES.add(
    "factor-not-transposed",
    "A gradient is made with its factor as it is, not transposed: dX = G Y in place of G Y^T, or dY = X G in place of "
    "X^T G.",
    "Pass y.T for dX and x.T for dY: shapes tell, dX is (M, K) and dY (K, N).",
    *(CALL, BACK_A, BACK_B),
    by=each("a b ab", da=lambda of: (of.g, of.y), db=lambda of: (of.x, of.g)),
    host=True,
    recognise=recognise,
)
MISTAKES.add(
    "factors-in-reverse",
    "The factors of a gradient stand in the wrong order: Y^T G in place of G Y^T, or G X^T in place of X^T G.",
    "Take the order that the shapes allow: dX (M, K) is (M, N) times (N, K), dY (K, N) is (K, M) times (M, N).",
    *(CALL, BACK_A, BACK_B),
    by=each("a b ab", da=lambda of: (of.y.mT, of.g), db=lambda of: (of.g, of.x.mT)),
    host=True,
    recognise=recognise,
)
MISTAKES.add(
    "wrong-factor",
    "A gradient is made with the matrix that it belongs to, or with the result, in place of the other matrix.",
    "dX = G Y^T needs Y, and dY = X^T G needs X: save both inputs, and take each for the other's gradient.",
    *(CALL, SAVE, BACK_A),
    by=[
        *each("ab a b", da=lambda of: (of.g, of.x.mT), db=lambda of: (of.y.mT, of.g)),
        gradients(da=lambda of: (of.g, turned(of.x @ of.y, of.transpose_b).mT)),  # the result was saved
    ],
    host=True,
    recognise=recognise,
)
MISTAKES.add(
    "g-not-used",
    "The gradient that comes in is not used: the gradients are those of a sum of all of c, or c stands in its place.",
    "backward gets g, the gradient of the loss with respect to c: it is a factor of both gradients.",
    *(BACK_A, BACK_B, CALL),
    by=[
        gradients(back=lambda of: replace(of, g=torch.ones_like(of.g))),
        gradients(back=lambda of: replace(of, g=(of.x @ of.y).to(of.tile.dtype).float())),
    ],
    host=True,
)
MISTAKES.add(
    "transposition-ignored",
    "A matrix that is asked for transposed is taken as it is, or the other one is transposed in its place.",
    "x is a.T where transpose_a is true, y is b.T where transpose_b is: forwards as back.",
    BARE,
    r"ctx\.\w+.*=.*transpose",
    *(FLAG, CALL),
    by=[
        gradients(c=lambda of: (of.a, of.y)),
        gradients(c=lambda of: (of.x, of.b)),
        gradients(da=lambda of: (of.g, of.b.mT), db=lambda of: (of.a.mT, of.g), into_a=_as_it_is, into_b=_as_it_is),
        gradients(da=lambda of: (of.g, of.b.mT), db=lambda of: (of.a.mT, of.g)),
        gradients(back=lambda of: replace(of, transpose_a=of.transpose_b, transpose_b=of.transpose_a)),
        gradients(da=lambda of: (of.g, turned(of.b, of.transpose_a).mT)),  # by the other's flag
        gradients(db=lambda of: (turned(of.a, of.transpose_b).mT, of.g)),
    ],
    host=True,
    recognise=recognise,
)
MISTAKES.also(  # right where the other one was not asked for transposed
    "transposition-ignored",
    *(BARE_FACTOR, CALL),
    by=[
        gradients(da=lambda of: (of.b, of.g.mT) if of.transpose_a else (of.g, of.y.mT), into_a=_as_it_is),
        gradients(db=lambda of: (of.g.mT, of.a) if of.transpose_b else (of.x.mT, of.g), into_b=_as_it_is),
    ],
)
MISTAKES.add(
    "gradient-not-turned",
    "The gradient of a matrix that was asked for transposed lies the wrong way round: it holds dX, and dX^T "
    "belongs there.",
    "Where transpose_a is true, the gradient of a is dX^T: let the kernel write dX into its transpose. The same with "
    "b.",
    *(CALL, BACK_A, BACK_B),
    by=each("ab a b", into_a=_as_it_is, into_b=_as_it_is),
    host=True,
    recognise=recognise,
)
MISTAKES.also("gradient-not-turned", VIEWED, CALL, by=each("ab a b", into_a=_viewed, into_b=_viewed))
MISTAKES.add(
    "gradient-turned-twice",
    "A gradient is transposed although its matrix was not asked for transposed, or transposed twice where it was.",
    "da is dX, and dX^T only where transpose_a is true. The same with b.",
    *(CALL, BACK_A, BACK_B, RETURN),
    by=each("a b ab", into_a=_turned, into_b=_turned),
    host=True,
    recognise=recognise,
)
MISTAKES.add(
    "strides-exchanged",
    "The two strides of a matrix are exchanged: rows are counted by the stride of the columns, and the matrix is "
    "read transposed.",
    "Element (i, k) of x is at i * stride_xm + k * stride_xk, element (k, j) of y at k * stride_yk + j * stride_yn.",
    r"ptr\w*\s*\+.*stride",
    r"stride",
    by=[
        gradients(product=lambda factors, tile: exchanged(factors[0], tile) @ factors[1]),
        gradients(product=lambda factors, tile: factors[0] @ exchanged(factors[1], tile)),
    ],
)
