"""What a wrong number comes from, where it tells: a start, padding, what a variable was left with, an infinity."""

from __future__ import annotations

import enum
import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from tritonpuzzles.judge.verdict.divergence.observed import Observed
from tritonpuzzles.judge.verdict.divergence.roles import Followed
from tritonpuzzles.judge.verdict.divergence.tally import Miss, Order, Variable

MAXIMA = ("m", "own_max", "lane_m", "top")
SUMS = ("l", "acc", "l_final")
PADDED = ("m", "own_max", *SUMS, "lane_l", "lane_share", "p", "e", "own_sum", "own_sum_final", "alone", "pv")
RETURNED = "return "  # what the name of a function's result begins with
LOWEST = -1e38  # what is below that is as good as -inf
HIGHEST_START = 1e4  # of a sum


class Why(enum.Enum):
    """How a number came to be wrong."""

    START = "start"  # what the variable began with
    PADDING = "padding"  # what the lanes past the end held
    CARRIED = "carried"  # what the variable was left with in the turn before
    INFINITE = "infinite"  # something before is no number
    TURNED = "turned"  # the scores are transposed
    FACTOR = "factor"  # what the exponential is taken of lacks a factor
    ONE = "one"  # a factor is 1 in the first turn, where there is nothing to keep
    ZERO = "zero"  # what is subtracted is 0
    STALE = "stale"  # another variable was left with something else in the turn before
    TWICE = "twice"  # a loop takes again what was taken before it
    LANES = "lanes"  # what each lane has kept is never joined


@dataclass(frozen=True)
class Kept:
    """The variable that a wrong number comes from.

    Attributes:
        value: what it held, where that says something.
        loop: line of the loop that is to blame, 0 where none is.
    """

    why: Why
    variable: Variable
    value: float = math.nan
    loop: int = 0

    @property
    def line(self) -> int:
        """The line to look at."""
        return self.loop or self.variable[2]


def cause_of(
    variable: Variable,
    miss: Miss,
    own: Followed | None,
    seen: Observed,
    followed: Sequence[Followed],
    asked: Collection[str],
) -> Kept | None:
    """Return what a wrong number comes from.

    Args:
        variable: that holds it.
        miss: the number.
        own: what the variable follows, if anything.
        seen: all that was observed.
        followed: what each variable follows.
        asked: names of the main quantities.
    """
    name = own.name if own is not None else ""
    rules = (_infinite, _padding, _start, _start_of_a_later_pass, _one, _zero, _turned, _factor, _twice)
    found = (kept for rule in rules for kept in rule(variable, miss, name, seen, followed))
    return (
        next(found, None)
        or _stale(variable, miss, seen, followed, asked)
        or _carried(variable, miss, name, seen, followed, asked)
    )


def _padding(variable: Variable, miss: Miss, name: str, seen: Observed, followed: Sequence[Followed]) -> Iterator[Kept]:
    """The scores of the tile are right, and lanes without an item hold numbers."""
    fixed = {moment.fixed for moment in seen.moments.get(variable, [])}
    if miss.given == -math.inf or (name == "" and len(fixed) == 1 and None not in fixed):
        return  # no number in another lane gives that, or what is the same in every lane
    scores = {one.variable for one in followed if one.right and one.name in ("s", "below", "below_top")}
    before = [
        padding
        for padding in seen.padding
        if padding.order[:2] == miss.order[:2]
        and padding.order <= miss.order
        and padding.turn == miss.turn
        and padding.variable in scores
    ]
    lanes = any(one.right and one.name.startswith("lane_") for one in followed)  # which lanes count is selected later
    if name in (*PADDED, "") and before and before[-1].value > LOWEST and not lanes:
        last = before[-1]
        if len(before) > 1 and before[-2].variable[3].startswith(RETURNED) and before[-2].value == last.value:
            last = before[-2]  # which the last one only names
        yield Kept(Why.PADDING, last.variable, last.value)


