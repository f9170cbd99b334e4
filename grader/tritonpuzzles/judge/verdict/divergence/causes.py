"""Where a wrong number comes from, if it shows: a start value, padding, the iteration before, an infinity.

Each rule uses the number and all observations, independently of the other rules; the first that holds is reported.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from tritonpuzzles.curriculum.quantities import MAXIMUM, SCORE, TOTAL, WEIGHT, Quantity
from tritonpuzzles.judge.verdict.divergence.observed import Instant, Observed
from tritonpuzzles.judge.verdict.divergence.roles import Followed, Why
from tritonpuzzles.judge.verdict.divergence.tally import RETURNED, Miss, Variable

LOWEST = -1e38  # lower numbers count as -inf
HIGHEST_START = 1e4  # of a sum


@dataclass(frozen=True)
class Kept:
    """The variable that a wrong number comes from."""

    why: Why
    variable: Variable
    value: float = math.nan  # what it held, if that is worth reporting
    loop: int = 0  # line of the loop that is to blame, 0 if none is

    @property
    def line(self) -> int:
        """The line to look at."""
        return self.loop or self.variable[2]


@dataclass(frozen=True)
class Wrong:
    """A wrong number, and all observations."""

    variable: Variable  # that holds it
    miss: Miss
    own: Quantity | None  # that the variable follows, if any
    seen: Observed
    followed: Sequence[Followed]
    asked: Collection[str]  # names of the main quantities

    def earlier(self) -> Iterator[tuple[Instant, Variable]]:
        """Yield earlier assignments of the same batch."""
        for variable, moments in self.seen.moments.items():
            for moment in moments:
                if moment.order[:2] == self.miss.order[:2] and moment.order < self.miss.order:
                    yield moment, variable

    def right(self, *parts: str) -> list[Followed]:
        """Return the variables that are right to the end; if parts of the algorithm are given, only those parts."""
        return [one for one in self.followed if one.right and (not parts or one.role.quantity.part in parts)]

    def may_be(self, part: str) -> bool:
        """Return whether the variable follows a quantity of a part of the algorithm, or none at all."""
        return self.own is None or self.own.part == part


def cause_of(wrong: Wrong) -> Kept | None:
    """Return where a wrong number comes from."""
    return next((kept for rule in RULES if (kept := rule(wrong)) is not None), None)


def _infinite(wrong: Wrong) -> Kept | None:
    """An earlier variable is NaN."""
    found = [(moment.order, other) for moment, other in wrong.earlier() if other != wrong.variable and moment.has_nan]
    return Kept(Why.INFINITE, min(found)[1]) if found and not math.isfinite(wrong.miss.given) else None


def _padding(wrong: Wrong) -> Kept | None:
    """The scores of the tile are right, and lanes without an item hold numbers that count."""
    seen, miss = wrong.seen, wrong.miss
    fixed = {moment.fixed for moment in seen.moments.get(wrong.variable, [])}
    if miss.given == -math.inf or (wrong.own is None and len(fixed) == 1 and None not in fixed):
        return None  # a number in another lane gives neither -inf nor one value in all lanes
    scores = {one.variable for one in wrong.right(SCORE)}
    before = [
        padding
        for padding in seen.padding
        if (padding.order[:2], padding.turn) == (miss.order[:2], miss.turn)
        and padding.order <= miss.order
        and padding.variable in scores
    ]
    quantities = [one.role.quantity for one in wrong.right()]
    if wrong.own is not None and wrong.own.part == MAXIMUM:
        quantities.append(wrong.own)
    selected = any(quantity.lanes for quantity in quantities)  # which lanes count is selected later
    if not before or before[-1].value <= LOWEST or selected:
        return None
    last = before[-1]
    if len(before) > 1 and before[-2].variable[3].startswith(RETURNED) and before[-2].value == last.value:
        last = before[-2]  # the last one is only another name for it
    return Kept(Why.PADDING, last.variable, last.value)


def _maximum_of_its_start(wrong: Wrong) -> Kept | None:
    """A maximum still has its start value."""
    tallies = [(variable, *one) for variable, roles in wrong.seen.tallies.items() for one in roles.items()]
    missed = [
        (variable, tally.miss)
        for variable, role, tally in tallies
        if role.quantity.part == MAXIMUM and role.quantity.name in wrong.asked and tally.miss is not None
    ]
    names = {(variable[3], miss.given) for variable, miss in missed}
    too_high = {miss.given for variable, miss in missed if variable == wrong.variable and miss.given > miss.right}
    sums = {  # these agree with a sum from their first moment on: their 0 is not the start of a maximum
        variable[3]
        for variable, role, tally in tallies
        if role.quantity.part == TOTAL and tally.began and tally.telling
    }
    for start in wrong.seen.starts if wrong.may_be(MAXIMUM) else ():
        own = start.order <= wrong.miss.order and (start.variable[3], start.value) in names
        if own and start.value in too_high and math.isfinite(start.value) and start.variable[3] not in sums:
            return Kept(Why.START, start.variable, start.value)
    return None


def _sum_of_its_start(wrong: Wrong) -> Kept | None:
    """A sum has a start value other than 0, and no start is so low that its first factor would be 0 anyway."""
    if not wrong.may_be(TOTAL) or wrong.miss.turn != 1 or any(one.value < LOWEST for one in wrong.seen.starts):
        return None
    for start in wrong.seen.starts:
        own = start.variable[3] == wrong.variable[3] and start.order <= wrong.miss.order
        if own and 0 < abs(start.value) < HIGHEST_START:
            return Kept(Why.START, start.variable, start.value)
    return None


def _padding_as_score(wrong: Wrong) -> Kept | None:
    """Exponentials are relative to 0, the value of lanes without an item beside correct scores."""
    known = {one.variable for one in wrong.right()}
    lanes = [
        one.variable
        for one in wrong.seen.padding
        if (one.order[:2], one.turn, one.value) == (wrong.miss.order[:2], wrong.miss.turn, 0)
        and one.order < wrong.miss.order
        and one.variable in known
    ]
    return Kept(Why.PADDING, lanes[-1], 0.0) if lanes and wrong.own is not None and wrong.own.power == 0 else None


def _turned(wrong: Wrong) -> Kept | None:
    """The scores are right but transposed, and no maximum is right."""
    turned = [one.variable for one in wrong.right(SCORE) if one.role.turned]
    return Kept(Why.TURNED, turned[0]) if turned and not wrong.right(MAXIMUM) else None


def _factor(wrong: Wrong) -> Kept | None:
    """Exponentials are taken of scores, held in a variable, that lack a factor."""
    power = 1.0 if wrong.own is None else wrong.own.power
    for one in wrong.right(SCORE) if power != 1 and not wrong.right(WEIGHT) else ():
        if one.role.factor.lacks and math.isclose(one.role.factor.value, power):
            return Kept(Why.FACTOR, one.variable, power)
    return None


def _twice(wrong: Wrong) -> Kept | None:
    """A sum contains the first tile twice: a loop adds it again."""
    moments = wrong.seen.moments.get(wrong.variable, [])
    loop = next((moment.loop for moment in moments if moment.order == wrong.miss.order), 0)
    return Kept(Why.TWICE, wrong.variable, loop=loop) if wrong.own is not None and wrong.own.twice and loop else None


def _carried(wrong: Wrong) -> Kept | None:
    """Another assignment to the same name, the last of the previous iteration, left a wrong value there."""
    own = wrong.variable[:2], wrong.variable[3:]
    before = [
        (moment.order, other)
        for moment, other in wrong.earlier()
        if (other[:2], other[3:]) == own and moment.turn < wrong.miss.turn
    ]
    last = max(before, default=None)
    if last is None or last[1] == wrong.variable or wrong.own is None or wrong.own.name not in wrong.asked:
        return None
    is_right = any(one.variable == last[1] and one.name in wrong.asked for one in wrong.right())
    return None if is_right else Kept(Why.CARRIED, last[1])


def _maximum_lost(wrong: Wrong) -> Kept | None:
    """A maximum is right in one variable, but another variable, which is carried to the next iteration, has lost it."""
    right = {one.variable: one.name for one in wrong.right(MAXIMUM) if one.name in wrong.asked}
    names = {(start.variable[0], start.variable[3:]) for start in wrong.seen.starts}
    for other, roles in wrong.seen.tallies.items():
        if other[3] == wrong.variable[3] or other in right or (other[0], other[3:]) not in names:
            continue
        for role, tally in roles.items():
            lost, told = tally.miss, tally.began and tally.telling and role.quantity.name in right.values()
            before = wrong.miss.order[:2], wrong.miss.turn - 1
            if lost is not None and told and (lost.order[:2], lost.turn) == before:
                return Kept(Why.CARRIED, other)
    return None


RULES: tuple[Callable[[Wrong], Kept | None], ...] = (
    _infinite,
    _padding,
    _maximum_of_its_start,
    _sum_of_its_start,
    _padding_as_score,
    _turned,
    _factor,
    _twice,
    _maximum_lost,
    _carried,
)


def unjoined(seen: Observed, asked: Sequence[Quantity]) -> Kept | None:
    """Return the last variable that holds a main quantity lane by lane, if no variable holds it for the whole row."""
    agreed = {
        variable: [role.quantity for role, tally in roles.items() if tally.telling and tally.is_exact]
        for variable, roles in seen.tallies.items()
        if seen.is_complete(variable)
    }
    for names in ({quantity.name, *quantity.forms} for quantity in asked):
        kept = [(variable, one) for variable, found in agreed.items() for one in found if one.name in names]
        if kept and all(one.lanes for _, one in kept):
            return Kept(Why.LANES, max(kept, key=lambda pair: max(one.order for one in seen.moments[pair[0]]))[0])
    return None
