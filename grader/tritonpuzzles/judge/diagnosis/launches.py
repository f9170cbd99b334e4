"""Small changes of what a launch is given, each with what it says is wrong: candidates for a proof, nothing more.

They change the recorded program, and not the text of the host function: what stands there is a number already, so that
a change says in each case which size, stride or argument it takes in its place.
"""

from __future__ import annotations

import ast
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from tritonpuzzles.judge.workers.lanes import CaseProgram

Launch = dict[str, Any]  # as JSON, see `wire.program`
Source = Callable[[Launch], int | float]
COMPARE = "Compare the arguments of the launch with the kernel's parameters."
MOST_PLACES = 6
MOST_AXES = 4  # of a tensor


@dataclass(frozen=True)
class LaunchEdit:
    """One change of all launches that a call of the host function makes from the same place.

    Attributes:
        place: the innermost lines that lead to it: one, or two where a function that launches is called from several.
        change: returns arguments and grid as they would be.
        line, says, step, cost: as of an `Edit`.
    """

    place: tuple[int, ...]
    change: Callable[[Launch], Launch]
    line: int
    says: str
    step: str
    cost: float

    def of(self, program: CaseProgram) -> CaseProgram:
        """Return a case's program after the change; the same where the case has no such launch."""
        written = json.loads(program.payload)
        for launch in _launches(written):
            if _leads(self.place, launch):
                launch |= self.change(launch)
        return replace(program, payload=json.dumps(written).encode())


def launch_edits(programs: Sequence[CaseProgram], text: str) -> list[LaunchEdit]:
    """Return the edits of all launches.

    Args:
        programs: of some cases; edits that are alike in all of them are tried once.
        text: of the file.
    """
    by_case = [list(_launches(json.loads(one.payload))) for one in programs]
    try:
        host = _Host(ast.parse(text))
    except (SyntaxError, ValueError, RecursionError):
        return []
    found: list[LaunchEdit] = []
    for place in _places([launch for launches in by_case for launch in launches])[:MOST_PLACES]:
        of_cases = (next((one for one in launches if _leads(place, one)), None) for launches in by_case)
        found += _of_place(place, [launch for launch in of_cases if launch is not None], host)
    return found


def _places(launches: Sequence[Launch]) -> list[tuple[int, ...]]:
    """Return the places of launches: each line that launches, and each call of one that several calls lead to."""
    calls = dict.fromkeys(tuple(launch["calls"][:2]) or (launch["line"],) for launch in launches if launch["line"])
    lines = dict.fromkeys(place[:1] for place in calls)
    several = [place for place in calls if sum(other[0] == place[0] for other in calls) > 1]
    return [*lines, *several]


def _leads(place: tuple[int, ...], launch: Launch) -> bool:
    return (tuple(launch["calls"]) or (launch["line"],))[: len(place)] == place


def _of_place(place: tuple[int, ...], launches: Sequence[Launch], host: _Host) -> Iterator[LaunchEdit]:
    """Yield the edits of the launches of one place, one in each case."""
    first = launches[0]
    known: set[tuple[Any, ...]] = {(json.dumps(first["arguments"]), json.dumps(first["grid"]))}

    def made(change: Callable[[Launch], Launch], name: str, says: str, step: str, cost: float) -> Iterator[LaunchEdit]:
        try:
            gives = tuple(json.dumps(change(launch), sort_keys=True) for launch in launches)
        except (KeyError, IndexError, TypeError, ZeroDivisionError):
            return
        if gives not in known and any(_differs(change(launch), launch) for launch in launches):
            known.add(gives)
            yield LaunchEdit(place, change, host.line_of(place, name), says, step, cost)

    tensors = [name for name, item in first["arguments"].items() if "view" in item]
    numbers = {name: item["value"] for name, item in first["arguments"].items() if _is_number(item)}
    whole = [name for name, value in numbers.items() if isinstance(value, int)]
    for kind, cost in ((tensors, 0.9), (whole, 1.0)):
        for one, other in combinations(kind, 2):
            says = f"{one} and {other} are exchanged in the launch"
            yield from made(_exchanged(one, other), one, says, COMPARE, cost)
    sources = _sources(first, tensors)
    for name, value in numbers.items():
        step = f"Which number does the kernel take {name} for?"
        for source in sources if isinstance(value, int) else _factors(first, tensors):
            yield from made(_given(name, source), name, f"{name} is not what the kernel needs", step, 1.2)
    for axis in range(2):
        step = "How many programs does the kernel need there, and what does each of them take?"
        says = f"the grid has the wrong number of programs along axis {axis}"
        for source in [*_counts(first, sources, numbers)]:
            yield from made(_programs(axis, source), "", says, step, 1.4)


def _launches(written: Mapping[str, Any]) -> Iterator[Launch]:
    for step in written["program"]["steps"]:
        if "launch" in step:
            yield step["launch"]
        for choice in step.get("choose", {}).get("choices", ()):
            yield from (inner["launch"] for inner in choice if "launch" in inner)


