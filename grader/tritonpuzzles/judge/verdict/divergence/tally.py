"""Compare variables with the right values, moment by moment: which quantity each agrees with, and for how long."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from tritonpuzzles.curriculum.quantities import ROW, SUM, Factor, Quantity, State, Walk
from tritonpuzzles.judge.evidence.states import Array

Order = tuple[int, int, int]  # launch, batch, event
Variable = tuple[int, str, int, str, tuple[int, ...]]  # launch, file, line, name, calls: one assignment in the text
RETURNED = "return "  # prefix of the name of a function's result


@dataclass(frozen=True)
class Role:
    """A quantity in one of the forms in which a kernel may keep it."""

    quantity: Quantity
    factor: Factor  # on the quantity
    turned: bool = False  # whether its block is transposed; set only for square ones, where the shape does not show it


@dataclass(frozen=True)
class Miss:
    """Where a variable differs from its right value."""

    order: Order  # of the event
    turn: int  # tiles so far in the pass
    row: int  # of the matrix
    given: float  # and right: the numbers there
    right: float


@dataclass
class Tally:
    """How well a variable has followed a role."""

    held: int = 0  # number of comparisons
    agreed: int = 0  # how many of these agreed
    rough: int = 0  # how many agreed within 16-bit rounding
    telling: int = 0  # agreeing numbers that would not agree with everything, as 0 and 1 do
    miss: Miss | None = None  # the first miss
    first: Order | None = None  # the first comparison
    began: bool = True  # whether everything agreed there
    low: float = math.inf  # and high: range of the ratios to the right numbers, where those are large enough
    high: float = -math.inf

    @property
    def share(self) -> float:
        """Return the share of comparisons that agreed."""
        return self.agreed / self.held if self.held else 0.0

    @property
    def is_exact(self) -> bool:
        """Return whether everything agreed."""
        return 0 < self.held == self.agreed

    @property
    def is_rough(self) -> bool:
        """Return whether everything agreed within 16-bit rounding, and not everything more closely."""
        return self.held > 0 and self.rough == self.held > self.agreed

    @property
    def times(self) -> float | None:
        """Return the factor on all numbers, if it is one constant other than 1."""
        is_one = (
            0 < self.low <= self.high < (1 + STEADY) * self.low or (1 + STEADY) * self.high < self.low <= self.high < 0
        )
        middle = (self.low + self.high) / 2
        return middle if is_one and abs(middle - 1) > STEADY else None


STEADY = 1e-3  # relative spread up to which a factor counts as constant
LARGE = 0.1  # of the largest number: smaller ones have lost too many digits
ROUGH = 1e-2  # of a number: its error after some steps in 16 bits
ABSOLUTE = 1e-4  # error allowed for a logarithm
TINY, LITTLE = 1e-30, 1e-6  # may stand for 0; too small to prove agreement
VAGUE = 0.05  # error of an exponential beyond which it proves nothing
SOME = 0.02  # share of the numbers: fewer agree by chance

Tallies = dict[Variable, dict[Role, Tally]]


def roles_of(walk: Walk) -> list[Role]:
    """Return every role that a variable may have."""
    return [
        Role(quantity, factor)
        for quantity in walk.quantities
        for factor in (walk.factors if quantity.scaled else (Factor(),))
    ]


@dataclass(frozen=True)
class Held:
    """Values that are compared with the right ones."""

    given: Array  # one program's block
    rows: Array  # of the block, -1 for lines without one
    order: Order  # of the event
    turn: int  # tiles so far in the pass
    state: State  # the right values


def enter(found: dict[Role, Tally], held: Held, roles: Iterable[Role], tolerance: float) -> None:
    """Compare a variable's values at one moment with every role that fits their shape."""
    right_of = held.state.right()
    for role in roles:
        right = right_of.get(role.quantity.name)
        if right is None or (
            right.size != held.given.size and not (held.given.size == 1 and role.quantity.kind == ROW)
        ):
            continue
        shaped = shaped_as(held.given, right.shape, role.quantity.kind)
        square = held.given.ndim == 2 and held.given.shape[0] == held.given.shape[1]
        for one in (role, replace(role, turned=True)) if square else (role,):
            if shaped is not None:
                tally, block = found.setdefault(one, Tally()), shaped.T if one.turned else shaped
                _hold(tally, block, right * role.factor.value, held, role, tolerance)


def shaped_as(given: Array, shape: tuple[int, ...], kind: str) -> Array | None:
    """Return a variable's block, perhaps transposed, in a quantity's shape; `None` if it does not fit."""
    if kind == ROW and given.size == 1:
        return np.full(shape, given.item())  # one number for all rows of the block
    if kind == ROW or 1 in shape:
        return given.reshape(shape) if given.ndim <= 1 else None
    if given.shape == shape:
        return given
    return given.T if given.shape == shape[::-1] else None


def _hold(tally: Tally, given: Array, right: Array, held: Held, role: Role, tolerance: float) -> None:
    by_row = (-1,) + (1,) * (right.ndim - 1)
    known, slack = held.rows >= 0, held.state.slack
    if role.quantity.scaled:  # terms of both signs cancel
        size = np.maximum(np.abs(right), (held.state.largest * role.factor.value).reshape(by_row))
        allowed = tolerance * size
    else:
        known = known & (slack <= VAGUE)
        size = np.abs(right)
        if role.quantity.kind == SUM:
            known_size = np.where(np.isfinite(size), size, 0.0)  # some elements may be unknown
            size = np.maximum(size, known_size.max(axis=1, keepdims=True, initial=0.0))
        allowed = (tolerance + slack.reshape(by_row)) * size + TINY
    if role.quantity.absolute:
        allowed = np.full(right.shape, ABSOLUTE * role.factor.value)
    lines = np.isfinite(right) & known.reshape(by_row)
    if not lines.any():
        return
    with np.errstate(all="ignore"):
        off = np.abs(given - right)
        near, rough = lines & (off <= allowed), lines & (off <= np.maximum(allowed, ROUGH * size))
    large = lines & (np.abs(right) > LARGE * size) & (right != 0)
    if large.any():
        with np.errstate(all="ignore"):
            ratios = given[large] / right[large]
        tally.low, tally.high = min(tally.low, float(ratios.min())), max(tally.high, float(ratios.max()))
    tally.held += int(lines.sum())
    tally.agreed += int(near.sum())
    tally.rough += int(rough.sum())
    known_size = np.abs(right) > (np.maximum(allowed, LITTLE) if role.quantity.scaled else LITTLE)  # else 0 would agree
    tally.telling += int((near & known_size & (right != 1)).sum())
    wrong = lines & ~near
    if tally.first is None or held.order <= tally.first:
        tally.began = not wrong.any() and (tally.began or held.order != tally.first)
        tally.first = held.order
    if wrong.any() and (tally.miss is None or held.order < tally.miss.order):
        distance = np.nan_to_num(off, nan=np.inf, posinf=np.inf)
        at = np.unravel_index(int(np.argmax(np.where(wrong, distance, -1.0))), right.shape)
        tally.miss = Miss(held.order, held.turn, int(held.rows[at[0]]), float(given[at]), float(right[at]))
