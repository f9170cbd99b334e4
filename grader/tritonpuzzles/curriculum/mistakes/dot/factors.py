"""Mistakes of the formulas of the gradients: which factor, in which order, transposed or not."""

from __future__ import annotations

from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Tile
from tritonpuzzles.curriculum.mistakes.dot.common import (
    BACK_A,
    BACK_B,
    CALL,
    MISTAKES,
    RETURN,
    SAVE,
    Call,
    Inputs,
    Made,
    empty_like,
    emulated,
    launched,
    right_c,
    right_da,
    right_db,
)
from tritonpuzzles.curriculum.mistakes.dot.products import recognise
from tritonpuzzles.curriculum.references import turned

BARE = r"^(?!.*ctx).*=\s*[ab]\s*(,|$)"  # x = a
FLAG = r"^(?!\s*def\b).*(\.T\b|\.mT\b|\.t\(|transpose\()"


def _da(x: Tensor, y: Tensor, call: Call) -> Tensor:
    """Return what the kernel leaves in the gradient of a for these two factors."""
    return call.to_a(launched(x, y, call.to_a(empty_like(call.a)), call.tile))


def _db(x: Tensor, y: Tensor, call: Call) -> Tensor:
    """Return what the kernel leaves in the gradient of b for these two factors."""
    return call.to_b(launched(x, y, call.to_b(empty_like(call.b)), call.tile))


@MISTAKES.add(
    "gradients-exchanged",
    "The two gradients stand in each other's place.",
    "Return one gradient for each argument of forward, in the order of its arguments: da, db, None, None.",
    RETURN,
    host=True,
    recognise=recognise,
)
def gradients_exchanged(inputs: Inputs, tile: Tile) -> tuple[Tensor, ...]:
    """db for a and da for b, where they have one shape."""
    if inputs[0].shape != inputs[1].shape:
        return emulated(inputs, tile)
    return emulated(inputs, tile, da=right_db, db=right_da)


@MISTAKES.add(
    "factor-not-transposed",
    "A gradient is made with its factor as it is, not transposed: dX = G Y in place of G Y^T, or dY = X G in place of "
    "X^T G.",
    "Pass y.T for dX and x.T for dY: shapes tell, dX is (M, K) and dY (K, N).",
    CALL,
    BACK_A,
    BACK_B,
    host=True,
    recognise=recognise,
)
def y_not_transposed(inputs: Inputs, tile: Tile) -> tuple[Tensor, ...]:
    """dx = g y."""
    return emulated(inputs, tile, da=_with_y)


@MISTAKES.also("factor-not-transposed")
def x_not_transposed(inputs: Inputs, tile: Tile) -> tuple[Tensor, ...]:
    """dy = x g."""
    return emulated(inputs, tile, db=_with_x)


@MISTAKES.also("factor-not-transposed")
def neither_transposed(inputs: Inputs, tile: Tile) -> tuple[Tensor, ...]:
    """Both."""
    return emulated(inputs, tile, da=_with_y, db=_with_x)


def _with_y(call: Call) -> Tensor:
    return _da(call.g, call.y, call)


def _with_x(call: Call) -> Tensor:
    return _db(call.x, call.g, call)


@MISTAKES.add(
    "factors-in-reverse",
    "The factors of a gradient stand in the wrong order: Y^T G in place of G Y^T, or G X^T in place of X^T G.",
    "Take the order that the shapes allow: dX (M, K) is (M, N) times (N, K), dY (K, N) is (K, M) times (M, N).",
    CALL,
    BACK_A,
    BACK_B,
    host=True,
    recognise=recognise,
)
def da_in_reverse(inputs: Inputs, tile: Tile) -> tuple[Tensor, ...]:
    """dx = y^T g."""
    return emulated(inputs, tile, da=_reversed_da)


@MISTAKES.also("factors-in-reverse")
def db_in_reverse(inputs: Inputs, tile: Tile) -> tuple[Tensor, ...]:
    """dy = g x^T."""
    return emulated(inputs, tile, db=_reversed_db)


