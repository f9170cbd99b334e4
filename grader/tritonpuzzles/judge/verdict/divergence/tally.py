"""Hold what variables held against the right values, moment by moment: who agrees with which quantity, and how long."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from tritonpuzzles.curriculum.quantities import ROW, SUM, Factor, Quantity, Walk
from tritonpuzzles.judge.evidence.states import Array

Order = tuple[int, int, int]  # launch, batch, event
Variable = tuple[int, str, int, str, tuple[int, ...]]  # launch, file, line, name, calls: one assignment in the text


@dataclass(frozen=True)
class Role:
    """A quantity in one of the forms that a kernel may keep it in.

    Attributes:
        factor: by which it is multiplied.
    """

    quantity: Quantity
    factor: Factor


@dataclass(frozen=True)
class Miss:
    """Where a variable is not what it should be.

    Attributes:
        order: of the event.
        turn: tiles so far in the pass.
        row: of the matrix.
        given, right: the numbers there.
    """

    order: Order
    turn: int
    row: int
    given: float
    right: float


@dataclass
class Tally:
    """How well a variable has followed a role.

    Attributes:
        held: numbers that were compared.
        agreed: of these.
        telling: of those, the ones that do not agree with everything, as 0 and 1 do.
        good, bad: turns in which all numbers agreed, and in which not all did.
        miss: the first.
        first: the first comparison.
        began: whether everything agreed there.
    """

    held: int = 0
    agreed: int = 0
    telling: int = 0
    good: set[int] = field(default_factory=set)
    bad: set[int] = field(default_factory=set)
    miss: Miss | None = None
    first: Order | None = None
    began: bool = True

    @property
    def share(self) -> float:
        """Return the share that agreed."""
        return self.agreed / self.held if self.held else 0.0

    @property
    def is_hopeless(self) -> bool:
        """Return whether it has never agreed in several turns: it need not be held against this any more."""
        return len(self.bad) > PATIENCE and not self.good and self.telling < SOME * self.held


ABSOLUTE = 1e-4  # what a logarithm may be off
TINY, LITTLE = 1e-30, 1e-6  # what may stand for 0, and what tells nothing
PATIENCE = 3  # turns
SOME = 0.02  # of the numbers: fewer agree by chance

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
    """Values that are held against what is right.

    Attributes:
        given: one program's block.
        right: by quantity.
        rows: of the block, -1 for lines without one.
        order: of the event.
        turn: tiles so far in the pass.
        slack: by how much more than the tolerance exponentials may be off.
    """

    given: Array
    right: Mapping[str, Array]
    rows: Array
    order: Order
    turn: int
    slack: float = 0.0


def enter(found: dict[Role, Tally], held: Held, roles: Iterable[Role], tolerance: float) -> None:
    """Hold a variable's values at one moment against every role that fits their shape."""
    for role in roles:
        right = held.right.get(role.quantity.name)
        if right is None or right.size != held.given.size:
            continue
        shaped = next(forms(held.given, right.shape, role.quantity.kind), None)
        if shaped is None:
            continue
        tally = found.setdefault(role, Tally())
        if not tally.is_hopeless:
            _hold(tally, shaped, right * role.factor.value, held, role, tolerance)


def forms(given: Array, shape: tuple[int, ...], kind: str) -> Iterator[Array]:
    """Yield a variable's block in the shape of a quantity, where it has as many numbers."""
    if given.size != int(np.prod(shape)):
        return
    if kind == ROW:
        if given.ndim <= 1:
            yield given.reshape(shape)
        return
    if given.ndim == 2 and given.shape == shape:
        yield given
    elif given.ndim == 2 and given.shape == shape[::-1]:
        yield given.T
    elif given.ndim <= 1 and 1 in shape:
        yield given.reshape(shape)


def _hold(tally: Tally, given: Array, right: Array, held: Held, role: Role, tolerance: float) -> None:
    of_rows = np.broadcast_to((held.rows >= 0).reshape((-1,) + (1,) * (right.ndim - 1)), right.shape)
    lines = np.isfinite(right) & of_rows
    if not lines.any():
        return
    size = np.abs(right)
    with np.errstate(all="ignore"):
        if role.quantity.scaled or role.quantity.kind == SUM:  # terms of both signs cancel
            size = np.maximum(size, size[lines].max())
        if not role.quantity.scaled:
            tolerance += held.slack
        allowed = ABSOLUTE * role.factor.value if role.quantity.absolute else tolerance * size + TINY
        near = lines & (np.abs(given - right) <= allowed)
    tally.held += int(lines.sum())
    tally.agreed += int(near.sum())
    tally.telling += int((near & (np.abs(right) > LITTLE) & (right != 1)).sum())
    wrong = lines & ~near
    if tally.first is None or held.order <= tally.first:
        tally.began = not wrong.any() and (tally.began or held.order != tally.first)
        tally.first = held.order
    if not wrong.any():
        tally.good.add(held.turn)
        return
    tally.bad.add(held.turn)
    if tally.miss is None or held.order < tally.miss.order:
        at = np.unravel_index(int(np.argmax(np.where(wrong, _distance(given, right), -1.0))), right.shape)
        tally.miss = Miss(held.order, held.turn, int(held.rows[at[0]]), float(given[at]), float(right[at]))


def _distance(given: Array, right: Array) -> Array:
    with np.errstate(all="ignore"):
        found: Array = np.nan_to_num(np.abs(given - right), nan=np.inf, posinf=np.inf)
    return found
