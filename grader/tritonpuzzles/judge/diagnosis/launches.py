"""Small changes of what a launch is given, each with what it says is wrong: candidates for a proof, nothing more.

They change the recorded program, and not the text of the host function: what stands there is a number already, so that
a change says in each case which size, stride or argument it takes in its place.
"""

from __future__ import annotations

import ast
import contextlib
import json
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, combinations, pairwise
from typing import Any

from tritonpuzzles.curriculum.expressions import next_power_of_2
from tritonpuzzles.judge.diagnosis.arguments import (
    Launch,
    Number,
    inverses_of,
    is_number,
    launches_of,
    numbers_of,
    programs_of,
    stride_of,
    view_of,
)
from tritonpuzzles.judge.diagnosis.kerneltext import NameKind
from tritonpuzzles.judge.workers.lanes import CaseProgram
from tritonpuzzles.source import Source
from tritonpuzzles.source.functions import names_in
from tritonpuzzles.source.passing import argument_line, grid_line

COMPARE = "Compare the arguments of the launch with the kernel's parameters."
MOST_PLACES = 6
MATRIX = 2  # axes
ONE_CALL = 0.01  # of the cost of what one call among several passes: what they share is tried first
CLOSE: dict[int, Callable[[float, float], bool]] = {  # of `numbers_of`: sizes, tiles along them, powers of two
    0: lambda size, given: given in (size, size - 1, size + 1, next_power_of_2(int(size))),
    1: lambda tiles, given: given in (tiles, tiles - 1),  # rounded down, and not up
    3: lambda power, given: given in (power, power // 2, 2 * power),
}
NEAR, FAR = 0.3, 0.5  # cost of what is off by one at the most, or of one change in a file; below that of all others


@dataclass(frozen=True)
class LaunchEdit:
    """One change of all launches that a call of the host function makes from the same place.

    Attributes:
        place: the innermost lines that lead to it: one, or two where a function that launches is called from several.
        change: returns arguments and grid as they would be.
        name: of the only parameter that gets another number; empty for all else.
        line, says, step, cost: as of an `Edit`.
    """

    place: tuple[int, ...]
    change: Callable[[Launch], Launch]
    name: str
    line: int
    says: str
    step: str
    cost: float

    def of(self, program: CaseProgram) -> CaseProgram:
        """Return a case's program after the change; the same where the case has no such launch."""
        written = json.loads(program.payload)
        for launch in launches_of(written):
            if _leads(self.place, launch):
                launch |= self.change(launch)
        return replace(program, payload=json.dumps(written).encode())


def launch_edits(programs: Sequence[CaseProgram], source: Source) -> list[LaunchEdit]:
    """Return the edits of all launches of some cases' programs; those that are alike in all of them once."""
    by_case = [list(launches_of(json.loads(one.payload))) for one in programs]
    found: list[LaunchEdit] = []
    for place in _places([launch for launches in by_case for launch in launches])[:MOST_PLACES]:
        of_cases = (next((one for one in launches if _leads(place, one)), None) for launches in by_case)
        found += _of_place(place, [launch for launch in of_cases if launch is not None], source)
    return found


def _line(source: Source, place: tuple[int, ...], launch: Launch, name: str) -> int:
    """Return where a parameter, or the grid, gets its value; of one call among several not what they share."""
    calls = tuple(launch["calls"]) or place
    line = argument_line(source, calls, name) if name else grid_line(source, calls)
    shared = any(place[0] in one.body and line in one.body for one in source.functions)
    return place[1] if len(place) > 1 and shared else line


def _places(launches: Sequence[Launch]) -> list[tuple[int, ...]]:
    """Return the places of launches: each line that launches, and each call of one that several calls lead to."""
    calls = dict.fromkeys(tuple(launch["calls"][:2]) or (launch["line"],) for launch in launches if launch["line"])
    lines = dict.fromkeys(place[:1] for place in calls)
    several = [place for place in calls if sum(other[0] == place[0] for other in calls) > 1]
    return [*lines, *several]


def _leads(place: tuple[int, ...], launch: Launch) -> bool:
    return (tuple(launch["calls"]) or (launch["line"],))[: len(place)] == place


def parameters(programs: Sequence[CaseProgram]) -> dict[str, dict[str, NameKind]]:
    """Return what each kernel gets by which parameter, as far as launches tell."""
    found: dict[str, dict[str, NameKind]] = {}
    for program in programs:
        written = json.loads(program.payload)
        for launch in launches_of(written):
            kinds = ((name, _kind(item)) for name, item in launch["arguments"].items())
            kernel = written["kernels"][launch["kernel"]]
            found.setdefault(kernel["name"], {}).update((name, kind) for name, kind in kinds if kind is not None)
    return found


def _kind(item: Mapping[str, Any]) -> NameKind | None:
    if "view" in item:
        return NameKind.POINTER
    return (NameKind.WHOLE if isinstance(item["value"], int) else NameKind.NUMBER) if is_number(item) else None


def _of_place(place: tuple[int, ...], launches: Sequence[Launch], source: Source) -> Iterator[LaunchEdit]:
    """Yield the edits of the launches of one place, one in each case."""
    first = launches[0]
    known: set[str] = set()

    def made(change: Callable[[Launch], Launch], name: str, says: str, step: str, cost: float) -> Iterator[LaunchEdit]:
        try:
            changed = [change(launch) for launch in launches]
        except (KeyError, IndexError, TypeError, ZeroDivisionError):
            return
        gives = json.dumps(changed, sort_keys=True)
        if gives not in known and any(launch | new != launch for launch, new in zip(launches, changed, strict=True)):
            known.add(gives)
            one_call = ONE_CALL * (len(place) - 1)
            yield LaunchEdit(place, change, name, _line(source, place, first, name), says, step, cost + one_call)

    tensors = [name for name, item in first["arguments"].items() if "view" in item]
    steps = _steps(source)
    numbers = {name: item["value"] for name, item in first["arguments"].items() if is_number(item)}
    whole = [name for name, value in numbers.items() if isinstance(value, int)]
    groups = numbers_of(first, tensors, numbers)
    for several in (groups[2], [stride_of(name, 0) for name in tensors]):
        for names in _in_another_order(several, whole, launches):
            says = "the launch passes strides in another order than the kernel takes them"
            given = dict(zip(names, several, strict=True))
            others = (name for name in names if not all(_gives(given[name], launch, name) for launch in launches))
            yield from made(_given(given), next(others, names[0]), says, COMPARE, NEAR)
    for tensor in tensors:
        if len(view_of(first, tensor)["shape"]) != MATRIX:
            continue
        strides = [stride_of(tensor, 0), stride_of(tensor, 1)]
        for names in pairwise(whole):
            given = dict(zip(names, strides, strict=True))
            right = [all(_gives(given[name], launch, name) for name in names) for launch in launches]
            some = 2 * sum(right) >= len(right)
            if some or all(_are_strides(names, launch, tensors) for launch in launches):  # there, or of another
                says = f"{' and '.join(names)} are not the strides of {tensor}{' in every call' if some else ''}"
                step = f"Pass the strides of what is passed as {tensor}."
                yield from made(_given(given), names[0], says, step, NEAR)
    for kind, cost in ((tensors, 0.9), (whole, 1.0)):
        for one, other in combinations(kind, 2):
            beside = kind is whole and whole.index(other) == whole.index(one) + 1
            of_one = beside and _are_of_one_tensor(launches, tensors, one, other)
            turned = kind is tensors and all(_is_later(launch, one, other) for launch in launches)
            says = f"{one} and {other} are exchanged in the launch"
            for edit in made(_exchanged(one, other), one, says, COMPARE, NEAR if of_one or turned else cost):
                everywhere = of_one and len(place) == 1  # and not in one call of several
                yield _in_the_kernel(edit, source, first, one, other) if everywhere else edit
    for name, value in ((name, value) for name, value in numbers.items() if name not in steps):
        step = f"Which number does the kernel take {name} for?"
        for group in groups if isinstance(value, int) else [inverses_of(first, tensors)]:
            alike = any(all(_gives(number, launch, name) for launch in launches) for number in group)
            for number in group:
                says = f"{name} is not what the kernel needs"
                some = any(launch["arguments"][name]["value"] > 1 for launch in launches)
                near = some and any(
                    group is groups[index] and all(_gives_some(is_near, number, launch, name) for launch in launches)
                    for index, is_near in CLOSE.items()
                )
                yield from made(_given({name: number}), name, says, step, NEAR if near else 1.0 if alike else 1.3)
    for axis in range(2):
        step = "How many programs does the kernel need there, and what does each of them take?"
        says = f"the grid has the wrong number of programs along axis {axis}"
        for number in (programs_of(1 - axis), *chain(*groups)):
            yield from made(_programs(axis, number), "", says, step, 1.4)


def _are_strides(names: Sequence[str], launch: Launch, tensors: Sequence[str]) -> bool:
    """Return whether a launch passes as some parameters the strides of one of its tensors, in their order."""
    given = [launch["arguments"][name].get("value") for name in names]
    return any(given == list(view_of(launch, tensor)["stride"]) for tensor in tensors)


def _are_of_one_tensor(launches: Sequence[Launch], tensors: Sequence[str], one: str, other: str) -> bool:
    """Return whether launches pass as two parameters the two sizes, or the two strides, of the same tensor."""

    def values(launch: Launch) -> list[int]:
        return sorted((launch["arguments"][one]["value"], launch["arguments"][other]["value"]))

    return any(
        all(values(launch) == sorted(view_of(launch, tensor)[what]) for launch in launches)
        for tensor in tensors
        for what in ("stride", "shape")
    )


def _in_the_kernel(edit: LaunchEdit, source: Source, launch: Launch, one: str, other: str) -> LaunchEdit:
    """Return an exchange of two strides at the first line that takes them for each other, if the launch does not.

    Launches pass the strides of a tensor in the order of its axes.
    """
    given = [launch["arguments"][name]["value"] for name in (one, other)]
    tensors = [view_of(launch, name) for name, item in launch["arguments"].items() if "view" in item]
    if all(given != list(view["stride"]) for view in tensors):
        return edit
    users = [node for kernel in source.kernels for node in kernel.nodes if isinstance(node, ast.Name)]
    lines = sorted({node.lineno for node in users if node.id in (one, other)})
    if not lines:
        return edit
    says = f"{one} and {other} are taken for each other, wherever the kernel uses them"
    asked = "Which of the two is the step from row to row, and which from column to column?"
    return replace(edit, line=lines[0], says=says, step=f"{asked} Line {edit.line} passes them.")


def _steps(source: Source) -> set[str]:
    """Return the constants that kernels walk along something by: as large as all of it, they would end every walk."""
    bounds = (bound for loop in source.loops for bound in loop.bounds)
    added = (made.value for kernel in source.kernels for made in kernel.assignments if made.operator is not None)
    return names_in(*bounds, *added) & {name for kernel in source.kernels for name in kernel.constants}


def _in_another_order(
    sources: Sequence[Number], names: Sequence[str], launches: Sequence[Launch]
) -> Iterator[Sequence[str]]:
    """Yield parameters, one behind the other, that get the values of some sources in all launches, in any order."""
    count = len(sources)
    for start in range(len(names) - count + 1 if count > 2 else 0):
        found = names[start : start + count]
        given = ([launch["arguments"][name]["value"] for name in found] for launch in launches)
        wanted = ([source(launch) for source in sources] for launch in launches)
        if all(sorted(one) == sorted(other) for one, other in zip(given, wanted, strict=True)):
            yield found


def _is_later(launch: Launch, one: str, other: str) -> bool:
    """Return whether a launch passes as one parameter a tensor that the call was given after that of another."""
    return bool(view_of(launch, one)["storage"] > view_of(launch, other)["storage"])


def _gives_some(is_meant: Callable[[float, float], bool], source: Number, launch: Launch, name: str) -> bool:
    """Return whether what a source gives is like what a launch passes."""
    with contextlib.suppress(KeyError, IndexError, ZeroDivisionError):
        return is_meant(source(launch), launch["arguments"][name].get("value"))
    return False


_gives = partial(_gives_some, operator.eq)


def _exchanged(one: str, other: str) -> Callable[[Launch], Launch]:
    def change(launch: Launch) -> Launch:
        given = launch["arguments"]
        return {"arguments": {**given, one: given[other], other: given[one]}}

    return change


def _given(sources: Mapping[str, Number]) -> Callable[[Launch], Launch]:
    def change(launch: Launch) -> Launch:
        values = {name: {"value": source(launch)} for name, source in sources.items()}
        return {"arguments": {**launch["arguments"], **values}}

    return change


def _programs(axis: int, source: Number) -> Callable[[Launch], Launch]:
    def change(launch: Launch) -> Launch:
        grid = list(launch["grid"])
        grid[axis] = max(1, int(source(launch)))
        return {"grid": grid}

    return change
