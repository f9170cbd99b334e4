"""The numbers of one row, on request: outputs and variables, beside the right values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from tritonpuzzles.curriculum.quantities import MAXIMUM, SUM, TILE, Walk
from tritonpuzzles.judge.evidence.states import LaunchStates
from tritonpuzzles.judge.tolerances import wrong_elements
from tritonpuzzles.judge.verdict.divergence.geometry import NONE, Follower, Moment
from tritonpuzzles.judge.verdict.divergence.locate import Run, look_at, telling_cases, tolerance_of, walk_of
from tritonpuzzles.judge.verdict.divergence.observed import given_at
from tritonpuzzles.judge.verdict.divergence.roles import Followed, Why
from tritonpuzzles.judge.verdict.divergence.tally import Held, Role, Tally, Variable, enter, shaped_as
from tritonpuzzles.judge.verdict.divergence.words import Look
from tritonpuzzles.judge.verdict.judged import JudgedCase
from tritonpuzzles.judge.workers.trial import Trial
from tritonpuzzles.results.states import NO_NUMBER, NOT_KEPT, NOT_MATCHED, ElementValue, RowStates, VariableValue
from tritonpuzzles.results.words import listed
from tritonpuzzles.wire.observed import VALUE

SHOWN = 6  # elements of a row
BEFORE = 2  # of these, before the first wrong one
MOST_VARIABLES = 60  # assignments


def row_states(trial: Trial, judged: Sequence[JudgedCase], told: str | None, run: Run) -> RowStates | None:
    """Return the numbers of the first wrong row of a case, or of the first row if all are right.

    The case is `told`, the one that the report names; another one if that is too large, or right. Raises RecordError if
    the walk of the puzzle does not fit a case.
    """
    compared = [case for case in judged if case.comparison is not None and case.comparison.values and case.tolerances]
    wrong = [case for case in compared if case.is_wrong]
    small = telling_cases(wrong)
    spoken_of = [case for case in small if case.drawn.name == told]
    case = next(iter([*spoken_of, *small, *wrong, *telling_cases(compared), *compared]), None)
    if case is None or case.drawn.rows or not case.drawn.golden or not case.drawn.golden[0].numel():
        return None
    found = _row(case)
    if not trial.task.walk:
        return found
    look = look_at(trial, case, run)
    walk = walk_of(trial, case.drawn) if look is None else look.walk
    found = replace(found, row_word=walk.row_word, item_word=walk.item_word, items=walk.n_items)
    if look is None:
        return replace(found, note=NOT_KEPT)
    follows = (*_kept_at_its_start(look), *_never_a_number(look), *look.followed)
    roles = {one.variable: one.role for one in follows if one.role.quantity.kind != TILE}
    quantities = {quantity.name: quantity for quantity in walk.quantities}
    values: list[VariableValue] = []
    kept = False
    for variable, moment in _moments(walk, look.launches, found.row):
        kept = True
        if moment.event.kind == VALUE and variable in roles:
            role = roles[variable]  # a role that no correct kernel has is compared as the role it stands for
            meant = replace(role, quantity=quantities.get(role.quantity.of, role.quantity))
            values += _value(moment, meant, found.row, tolerance_of(walk, case.drawn))
    note = ""
    if not values and all(np.isnan(element.expected) for element in found.elements):
        note = NO_NUMBER
    elif not values:
        note = _whole_tiles(look) if kept else NOT_KEPT
    elif len(values) > MOST_VARIABLES:
        note = f"The first {MOST_VARIABLES} of {len(values)} assignments."
    return replace(found, variables=tuple(values[:MOST_VARIABLES]), note=note)


def _whole_tiles(look: Look) -> str:
    """Return the note for a kernel without variables of one number per row: names of correct computed tiles."""
    moments = look.seen.moments
    right = (one.variable for one in look.followed if one.right)
    made = (one for one in right if not all(moment.is_loaded for moment in moments.get(one, ())))
    if names := list(dict.fromkeys(one[3] for one in made)):
        return f"No variable holds one number for each row; whole tiles, in {listed(names)}, are right."
    return NOT_MATCHED


def _kept_at_its_start(look: Look) -> Iterator[Followed]:
    """Yield maxima that keep their start value and are never right: by their values they match no quantity."""
    cause = None if look.first is None else look.first.cause
    if cause is None or cause.why is not Why.START:
        return
    for variable in (one for one in look.seen.tallies if one[3] == cause.variable[3]):
        tallies = look.seen.tallies[variable]
        maxima = (role for role in tallies if role.quantity.part == MAXIMUM)
        for role in [role for role in maxima if (miss := tallies[role].miss) and miss.given == cause.value][:1]:
            yield Followed(variable, role, False, tallies[role].miss)


def _never_a_number(look: Look) -> Iterator[Followed]:
    """Yield what is NaN or infinite throughout: it stands for the only quantity that is missing, if it has one name."""
    seen, followed = look.seen, {one.name for one in look.followed}
    missing = [quantity for quantity in look.asked if not followed & {quantity.name, *quantity.forms}]
    starts = {start.variable[3] for start in seen.starts}  # a running value has one; a factor of it has not
    lost = [
        variable
        for variable in seen.tallies
        if not starts or variable[3] in starts
        if all(one.has_nan or one.has_infinity for one in seen.moments.get(variable, ()))
    ]
    if len(missing) == 1 and len({variable[3] for variable in lost}) == 1:
        for variable in lost:
            tallies = seen.tallies[variable]
            meant = [role for role in tallies if role.quantity == missing[0]]  # plain before multiples
            yield from (Followed(variable, role, False, tallies[role].miss) for role in meant[:1])


def _row(case: JudgedCase) -> RowStates:
    """Return the first wrong row of a case, with some elements from shortly before the first wrong one."""
    output = next(iter(case.wrong), 0)
    given, golden = case.values[output], case.drawn.golden[output]
    wrong = wrong_elements(given, golden, case.tolerances[output]).numpy() if case.is_wrong else np.zeros(golden.shape)
    width = golden.shape[-1] if golden.ndim else 1
    first = int(wrong.reshape(-1).argmax())
    row, start = first // width, max(0, min(first % width - BEFORE, width - SHOWN))
    places = [row * width + column for column in range(start, min(width, start + SHOWN))]
    indices = [tuple(int(i) for i in np.unravel_index(place, tuple(golden.shape))) for place in places]
    elements = (ElementValue(at, golden[at].item(), given[at].item(), not wrong[at]) for at in indices)
    name = case.drawn.outputs[output].name
    return RowStates(case.drawn.name, name, row, "row", "column", 0, tuple(elements))


def _moments(walk: Walk, launches: Sequence[LaunchStates], row: int) -> Iterator[tuple[Variable, Moment]]:
    """Yield, in order, the assignments and stores of programs that worked on a row."""
    for number, launch in enumerate(launches):
        for batch in launch:
            for program in range(len(batch.programs)):
                for moment in Follower(walk, batch, program).moments():
                    if moment.walked is not None and row in moment.walked.rows:
                        event = moment.event
                        yield (number, event.file, event.line, event.name, event.calls), moment


def _value(moment: Moment, role: Role, row: int, tolerance: float) -> Iterator[VariableValue]:
    """Yield the value that an assignment has for a row, if the right value is known."""
    walked = moment.walked
    assert walked is not None
    right = walked.state.right().get(role.quantity.name)
    given = given_at(moment)
    if right is None or (right.size != given.size and given.size != 1):
        return
    shaped, at = shaped_as(given, right.shape, role.quantity.kind), list(walked.rows).index(row)
    place = (at,) + (0,) * (right.ndim - 1)
    if shaped is None or not np.isfinite(right[place]):
        return
    shaped = shaped.T if role.turned else shaped
    tallies: dict[Role, Tally] = {}
    alone = np.where(walked.rows == row, walked.rows, NONE)
    enter(tallies, Held(given, alone, (0, 0, moment.order), moment.tiles, walked.state), [role], tolerance)
    miss = tallies[role].miss if role in tallies else None
    got, expected = float(shaped[place]), float(right[place] * role.factor.value)
    if miss is not None:
        got, expected = miss.given, miss.right
    says = f"{role.quantity.says}, one element" if role.quantity.kind == SUM else role.quantity.says
    there = walked.items[walked.items >= 0]
    tile = (int(there.min()), int(there.max())) if there.size else (0, 0)
    yield VariableValue(moment.tiles, tile, moment.event.line, moment.event.name, says, expected, got, miss is None)
