"""Mistakes of where a matrix lies: gradients the wrong way round, strides exchanged."""

from __future__ import annotations

from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Tile
from tritonpuzzles.curriculum.mistakes.dot.common import (
    BACK_A,
    BACK_B,
    CALL,
    MISTAKES,
    RETURN,
    Call,
    Inputs,
    by_strides,
    empty_like,
    emulated,
    launched,
)
from tritonpuzzles.curriculum.mistakes.dot.kernel import in_all_products
from tritonpuzzles.curriculum.mistakes.dot.products import recognise

STRIDES = r"stride"


@MISTAKES.add(
    "gradient-not-turned",
    "The gradient of a matrix that was asked for transposed lies the wrong way round: it holds dX, and dX^T "
    "belongs there.",
    "Where transpose_a is true, the gradient of a is dX^T: let the kernel write dX into its transpose. The same with "
    "b.",
    CALL,
    BACK_A,
    BACK_B,
    host=True,
    recognise=recognise,
)
def neither_turned(inputs: Inputs, tile: Tile) -> tuple[Tensor, ...]:
    """dx into da and dy into db, whatever was asked for."""
    return emulated(inputs, tile, da=_dx_into_da, db=_dy_into_db)


@MISTAKES.also("gradient-not-turned")
def da_not_turned(inputs: Inputs, tile: Tile) -> tuple[Tensor, ...]:
    """dx into da."""
    return emulated(inputs, tile, da=_dx_into_da)


@MISTAKES.also("gradient-not-turned")
def db_not_turned(inputs: Inputs, tile: Tile) -> tuple[Tensor, ...]:
    """dy into db."""
    return emulated(inputs, tile, db=_dy_into_db)


VIEWED = r"\.(?:view|reshape)\("


@MISTAKES.also("gradient-not-turned", VIEWED, CALL)
def both_viewed(inputs: Inputs, tile: Tile) -> tuple[Tensor, ...]:
    """dx into da.view(x.shape), dy into db.view(y.shape): the sizes are exchanged, and the strides are not."""
    return emulated(inputs, tile, da=_viewed_da, db=_viewed_db)


@MISTAKES.also("gradient-not-turned", VIEWED, CALL)
def da_viewed(inputs: Inputs, tile: Tile) -> tuple[Tensor, ...]:
    """dx into da.view(x.shape)."""
    return emulated(inputs, tile, da=_viewed_da)


@MISTAKES.also("gradient-not-turned", VIEWED, CALL)
def db_viewed(inputs: Inputs, tile: Tile) -> tuple[Tensor, ...]:
    """dy into db.view(y.shape)."""
    return emulated(inputs, tile, db=_viewed_db)


def _viewed_da(call: Call) -> Tensor:
    return (call.g @ call.y.mT).contiguous().view(call.a.shape)


def _viewed_db(call: Call) -> Tensor:
    return (call.x.mT @ call.g).contiguous().view(call.b.shape)


def _dx_into_da(call: Call) -> Tensor:
    return launched(call.g, call.y.mT, empty_like(call.a), call.tile)


def _dy_into_db(call: Call) -> Tensor:
    return launched(call.x.mT, call.g, empty_like(call.b), call.tile)


@MISTAKES.add(
    "gradient-turned-twice",
    "A gradient is transposed although its matrix was not asked for transposed, or transposed twice where it was.",
    "da is dX, and dX^T only where transpose_a is true. The same with b.",
    CALL,
    BACK_A,
    BACK_B,
    RETURN,
    host=True,
    recognise=recognise,
)
def da_always_turned(inputs: Inputs, tile: Tile) -> tuple[Tensor, ...]:
    """dx into da^T."""
    return emulated(inputs, tile, da=_always_da)


@MISTAKES.also("gradient-turned-twice")
def db_always_turned(inputs: Inputs, tile: Tile) -> tuple[Tensor, ...]:
    """dy into db^T."""
    return emulated(inputs, tile, db=_always_db)


@MISTAKES.also("gradient-turned-twice")
def both_always_turned(inputs: Inputs, tile: Tile) -> tuple[Tensor, ...]:
    """Both."""
    return emulated(inputs, tile, da=_always_da, db=_always_db)


def _always_da(call: Call) -> Tensor:
    return launched(call.g, call.y.mT, empty_like(call.a).mT, call.tile).mT


def _always_db(call: Call) -> Tensor:
    return launched(call.x.mT, call.g, empty_like(call.b).mT, call.tile).mT


@MISTAKES.add(
    "strides-exchanged",
    "The two strides of a matrix are exchanged: rows are counted by the stride of the columns, and the matrix is "
    "read transposed.",
    "Element (i, k) of x is at i * stride_xm + k * stride_xk, element (k, j) of y at k * stride_yk + j * stride_yn.",
    r"ptr\w*\s*\+.*stride",
    STRIDES,
)
def strides_of_the_left_exchanged(inputs: Inputs, tile: Tile) -> tuple[Tensor, ...]:
    """x at i * stride_xk + k * stride_xm."""
    return in_all_products(lambda factors, _: _exchanged(factors[0]) @ factors[1])(inputs, tile)  # type: ignore[return-value]


@MISTAKES.also("strides-exchanged")
def strides_of_the_right_exchanged(inputs: Inputs, tile: Tile) -> tuple[Tensor, ...]:
    """y at k * stride_yn + j * stride_yk."""
    return in_all_products(lambda factors, _: factors[0] @ _exchanged(factors[1]))(inputs, tile)  # type: ignore[return-value]


def _exchanged(x: Tensor) -> Tensor:
    return by_strides(x, tuple(x.shape), x.stride()[::-1])
