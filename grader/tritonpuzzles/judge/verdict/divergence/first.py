"""Find where the values of a kernel first go wrong."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tritonpuzzles.curriculum.quantities import TILE, Quantity
from tritonpuzzles.judge.evidence.states import Array
from tritonpuzzles.judge.verdict.divergence.causes import Kept, Wrong, cause_of, unjoined
from tritonpuzzles.judge.verdict.divergence.observed import Instant, Observed
from tritonpuzzles.judge.verdict.divergence.places import Elsewhere
from tritonpuzzles.judge.verdict.divergence.roles import Followed, What, follow
from tritonpuzzles.judge.verdict.divergence.tally import RETURNED, Miss, Order, Role, Tally, Variable


@dataclass(frozen=True)
class First:
    """The first wrong value, load or store."""

    what: What
    file: str  # and line: of the statement, or of what it comes from
    line: int
    order: Order  # of the event
    variable: Variable | None = None
    miss: Miss | None = None  # the wrong number, if it is one
    followed: Followed | None = None  # the variable with its quantity
    items: Array | None = None  # those that are read again, never, or in place of others
    row: int = 0  # of these items
    cause: Kept | None = None  # where a wrong number comes from
    elsewhere: Elsewhere | None = None  # where the stored values would be right, and the line that stores them


def first_divergence(seen: Observed, asked: Sequence[Quantity]) -> tuple[First | None, list[Followed]]:
    """Return the first divergence, and what all variables follow; see `follow`."""
    followed = follow(seen.tallies, asked, {start.variable[3] for start in seen.starts})
    found = min(_candidates(seen, followed, asked), key=lambda one: one.order, default=None)
    cause = None
    if found is not None and found.what is What.STORE:
        cause = unjoined(seen, asked)
    elif found is not None and found.variable is not None and found.miss is not None:
        own = found.followed.role.quantity if found.followed is not None else None
        names = [quantity.name for quantity in asked]
        cause = cause_of(Wrong(found.variable, found.miss, own, seen, followed, names))
    if found is None or cause is None:
        return found, followed
    return replace(found, file=cause.variable[1], line=cause.line, cause=cause), followed


def _candidates(seen: Observed, followed: Sequence[Followed], asked: Sequence[Quantity]) -> Iterator[First]:
    yield from _last_of_a_run([one for one in followed if not one.right and not _is_selected(one, seen, followed)])
    yield from _unknown(seen, followed)
    yield from _stuck(seen, followed, asked)
    for variable, miss in seen.stored.items():
        yield First(What.STORE, variable[1], variable[2], miss.order, miss=miss)
    for variable, miss in seen.unloaded.items():
        yield First(What.NOTHING, variable[1], variable[2], (*miss.order[:2], miss.order[2] - 1), miss=miss)
    for order, moved in seen.elsewhere:
        # Blame the load if nobody has loaded what is stored there, else the store; order it before what depends on it.
        missing = not moved.loaded.size or not set(moved.stored.tolist()) <= seen.reached[moved.word]
        event = moved.load if missing else moved.store
        yield First(What.ELSEWHERE, event.file, event.line, (*order[:2], order[2] - 1), elsewhere=moved)
    for what, loads in ((What.AGAIN, seen.again), (What.APART, seen.apart)):
        for order, one in loads:
            yield First(what, one.event.file, one.event.line, order, items=one.items, row=one.row)
    again = {order[:2] for order, _ in seen.again}
    for unread in seen.unread:
        load = unread.walked.load
        line = load.loops[-1].line if load.loops else load.line
        if unread.order[:2] not in again:
            yield First(What.UNREAD, load.file, line, unread.order, items=unread.items, row=unread.row)


def _is_selected(one: Followed, seen: Observed, followed: Sequence[Followed]) -> bool:
    """Return whether a later assignment of the same iteration makes the quantity right, for example a masked select."""
    assert one.miss is not None
    return any(
        moment.turn == one.miss.turn and moment.order > one.miss.order and moment.order[:2] == one.miss.order[:2]
        for other in followed
        if other.right and other.name == one.name
        if one.role.quantity.kind == TILE or other.variable[3] == one.variable[3]
        for moment in seen.moments.get(other.variable, [])
    )


def _unknown(seen: Observed, followed: Sequence[Followed]) -> Iterator[First]:
    """Yield variables that follow no quantity, at the first moment that shows it.

    In the first iteration a factor of 0 or 1 is as good as any: it rescales an empty sum.
    """
    known = {one.variable for one in followed}
    for variable, roles in seen.tallies.items():
        moments = sorted(seen.moments.get(variable, []), key=lambda moment: moment.order)
        if variable in known or any(moment.is_loaded for moment in moments):
            continue
        if (miss := _first_miss(variable, roles, moments, seen)) is not None:
            yield First(What.UNKNOWN, variable[1], variable[2], miss.order, variable, miss)


def _stuck(seen: Observed, followed: Sequence[Followed], asked: Sequence[Quantity]) -> Iterator[First]:
    """Yield variables that keep their start value in each iteration, if no variable keeps some main quantity."""
    right = {one.name for one in followed if one.right}
    if all(right & {quantity.name, *quantity.forms} for quantity in asked):
        return
    starts = {start.variable[3]: start.value for start in seen.starts}
    moved = {
        variable[3]
        for variable, moments in seen.moments.items()
        if any(moment.fixed != starts.get(variable[3]) for moment in moments)
    }
    for variable, moments in seen.moments.items():
        name, turns = variable[3], {moment.turn for moment in moments}
        if name in starts and name not in moved and len(turns) > 1:
            first = min(moments, key=lambda moment: moment.order)
            file, line = _made(variable, first, seen)
            miss = Miss(first.order, first.turn, 0, starts[name], math.nan)
            yield First(What.STUCK, file, line, first.order, variable, miss)


def _made(variable: Variable, moment: Instant, seen: Observed) -> tuple[str, int]:
    """Return where an assigned value was computed: at the `return` of a function, if it comes from one."""
    returned = [
        other
        for other, moments in seen.moments.items()
        if other[3].startswith(RETURNED)
        and any(one.fixed == moment.fixed and one.turn == moment.turn and one.order < moment.order for one in moments)
        and variable[2] in other[4]
    ]
    return (returned[-1][1], returned[-1][2]) if returned else (variable[1], variable[2])


def _first_miss(
    variable: Variable, roles: dict[Role, Tally], moments: Sequence[Instant], seen: Observed
) -> Miss | None:
    """Return the first moment at which a variable follows nothing, among those at which this can be seen."""
    held = any(tally.held for role, tally in roles.items() if not role.quantity.scaled)
    if not held and all(one.is_positive for one in moments) and not all(one.is_zero for one in moments):
        return None  # may be an exponential of scores so large that float32 does not show its right value
    misses = [tally.miss for tally in roles.values() if tally.miss is not None]
    moment = next((one for one in moments if one.is_telling or one.is_tile or (one.turn > 1 and one.may_tell)), None)
    if not misses or moment is None or (moment.is_zero and _is_set_again(variable, moment, seen)):
        return None
    return replace(min(misses, key=lambda miss: miss.order), order=moment.order, turn=moment.turn)


def _is_set_again(variable: Variable, moment: Instant, seen: Observed) -> bool:
    """Return whether the next assignment to the name is another one: then the value was only a start."""
    later = [
        (instant.order, other)
        for other, instants in seen.moments.items()
        if other[3:] == variable[3:]
        for instant in instants
        if instant.order > moment.order
    ]
    return bool(later) and min(later)[1] != variable


def _last_of_a_run(strayed: Sequence[Followed]) -> list[First]:
    """Return the variables that go wrong; of consecutive assignments of the same quantity, only the last."""
    found: list[First] = []
    missed = [(one.miss.order, one) for one in strayed if one.miss is not None]
    for order, one in sorted(missed, key=lambda pair: pair[0]):
        last = found[-1].followed if found else None
        if last is not None and last.role == one.role and one.times is None and order[2] == found[-1].order[2] + 1:
            found.pop()
        found.append(First(What.VARIABLE, one.variable[1], one.variable[2], order, one.variable, one.miss, one))
    return found