@MISTAKES.also("factors-in-reverse")
def both_in_reverse(inputs: Inputs, tile: Tile) -> tuple[Tensor, ...]:
    """Both."""
    return emulated(inputs, tile, da=_reversed_da, db=_reversed_db)


def _reversed_da(call: Call) -> Tensor:
    return _da(call.y.mT, call.g, call)


def _reversed_db(call: Call) -> Tensor:
    return _db(call.g, call.x.mT, call)


@MISTAKES.add(
    "wrong-factor",
    "A gradient is made with the matrix that it belongs to, or with the result, in place of the other matrix.",
    "dX = G Y^T needs Y, and dY = X^T G needs X: save both inputs, and take each for the other's gradient.",
    CALL,
    SAVE,
    BACK_A,
    host=True,
    recognise=recognise,
)
def x_for_y(inputs: Inputs, tile: Tile) -> tuple[Tensor, ...]:
    """dx = g x^T and dy = y^T g."""
    return emulated(inputs, tile, da=_with_its_own_x, db=_with_its_own_y)


@MISTAKES.also("wrong-factor")
def x_for_y_in_da(inputs: Inputs, tile: Tile) -> tuple[Tensor, ...]:
    """dx = g x^T."""
    return emulated(inputs, tile, da=_with_its_own_x)


@MISTAKES.also("wrong-factor")
def y_for_x_in_db(inputs: Inputs, tile: Tile) -> tuple[Tensor, ...]:
    """dy = y^T g."""
    return emulated(inputs, tile, db=_with_its_own_y)


@MISTAKES.also("wrong-factor")
def the_result_for_b(inputs: Inputs, tile: Tile) -> tuple[Tensor, ...]:
    """dx = g op(c)^T: the result was saved in place of b."""
    return emulated(inputs, tile, da=_with_the_result)


def _with_its_own_x(call: Call) -> Tensor:
    return _da(call.g, call.x.mT, call)


def _with_its_own_y(call: Call) -> Tensor:
    return _db(call.y.mT, call.g, call)


def _with_the_result(call: Call) -> Tensor:
    return _da(call.g, turned(right_c(call), call.transpose_b).mT, call)


@MISTAKES.add(
    "g-not-used",
    "The gradient that comes in is not used: the gradients are those of a sum of all of c, or c stands in its place.",
    "backward gets g, the gradient of the loss with respect to c: it is a factor of both gradients.",
    BACK_A,
    BACK_B,
    CALL,
    host=True,
)
def ones_for_g(inputs: Inputs, tile: Tile) -> tuple[Tensor, ...]:
    """g = 1."""
    return emulated(inputs, tile, da=_given(right_da, ones=True), db=_given(right_db, ones=True))


@MISTAKES.also("g-not-used")
def the_result_for_g(inputs: Inputs, tile: Tile) -> tuple[Tensor, ...]:
    """g = c, rounded."""
    return emulated(inputs, tile, da=_given(right_da), db=_given(right_db))


def _given(made: Made, ones: bool = False) -> Made:
    """Return what makes the same with ones, or with the result, in place of g."""

    def make(call: Call) -> Tensor:
        c = right_c(call).to(call.tile.dtype).float()
        g = c.new_ones(c.shape) if ones else c
        return made(Call(call.a, call.b, g, call.transpose_a, call.transpose_b, call.tile))

    return make


@MISTAKES.add(
    "transposition-ignored",
    "A matrix that is asked for transposed is taken as it is, or the other one is transposed in its place.",
    "x is a.T where transpose_a is true, y is b.T where transpose_b is: forwards as back.",
    BARE,
    r"ctx\.\w+.*=.*transpose",
    FLAG,
    CALL,
    host=True,
    recognise=recognise,
)
def ignored_of_a(inputs: Inputs, tile: Tile) -> tuple[Tensor, ...]:
    """c = a op(b)."""
    return emulated(inputs, tile, c=lambda call: _c(call.a, call.y, call))


