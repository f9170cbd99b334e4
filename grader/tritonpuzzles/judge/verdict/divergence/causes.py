"""What a wrong number comes from, where it tells: a start, padding, what a variable was left with, an infinity.

Each rule looks at the number and at all that was seen, and knows no other; the first that holds is told.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from tritonpuzzles.curriculum.quantities import Quantity
from tritonpuzzles.judge.verdict.divergence.observed import Instant, Observed
from tritonpuzzles.judge.verdict.divergence.roles import Followed
from tritonpuzzles.judge.verdict.divergence.rows import Why
from tritonpuzzles.judge.verdict.divergence.tally import Miss, Variable

MAXIMA = ("m", "own_max", "lane_m", "top")
SUMS = ("l", "acc", "l_final")
PADDED = ("m", "own_max", *SUMS, "lane_l", "lane_share", "p", "e", "own_sum", "own_sum_final", "alone", "pv")
RETURNED = "return "  # what the name of a function's result begins with
LOWEST = -1e38  # what is below that is as good as -inf
HIGHEST_START = 1e4  # of a sum


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


@dataclass(frozen=True)
class Wrong:
    """A wrong number, and all that was seen.

    Attributes:
        variable: that holds it.
        miss: the number.
        name: of the quantity that the variable follows; empty where it follows none.
        followed: what each variable follows.
        asked: names of the main quantities.
    """

    variable: Variable
    miss: Miss
    name: str
    seen: Observed
    followed: Sequence[Followed]
    asked: Collection[str]

    def earlier(self) -> Iterator[tuple[Instant, Variable]]:
        """Yield what the same programs have assigned before."""
        for variable, moments in self.seen.moments.items():
            for moment in moments:
                if moment.order[:2] == self.miss.order[:2] and moment.order < self.miss.order:
                    yield moment, variable

    def right(self, *names: str) -> list[Followed]:
        """Return the variables that are some quantities to the end; those of any quantity without names."""
        return [one for one in self.followed if one.right and (not names or one.name in names)]


def cause_of(wrong: Wrong) -> Kept | None:
    """Return what a wrong number comes from."""
    return next((kept for rule in RULES if (kept := rule(wrong)) is not None), None)


def _infinite(wrong: Wrong) -> Kept | None:
    """Something is NaN before this is; or a load has brought infinities."""
    known = {one.variable for one in wrong.right()}
    found = [
        (moment.order, other)
        for moment, other in wrong.earlier()
        if other != wrong.variable
        and (moment.has_nan or (moment.has_infinity and moment.is_loaded and other not in known))
    ]
    return Kept(Why.INFINITE, min(found)[1]) if found and not math.isfinite(wrong.miss.given) else None


def _padding(wrong: Wrong) -> Kept | None:
    """The scores of the tile are right, and lanes without an item hold numbers."""
    seen, miss = wrong.seen, wrong.miss
    fixed = {moment.fixed for moment in seen.moments.get(wrong.variable, [])}
    if miss.given == -math.inf or (wrong.name == "" and len(fixed) == 1 and None not in fixed):
        return None  # no number in another lane gives that, or what is the same in every lane
    scores = {one.variable for one in wrong.right("s", "below", "below_top")}
    before = [
        padding
        for padding in seen.padding
        if (padding.order[:2], padding.turn) == (miss.order[:2], miss.turn)
        and padding.order <= miss.order
        and padding.variable in scores
    ]
    lanes = any(one.name.startswith("lane_") for one in wrong.right())  # which lanes count is selected later
    if wrong.name not in (*PADDED, "") or not before or before[-1].value <= LOWEST or lanes:
        return None
    last = before[-1]
    if len(before) > 1 and before[-2].variable[3].startswith(RETURNED) and before[-2].value == last.value:
        last = before[-2]  # which the last one only names
    return Kept(Why.PADDING, last.variable, last.value)


def _maximum_of_its_start(wrong: Wrong) -> Kept | None:
    """A maximum is still what it began with."""
    starts = [one for one in wrong.seen.starts if one.order <= wrong.miss.order and math.isfinite(one.value)]
    tallies = wrong.seen.tallies
    missed = {  # where a maximum of its name is not what it should be, and what it is
        (variable, tally.miss.given): tally.miss.right
        for variable, roles in tallies.items()
        for role, tally in roles.items()
        if role.quantity.name == "m" and tally.miss is not None
    }
    for start in starts:
        own = missed.get((wrong.variable, start.value), math.inf)
        named = any((other[3], given) == (start.variable[3], start.value) for other, given in missed)
        if wrong.name in (*MAXIMA, "") and start.value > own and named and not _begins_a_sum(start.variable, wrong):
            return Kept(Why.START, start.variable, start.value)
    return None


def _begins_a_sum(start: Variable, wrong: Wrong) -> bool:
    """Return whether a name agrees with a sum from its first moment on: its 0 is no maximum's start."""
    return any(
        role.quantity.name in SUMS and tally.began and tally.telling
        for variable, tallies in wrong.seen.tallies.items()
        if variable[3] == start[3]
        for role, tally in tallies.items()
    )