def _differs(changed: Launch, launch: Launch) -> bool:
    return any(launch[name] != value for name, value in changed.items())


def _is_number(item: Mapping[str, Any]) -> bool:
    return isinstance(item.get("value"), int | float) and not isinstance(item["value"], bool)


def _view(launch: Launch, name: str) -> Mapping[str, Any]:
    view: Mapping[str, Any] = launch["arguments"][name]["view"]
    return view


def _exchanged(one: str, other: str) -> Callable[[Launch], Launch]:
    def change(launch: Launch) -> Launch:
        given = launch["arguments"]
        return {"arguments": {**given, one: given[other], other: given[one]}}

    return change


def _given(name: str, source: Source) -> Callable[[Launch], Launch]:
    return lambda launch: {"arguments": {**launch["arguments"], name: {"value": source(launch)}}}


def _programs(axis: int, source: Source) -> Callable[[Launch], Launch]:
    def change(launch: Launch) -> Launch:
        grid = list(launch["grid"])
        grid[axis] = max(1, int(source(launch)))
        return {"grid": grid}

    return change


def _sources(launch: Launch, tensors: Sequence[str]) -> list[Source]:
    """Return the sizes and strides of a launch's tensors, and sizes rounded up to powers of two."""

    def stride(name: str, axis: int) -> Source:
        return lambda launch: int(_view(launch, name)["stride"][axis])

    def size(name: str, axis: int) -> Source:
        return lambda launch: int(_view(launch, name)["shape"][axis])

    axes = [(name, axis) for name in tensors for axis in range(len(_view(launch, name)["shape"][:MOST_AXES]))]
    sizes = [size(*one) for one in axes]
    return [*(stride(*one) for one in axes), *sizes, *(_rounded_up(one) for one in sizes)]


def _rounded_up(size: Source) -> Source:
    return lambda launch: 1 << max(0, int(size(launch)) - 1).bit_length()


def _factors(launch: Launch, tensors: Sequence[str]) -> list[Source]:
    """Return numbers that are no whole ones: 1, and what sizes divide by."""

    def inverse(name: str, axis: int, root: bool) -> Source:
        def source(launch: Launch) -> float:
            size = float(_view(launch, name)["shape"][axis])
            return 1 / (math.sqrt(size) if root else size)

        return source

    axes = [(name, axis) for name in tensors for axis in range(len(_view(launch, name)["shape"][:MOST_AXES]))]
    return [lambda launch: 1.0, *(inverse(*one, root) for root in (True, False) for one in axes)]


def _counts(launch: Launch, sources: Sequence[Source], numbers: Mapping[str, Any]) -> Iterator[Source]:
    """Yield numbers of programs: one for each row, or for each tile of as many rows as some argument says."""

    def tiles(size: Source, by: str) -> Source:
        return lambda launch: -(-int(size(launch)) // int(launch["arguments"][by]["value"]))

    yield lambda launch: launch["grid"][1]
    yield lambda launch: launch["grid"][0]
    yield from sources
    for name, value in numbers.items():
        if isinstance(value, int) and value > 1:
            yield from (tiles(source, name) for source in sources)


class _Host:
    """Where the launches of a file get their arguments."""

    def __init__(self, tree: ast.Module) -> None:
        self._functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        self._parameters = {one.name: [argument.arg for argument in one.args.args] for one in self._functions}

    def line_of(self, place: Sequence[int], name: str) -> int:
        """Return where a parameter gets its value, or the grid where `name` is empty; the launch if that is not seen.

        Of one call among several that lead to a launch it is that call.
        """
        line = place[0]
        if len(place) > 1:
            return place[1]
        for function in self._functions:
            for call in ast.walk(function):
                match call:
                    case ast.Call(func=ast.Subscript() as launched) if _spans(call, line):
                        value = self._value(call, launched, name) if name else launched.slice
                        return line if value is None else self._made(function, value)
        return line

    def _value(self, call: ast.Call, launched: ast.Subscript, name: str) -> ast.expr | None:
        named = {word.arg: word.value for word in call.keywords}
        if name in named:
            return named[name]
        parameters = self._parameters.get(ast.unparse(launched.value), [])
        given = call.args[: parameters.index(name) + 1] if name in parameters else []
        several = (argument.value for argument in given if isinstance(argument, ast.Starred))
        return next(several, given[-1] if given else None)

    def _made(self, function: ast.FunctionDef, value: ast.expr) -> int:
        """Return the line of an expression, or if it is a name that is assigned once, of that."""
        if not isinstance(value, ast.Name):
            return value.lineno
        made = [
            node.lineno
            for node in ast.walk(function)
            if isinstance(node, ast.Assign) and value.id in map(ast.unparse, node.targets)
        ]
        return made[0] if len(made) == 1 else value.lineno


def _spans(node: ast.expr, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)
