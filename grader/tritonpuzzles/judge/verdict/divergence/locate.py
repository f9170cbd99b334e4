"""Find the line where a kernel's values first go wrong, when its mistake is unknown.

The search uses the wrong case that shows it best: a small one, with several tiles, in float32.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import torch
from torch import Tensor

from tritonpuzzles.curriculum.quantities import Walk
from tritonpuzzles.judge.drawn import DrawnCase
from tritonpuzzles.judge.evidence.cases import Evidence
from tritonpuzzles.judge.evidence.states import LaunchStates, was_cut
from tritonpuzzles.judge.resolve import authored, resolve
from tritonpuzzles.judge.tolerances import difference
from tritonpuzzles.judge.verdict.advice import lines_like
from tritonpuzzles.judge.verdict.divergence.first import First, first_divergence
from tritonpuzzles.judge.verdict.divergence.observed import Observed, Observer
from tritonpuzzles.judge.verdict.divergence.roles import What, Why
from tritonpuzzles.judge.verdict.divergence.words import Look
from tritonpuzzles.judge.verdict.emulate import shows_why
from tritonpuzzles.judge.verdict.judged import FEW_BITS, UNKNOWN, UNPROVEN, JudgedCase, have_wrong_values
from tritonpuzzles.judge.verdict.kernels import CORRECT, misspelt
from tritonpuzzles.judge.workers.trial import Trial
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.cover import EMULATED, READ_OUTSIDE, RIGHT, SETTLED
from tritonpuzzles.results.states import NOT_MATCHED
from tritonpuzzles.wire.authored import AuthorError, called
from tritonpuzzles.wire.observed import MAX_ELEMENTS

FEW_TURNS = 3  # enough to see what an iteration passes to the next
SMALLEST_TILE = 8  # a smaller constant counts stages or rows
TINY = 2  # rows, or columns
ROOM = MAX_ELEMENTS // 8  # elements of an output: a kernel has up to 8 variables of its shape
LOADED = (What.AGAIN, What.APART, What.UNREAD)
STORED = (What.STORE.key, What.NOTHING.key)
LOADING = frozenset(what.key for what in LOADED)
ORDINARY = 1e30  # larger numbers stand for an infinity
EXACT, ROUNDED = 1e-5, 5e-3  # relative errors: computed in float32; rounded to 16 bits on the way

Run = Callable[[int], Evidence]  # runs a case again, given its index


def telling_cases(compared: Sequence[JudgedCase]) -> list[JudgedCase]:
    """Return the cases that are small enough to record variables, the clearest first."""
    return sorted(filter(_fits, compared), key=_unclear)


def _fits(case: JudgedCase) -> bool:
    drawn = case.drawn
    seen = bool(case.evidence.launches) and not drawn.far_apart  # else its memory is too large to be recorded
    return seen and not drawn.is_empty and shows_why(drawn) and all(golden.numel() <= ROOM for golden in drawn.golden)


def _unclear(case: JudgedCase) -> tuple[bool, int, bool, bool, int]:
    numbers = any(bool(torch.isfinite(values).any()) for values in case.values)
    elements = max(golden.numel() for golden in case.drawn.golden)
    tiny = min(case.drawn.shape) <= TINY  # with one row, or rows of one number, agreement may be chance
    # The number of tiles in a row, from the smallest constant that may be their width.
    constants = (size for launch in case.evidence.launches for size in launch.constants.values())
    longest = max(max(golden.shape, default=1) for golden in case.drawn.golden)
    width = min((size for size in constants if size > SMALLEST_TILE), default=longest)
    return case.drawn.case.dtype != "float32", -min(FEW_TURNS, -(-longest // width)), not numbers, tiny, elements


def located(trial: Trial, judged: Sequence[JudgedCase], named: Sequence[Finding], run: Run) -> list[Finding]:
    """Return findings about wrong values with the line where values first go wrong, for named and unknown mistakes.

    Raises RecordError if the walk of the puzzle does not fit a case.
    """
    codes = {UNKNOWN, FEW_BITS, *(mistake.code for mistake in resolve(trial.task).mistakes)}
    asked = next((finding for finding in named if finding.code in codes), None)
    if asked is None:
        return list(named)
    wrong = [case for case in judged if case.is_wrong]
    told = misspelt(trial.file.source) if asked.code in (UNKNOWN, FEW_BITS) else None
    if told is not None:
        line, text = told
        found = replace(asked, message=f"{have_wrong_values(wrong)}. {text}", line=line, next_step=CORRECT)
    else:
        walked = trial.task.walk and not all(case.is_explained for case in wrong)
        case = next(iter(telling_cases(wrong)), None) if walked else None
        look = None if case is None else look_at(trial, case, run)
        if look is None:
            return list(named)
        found = (_located if asked.code == UNKNOWN else _confirmed)(trial, wrong, asked, look)
        right = look.right() if look.first is not None else {}
        found = found.noting({RIGHT: list(right), SETTLED: list(right.values())} if right else {})
    return [found if finding is asked else finding for finding in named]


def _confirmed(trial: Trial, wrong: Sequence[JudgedCase], named: Finding, look: Look) -> Finding:
    """Return a named mistake with the line where its values arise, because several lines may look like it.

    If its values are only NaN or 0, as for many mistakes, and a variable shows another cause, that is reported instead.
    Items that are read twice or never are reported instead of too few bits, which cannot cause them.
    """
    source, found = trial.file.source, _located(trial, wrong, replace(named, code=UNKNOWN), look)
    divergence = found.details.get("divergence", {})
    if named.code == FEW_BITS and divergence.get("what") in LOADING:
        return found
    known = next((mistake for mistake in resolve(trial.task).mistakes if mistake.code == named.code), None)
    like = lines_like(source, known.lines) if known is not None else []
    in_text = known is not None and known.by_text and len(like) == 1
    constants = {constant.line for constant in source.constants.values()}
    if named.line is not None and (EMULATED not in named.details or in_text or named.line in constants):
        return named
    if known is not None and known.loses in divergence.get("kept", ()) and UNPROVEN in named.details:
        return found
    where_called = source.calls_into(found.line, named.line)
    if not divergence or divergence["what"] in STORED or _is_at_an_end(divergence) or where_called:
        return named  # the line of a store, or of a call of what is wrong, says nothing new
    start = divergence.get("cause") == Why.START.key and found.line != named.line
    moved = source.moving(found.line) if found.line is not None else None
    line = moved.line if moved is not None and moved.line in like else found.line
    return found if UNPROVEN in named.details and start else replace(named, line=line)


def _is_at_an_end(divergence: Mapping[str, Any]) -> bool:
    """Return whether an unknown variable differs only where a number is infinite or nearly so."""
    values = [divergence.get("given", 0.0), divergence.get("right", 0.0)]  # non-finite numbers are text
    unknown = divergence["what"] == What.UNKNOWN.key and "cause" not in divergence
    return unknown and any(isinstance(value, str) or abs(value) > ORDINARY for value in values)


def _located(trial: Trial, wrong: Sequence[JudgedCase], unknown: Finding, look: Look) -> Finding:
    """Return a finding with the first divergence; loads outside of a tensor are reported already, and add nothing."""
    case, first = look.case, look.first
    if first is None:
        matched = any(one.right for one in look.followed)
        return unknown if matched else unknown.adding(NOT_MATCHED)
    if first.what in LOADED and any(finding.code == READ_OUTSIDE for finding in case.findings):
        return unknown  # the values of such a load are not from its tensor
    shape = "x".join(map(str, case.drawn.shape))
    told = replace(
        unknown,
        message=f'{have_wrong_values(wrong)}. In "{case.drawn.name}" {shape}: {look.sentence()}',
        case=case.drawn.name,
        line=_line(first, trial),
        next_step=look.next_step(),
        details={"cases": [one.drawn.name for one in wrong], "divergence": look.details()},
    )
    return _moved_on(told, trial) if first.what in (What.AGAIN, What.APART) else told


def _line(first: First, trial: Trial) -> int:
    """Return the line where values first go wrong.

    For a helper that is only an exponential this is its call. For a start value with a name it is the definition of the
    name.
    """
    variable = first.variable if first.cause is None else first.cause.variable
    calls = variable[4] if variable is not None else ()
    if calls and any(first.line in one.lines for one in trial.file.source.exponentials.values()):
        return calls[-1]
    is_start = first.cause is not None and first.cause.why is Why.START
    return trial.file.source.constant_in(first.line) or first.line if is_start else first.line


def _moved_on(finding: Finding, trial: Trial) -> Finding:
    """Move a finding on a load of wrong items to the line that advances its address, if there is only one."""
    moved = None if finding.line is None else trial.file.source.moving(finding.line)
    if moved is None:
        return finding
    text = f"Line {moved.line} moves {moved.name} by {moved.text} in each iteration."
    line = trial.file.source.step_made(moved.line)
    return finding.adding(text, line, "Work out by how much it must move for the next tile.")


def look_at(trial: Trial, case: JudgedCase, run: Run) -> Look | None:
    """Run a case again and compare its variables with the right values; return `None` if none were recorded.

    Raises RecordError if the walk of the puzzle does not fit the case.
    """
    launches = run(next(index for index, drawn in enumerate(trial.cases) if drawn.name == case.drawn.name)).states
    if launches is None:
        return None
    walk = walk_of(trial, case.drawn)
    asked = [quantity for quantity in walk.quantities if quantity.name in trial.task.quantities]
    seen = observe(walk, case, launches)
    return Look(case, walk, asked, launches, seen, *first_divergence(seen, asked))


def walk_of(trial: Trial, drawn: DrawnCase) -> Walk:
    """Return the walk of a case; raises RecordError if the author's function raises, or does not return one."""
    task = trial.task
    make = resolve(task).walk
    assert make is not None
    tensors = {name: _exact(layout.tensor()) for name, layout in drawn.tensors.items()}
    everything = {**tensors, **drawn.values}
    arguments = [everything[argument.name] for argument in task.arguments]
    with authored(task, f"walk {task.walk!r}"):
        walk = called(f"the walk {task.walk}", task.folder, make, *arguments)
        unknown = [name for name in task.quantities if name not in {known.name for known in walk.quantities}]
        if unknown:
            raise AuthorError(f"the walk {task.walk} has no quantity {unknown[0]!r}")
    return cast(Walk, walk)