def _sum_of_its_start(wrong: Wrong) -> Kept | None:
    """A sum began with something, and no maximum so low that the first factor must be 0, whatever it began with."""
    if wrong.name not in (*SUMS, "") or wrong.miss.turn != 1 or any(one.value < LOWEST for one in wrong.seen.starts):
        return None
    for start in wrong.seen.starts:
        own = start.variable[3] == wrong.variable[3] and start.order <= wrong.miss.order
        if own and 0 < abs(start.value) < HIGHEST_START:
            return Kept(Why.START, start.variable, start.value)
    return None


def _zero(wrong: Wrong) -> Kept | None:
    """Exponentials are taken relative to 0, and a variable that follows nothing is 0 there."""
    if not wrong.name.endswith("_of_0"):
        return None
    known, moments = {one.variable for one in wrong.right()}, wrong.seen.moments
    zeros = {other for other in moments if other not in known and all(one.is_zero for one in moments[other])}
    found = [(moment.order, other) for moment, other in wrong.earlier() if other in zeros]
    order, zero = max(found, default=(wrong.miss.order, None))  # perhaps a maximum without a name
    lanes = [
        one
        for one in wrong.seen.padding
        if one.value == 0
        and one.variable in known
        and one.order[:2] == order[:2]
        and one.order < order
        and (zero is not None or one.turn == wrong.miss.turn)
    ]
    if lanes:
        return Kept(Why.PADDING, lanes[-1].variable, 0.0)
    return Kept(Why.ZERO, zero, 0.0) if zero is not None else None


def _turned(wrong: Wrong) -> Kept | None:
    """The scores are right but transposed, and no maximum is."""
    turned = [one.variable for one in wrong.right("s") if one.role.turned]
    return Kept(Why.TURNED, turned[0]) if turned and not wrong.right(*MAXIMA) else None


def _factor(wrong: Wrong) -> Kept | None:
    """Exponentials are taken of scores as a variable has them, which lack a factor."""
    power = wrong.name.partition("^")[2]
    for one in wrong.right("s") if power and not wrong.right("p", "alpha", "e") else ():
        if one.role.factor.lacks and f"{one.role.factor.value:.4g}" == power:
            return Kept(Why.FACTOR, one.variable, one.role.factor.value)
    return None


def _twice(wrong: Wrong) -> Kept | None:
    """A sum has the first tile twice, and a loop takes it for the second time."""
    moments = wrong.seen.moments.get(wrong.variable, [])
    loop = next((moment.loop for moment in moments if moment.order == wrong.miss.order), 0)
    return Kept(Why.TWICE, wrong.variable, loop=loop) if wrong.name.endswith("_twice") and loop else None


def _carried(wrong: Wrong) -> Kept | None:
    """Another assignment to the same name, the last of the turn before, has left something else there."""
    own = wrong.variable[:2], wrong.variable[3:]
    before = [
        (moment.order, other)
        for moment, other in wrong.earlier()
        if (other[:2], other[3:]) == own and moment.turn < wrong.miss.turn
    ]
    last = max(before, default=None)
    if last is None or last[1] == wrong.variable or wrong.name not in wrong.asked:
        return None
    is_right = any(one.variable == last[1] for one in wrong.right(*wrong.asked))
    return None if is_right else Kept(Why.CARRIED, last[1])


RULES: tuple[Callable[[Wrong], Kept | None], ...] = (
    _infinite,
    _padding,
    _maximum_of_its_start,
    _sum_of_its_start,
    _zero,
    _turned,
    _factor,
    _twice,
    _carried,
)


def unjoined(seen: Observed, asked: Sequence[Quantity]) -> Kept | None:
    """Return the last variable that keeps, lane by lane, a main quantity that no variable keeps for the row."""
    agreed = {
        variable: {role.quantity.name for role, tally in roles.items() if tally.telling and tally.is_exact}
        for variable, roles in seen.tallies.items()
        if seen.is_complete(variable)
    }
    for quantity in asked:
        lanes = {name for name in quantity.forms if name.startswith("lane_")}
        rows = {quantity.name, *quantity.forms} - lanes
        found = [variable for variable, names in agreed.items() if names & lanes]
        if found and not any(names & rows for names in agreed.values()):
            return Kept(Why.LANES, max(found, key=lambda variable: max(one.order for one in seen.moments[variable])))
    return None
