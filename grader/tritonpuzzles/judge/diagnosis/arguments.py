"""Changes of what a launch passes: which numbers of the recorded call could be passed instead."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tritonpuzzles.curriculum.expressions import cdiv, next_power_of_2
from tritonpuzzles.judge.workers.lanes import CaseProgram
from tritonpuzzles.wire.launching import GRID_LIMITS

Launch = dict[str, Any]  # as JSON, see `wire.program`
Number = Callable[[Launch], int | float]
MOST_AXES = 4  # of a tensor


@dataclass(frozen=True)
class LaunchEdit:
    """One change of all launches that a call of the host function makes from the same place."""

    # the innermost lines that lead to it: one, or two where a function that launches is called from several
    place: tuple[int, ...]
    change: Callable[[Launch], Launch]  # returns the changed arguments and grid
    name: str  # the parameter that gets another number, if it is the only change; else empty
    line: int  # and says, step, cost: as in an `Edit`
    says: str
    step: str
    cost: float

    def of(self, program: CaseProgram) -> CaseProgram:
        """Return a case's program after the change; the program itself if the case has no such launch."""
        written = json.loads(program.payload)
        for launch in launches_of(written):
            if leads(self.place, launch):
                launch |= self.change(launch)
        return replace(program, payload=json.dumps(written).encode())


def leads(place: tuple[int, ...], launch: Launch) -> bool:
    """Return whether a launch was made from a place."""
    return (tuple(launch["calls"]) or (launch["line"],))[: len(place)] == place


def launches_of(written: Mapping[str, Any]) -> Iterator[Launch]:
    for step in written["program"]["steps"]:
        if "launch" in step:
            yield step["launch"]
        for choice in step.get("choose", {}).get("choices", ()):
            yield from (inner["launch"] for inner in choice if "launch" in inner)


def launchable(program: CaseProgram) -> bool:
    """Return whether every grid of a case's program is one that a GPU takes."""
    grids = (launch["grid"] for launch in launches_of(json.loads(program.payload)))
    return all(size <= most for grid in grids for size, most in zip(grid, GRID_LIMITS, strict=True))


def is_number(item: Mapping[str, Any]) -> bool:
    return isinstance(item.get("value"), int | float) and not isinstance(item["value"], bool)


def view_of(launch: Launch, name: str) -> Mapping[str, Any]:
    view: Mapping[str, Any] = launch["arguments"][name]["view"]
    return view


def numbers_of(launch: Launch, tensors: Sequence[str], numbers: Mapping[str, Any]) -> list[list[Number]]:
    """Return sizes of a launch's tensors, tiles along them, their strides, and sizes rounded up to powers of two."""

    def size(name: str, axis: int) -> Number:
        return lambda launch: int(view_of(launch, name)["shape"][axis])

    def tiles(size: Number, by: str) -> Number:
        return lambda launch: cdiv(int(size(launch)), int(launch["arguments"][by]["value"]))

    def rounded_up(size: Number) -> Number:
        return lambda launch: next_power_of_2(int(size(launch)))

    axes = [(name, axis) for name in tensors for axis in range(len(view_of(launch, name)["shape"][:MOST_AXES]))]
    sizes = [size(*one) for one in axes]
    widths = [name for name, value in numbers.items() if isinstance(value, int) and value > 1]
    counts = [tiles(one, by) for by in widths for one in sizes]
    return [sizes, counts, [stride_of(*one) for one in axes], [rounded_up(one) for one in sizes]]


def stride_of(name: str, axis: int) -> Number:
    return lambda launch: int(view_of(launch, name)["stride"][axis])


def inverses_of(launch: Launch, tensors: Sequence[str]) -> list[Number]:
    """Return numbers that need not be whole: 1, and the inverses of sizes and of their square roots."""

    def inverse(name: str, axis: int, root: bool) -> Number:
        def source(launch: Launch) -> float:
            size = float(view_of(launch, name)["shape"][axis])
            return 1 / (math.sqrt(size) if root else size)

        return source

    axes = [(name, axis) for name in tensors for axis in range(len(view_of(launch, name)["shape"][:MOST_AXES]))]
    return [lambda launch: 1.0, *(inverse(*one, root) for root in (True, False) for one in axes)]


def programs_of(axis: int) -> Number:
    return lambda launch: int(launch["grid"][axis])


def exchanged(one: str, other: str) -> Callable[[Launch], Launch]:
    """Return the change that exchanges two arguments."""

    def change(launch: Launch) -> Launch:
        given = launch["arguments"]
        return {"arguments": {**given, one: given[other], other: given[one]}}

    return change


def in_words(name: str, text: str, launch: Launch) -> Any:
    """Return a text in place of a true argument."""
    given = launch["arguments"][name].get("value")
    return text if given is True else given


def given_instead(sources: Mapping[str, Callable[[Launch], Any]]) -> Callable[[Launch], Launch]:
    """Return the change that passes other values, each computed from the launch."""

    def change(launch: Launch) -> Launch:
        values = {name: {"value": source(launch)} for name, source in sources.items()}
        return {"arguments": {**launch["arguments"], **values}}

    return change


def with_programs(axis: int, source: Number) -> Callable[[Launch], Launch]:
    """Return the change that launches another number of programs along an axis."""

    def change(launch: Launch) -> Launch:
        grid = list(launch["grid"])
        grid[axis] = max(1, int(source(launch)))
        return {"grid": grid}

    return change