def observe(walk: Walk, case: JudgedCase, launches: Sequence[LaunchStates]) -> Observed:
    """Compare the values of a case's variables with the right ones."""
    drawn = case.drawn
    inputs = {name: _exact(layout.tensor()).reshape(-1).numpy() for name, layout in drawn.tensors.items()}
    known = list(zip(drawn.outputs, drawn.golden, case.tolerances, strict=False))
    outputs = {expected.name: golden.double().numpy() for expected, golden, _ in known}
    limits = {expected.name: given.limit(golden).reshape(golden.shape).numpy() for expected, golden, given in known}
    seen = Observer(walk, inputs, outputs, wrong_rows(case), tolerance_of(walk, drawn), limits).observe(launches)
    if was_cut(launches):  # what is missing may come later
        seen.unread.clear()
    return seen


def tolerance_of(walk: Walk, drawn: DrawnCase) -> float:
    """Return the relative error that a correct kernel's intermediate values may have in a case."""
    return ROUNDED if walk.rounds and drawn.case.dtype != "float32" else EXACT


def wrong_rows(case: JudgedCase) -> list[int]:
    """Return the rows of the first wrong output, largest errors first."""
    number = next(iter(case.wrong), 0)
    off = difference(case.values[number], case.drawn.golden[number]).nan_to_num(float("inf"), float("inf"))
    rows = off.reshape(-1, off.shape[-1] if off.ndim else 1).amax(dim=1)
    found: list[int] = rows.argsort(descending=True, stable=True).tolist()
    return found


def _exact(tensor: Tensor) -> Tensor:
    return tensor.double() if tensor.is_floating_point() else tensor