def _start(variable: Variable, miss: Miss, name: str, seen: Observed, followed: Sequence[Followed]) -> Iterator[Kept]:
    """A maximum is still what it began with, or a sum began with something."""
    tallies = seen.tallies.get(variable, {})
    maxima = [tally.miss for role, tally in tallies.items() if role.quantity.name == "m" and tally.miss is not None]
    harmless = _is_first_factor_0(seen)
    for start in seen.starts:
        if start.order > miss.order or not math.isfinite(start.value):
            continue
        if (
            name in (*MAXIMA, "")
            and not _begins_a_sum(start.variable, seen)
            and any(start.value == one.given > one.right for one in maxima)
            and any(
                other[3] == start.variable[3]
                and role.quantity.name == "m"
                and tally.miss
                and tally.miss.given == start.value
                for other, found in seen.tallies.items()
                for role, tally in found.items()
            )
        ):
            yield Kept(Why.START, start.variable, start.value)
        same = not harmless and start.variable[3] == variable[3] and miss.turn == 1
        if name in (*SUMS, "") and same and 0 < abs(start.value) < HIGHEST_START:
            yield Kept(Why.START, start.variable, start.value)


def _is_first_factor_0(seen: Observed) -> bool:
    """Return whether a maximum begins so low that the first factor must be 0, whatever a sum begins with."""
    return any(start.value < LOWEST for start in seen.starts)


def _one(variable: Variable, miss: Miss, name: str, seen: Observed, followed: Sequence[Followed]) -> Iterator[Kept]:
    """A sum keeps in the first turn what it began with: a factor that should be 0 there is 1."""
    began = any(start.variable[3] == variable[3] and start.value for start in seen.starts)
    if name not in (*SUMS, "") or miss.turn != 1 or not began or not _is_first_factor_0(seen):
        return
    for other, moments in seen.moments.items():
        strays = any(role.quantity.name == "alpha" and tally.miss for role, tally in seen.tallies[other].items())
        ones = (one for one in moments if one.turn == 1 and one.fixed == 1 and _is_just_before(one.order, miss.order))
        if other != variable and strays and any(ones):
            yield Kept(Why.ONE, other, 1.0)


def _zero(variable: Variable, miss: Miss, name: str, seen: Observed, followed: Sequence[Followed]) -> Iterator[Kept]:
    """Exponentials are taken relative to 0, and a variable that follows nothing is 0 there."""
    if not name.endswith("_of_0"):
        return
    known = {one.variable for one in followed if one.right}
    found = [
        (moment.order, other)
        for other, moments in seen.moments.items()
        if other not in known and all(moment.is_zero for moment in moments)
        for moment in moments
        if _is_just_before(moment.order, miss.order)
    ]
    order, zero = max(found, default=(miss.order, None))  # perhaps a maximum without a name
    lanes = [
        one
        for one in seen.padding
        if one.value == 0
        and one.variable in known
        and _is_just_before(one.order, order)
        and (zero is not None or one.turn == miss.turn)
    ]
    if lanes:
        yield Kept(Why.PADDING, lanes[-1].variable, 0.0)
    elif zero is not None:
        yield Kept(Why.ZERO, zero, 0.0)


def _is_just_before(order: Order, other: Order) -> bool:
    """Return whether an event comes before another of the same programs."""
    return order[:2] == other[:2] and order < other


def _begins_a_sum(start: Variable, seen: Observed) -> bool:
    """Return whether a name agrees with a sum from its first moment on: its 0 is no maximum's start."""
    return any(
        role.quantity.name in SUMS and tally.began and tally.telling
        for variable, tallies in seen.tallies.items()
        if variable[3] == start[3]
        for role, tally in tallies.items()
    )


def _start_of_a_later_pass(
    variable: Variable, miss: Miss, name: str, seen: Observed, followed: Sequence[Followed]
) -> Iterator[Kept]:
    """What is wrong is a number that the variable is set to, in each row, and that it goes on from."""
    moments = seen.moments.get(variable, [])
    fixed = {moment.fixed for moment in moments}
    others = (other for other in seen.tallies if other != variable and other[3] == variable[3])
    value = next(iter(fixed)) if len(fixed) == 1 else None
    if name == "" and value is not None and 0 < abs(value) < HIGHEST_START and any(others):
        yield Kept(Why.START, variable, value)