@MISTAKES.also("transposition-ignored")
def ignored_of_b(inputs: Inputs, tile: Tile) -> tuple[Tensor, ...]:
    """c = op(a) b."""
    return emulated(inputs, tile, c=lambda call: _c(call.x, call.b, call))


@MISTAKES.also("transposition-ignored")
def ignored_in_backward(inputs: Inputs, tile: Tile) -> tuple[Tensor, ...]:
    """da = g b^T and db = a^T g, whatever was asked for."""
    return emulated(
        inputs,
        tile,
        da=lambda call: launched(call.g, call.b.mT, empty_like(call.a), call.tile),
        db=lambda call: launched(call.a.mT, call.g, empty_like(call.b), call.tile),
    )


@MISTAKES.also("transposition-ignored")
def ignored_of_the_factors(inputs: Inputs, tile: Tile) -> tuple[Tensor, ...]:
    """dx = g b^T and dy = a^T g, each written as it should be."""
    return emulated(
        inputs,
        tile,
        da=lambda call: _da(call.g, call.b.mT, call),
        db=lambda call: _db(call.a.mT, call.g, call),
    )


@MISTAKES.also("transposition-ignored")
def flags_exchanged(inputs: Inputs, tile: Tile) -> tuple[Tensor, ...]:
    """a transposed where b should be, and b where a should be, in backward."""
    return emulated(inputs, tile, da=_exchanged(_right_da), db=_exchanged(_right_db))


@MISTAKES.also("transposition-ignored")
def flag_of_a_for_both(inputs: Inputs, tile: Tile) -> tuple[Tensor, ...]:
    """In backward, y is b transposed where a was asked for transposed."""
    return emulated(inputs, tile, da=lambda call: _da(call.g, turned(call.b, call.transpose_a).mT, call))


@MISTAKES.also("transposition-ignored")
def flag_of_b_for_both(inputs: Inputs, tile: Tile) -> tuple[Tensor, ...]:
    """In backward, x is a transposed where b was asked for transposed."""
    return emulated(inputs, tile, db=lambda call: _db(turned(call.a, call.transpose_b).mT, call.g, call))


BARE_FACTOR = r"\(\s*[ab]\s*,.*\bg\b|\bg\b.*,\s*[ab]\s*[,)]"  # multiply(b, g.T, da)


@MISTAKES.also("transposition-ignored", BARE_FACTOR, CALL)
def ignored_of_b_where_a_is_transposed(inputs: Inputs, tile: Tile) -> tuple[Tensor, ...]:
    """da = b g^T where a was asked for transposed, which is right where b was not."""
    return emulated(inputs, tile, da=_bare_b)


@MISTAKES.also("transposition-ignored", BARE_FACTOR, CALL)
def ignored_of_a_where_b_is_transposed(inputs: Inputs, tile: Tile) -> tuple[Tensor, ...]:
    """db = g^T a where b was asked for transposed, which is right where a was not."""
    return emulated(inputs, tile, db=_bare_a)


def _bare_b(call: Call) -> Tensor:
    if not call.transpose_a:
        return right_da(call)
    return launched(call.b, call.g.mT, empty_like(call.a), call.tile)


def _bare_a(call: Call) -> Tensor:
    if not call.transpose_b:
        return right_db(call)
    return launched(call.g.mT, call.a, empty_like(call.b), call.tile)


def _exchanged(made: Made) -> Made:
    return lambda call: made(Call(call.a, call.b, call.g, call.transpose_b, call.transpose_a, call.tile))


def _right_da(call: Call) -> Tensor:
    return _da(call.g, call.y.mT, call)


def _right_db(call: Call) -> Tensor:
    return _db(call.x.mT, call.g, call)


def _c(x: Tensor, y: Tensor, call: Call) -> Tensor:
    shape = call.x.shape[0], call.y.shape[1]
    return launched(x, y, call.g.new_empty(shape), call.tile)