def _carried(
    variable: Variable, miss: Miss, name: str, seen: Observed, followed: Sequence[Followed], asked: Collection[str]
) -> Kept | None:
    """Another assignment to the same name, the last of the turn before, has left something else there."""
    before = [
        (moment.order, other)
        for other, moments in seen.moments.items()
        if other[:2] == variable[:2] and other[3:] == variable[3:]
        for moment in moments
        if moment.order[:2] == miss.order[:2] and moment.order < miss.order and moment.turn < miss.turn
    ]
    last = max(before, default=None)
    if last is None or last[1] == variable or name not in asked:
        return None
    if any(one.variable == last[1] and one.right and one.name in asked for one in followed):
        return None
    return Kept(Why.CARRIED, last[1])


def _stale(
    variable: Variable, miss: Miss, seen: Observed, followed: Sequence[Followed], asked: Collection[str]
) -> Kept | None:
    """Another variable that is kept has lost, in the turn before, a maximum that it had and that is right elsewhere."""
    right = {one.variable: one.name for one in followed if one.right and one.name in asked}
    for other, roles in seen.tallies.items():
        if other[3] == variable[3] or other in right or not _is_kept(other, seen):
            continue
        for role, tally in roles.items():
            lost = tally.miss
            if (
                lost is not None
                and role.quantity.name in MAXIMA
                and role.quantity.name in right.values()
                and tally.began
                and tally.telling
                and (lost.order[:2], lost.turn) == (miss.order[:2], miss.turn - 1)
            ):
                return Kept(Why.STALE, other)
    return None


def _is_kept(variable: Variable, seen: Observed) -> bool:
    """Return whether a name holds something before the first tile, so that it may go from turn to turn."""
    return any(start.variable[0] == variable[0] and start.variable[3:] == variable[3:] for start in seen.starts)


def _infinite(
    variable: Variable, miss: Miss, name: str, seen: Observed, followed: Sequence[Followed]
) -> Iterator[Kept]:
    """Something is NaN before this is; or a load has brought infinities."""
    if math.isfinite(miss.given):
        return
    known = {one.variable for one in followed if one.right}
    before = [
        (moment.order, other, moment)
        for other, moments in seen.moments.items()
        if other != variable
        for moment in moments
        if moment.order[:2] == miss.order[:2] and moment.order < miss.order
    ]
    nans = [(order, other) for order, other, moment in before if moment.has_nan]
    infinities = [
        (order, other)
        for order, other, moment in before
        if moment.has_infinity and moment.is_loaded and other not in known
    ]
    found = min([*nans, *infinities], default=None)
    if found is not None:
        yield Kept(Why.INFINITE, found[1])


def _factor(variable: Variable, miss: Miss, name: str, seen: Observed, followed: Sequence[Followed]) -> Iterator[Kept]:
    """Exponentials are taken of scores as a variable has them, which lack a factor."""
    power = name.partition("^")[2]
    if not power or any(one.right and one.name in ("p", "alpha", "e") for one in followed):
        return
    for one in followed:
        if one.right and one.name == "s" and one.role.factor.lacks and f"{one.role.factor.value:.4g}" == power:
            yield Kept(Why.FACTOR, one.variable, one.role.factor.value)
            return


def _turned(variable: Variable, miss: Miss, name: str, seen: Observed, followed: Sequence[Followed]) -> Iterator[Kept]:
    """The scores are right but transposed, and no maximum is."""
    if any(one.right and one.name in MAXIMA for one in followed):
        return
    turned = [one.variable for one in followed if one.right and one.name == "s" and one.role.turned]
    if turned:
        yield Kept(Why.TURNED, turned[0])


def _twice(variable: Variable, miss: Miss, name: str, seen: Observed, followed: Sequence[Followed]) -> Iterator[Kept]:
    """A sum has the first tile twice, and a loop takes it for the second time."""
    loop = next((moment.loop for moment in seen.moments.get(variable, []) if moment.order == miss.order), 0)
    if name.endswith("_twice") and loop:
        yield Kept(Why.TWICE, variable, loop=loop)
