"""What a launch passes: where the host code says so, and which numbers of the recorded call could stand there."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tritonpuzzles.curriculum.expressions import cdiv, next_power_of_2
from tritonpuzzles.source import Source
from tritonpuzzles.source.functions import Function

Launch = dict[str, Any]  # as JSON, see `wire.program`
Number = Callable[[Launch], int | float]
MOST_AXES = 4  # of a tensor


def grid_line(source: Source, calls: Sequence[int]) -> int:
    """Return where the grid of a launch is made; the launch, the innermost of the calls, where that is not seen."""
    made = source.host.grid_lines(calls[0])
    return made.pop() if len(made) == 1 else calls[0]


def argument_line(source: Source, calls: Sequence[int], name: str) -> int:
    """Return where a kernel's parameter gets its value: an argument, or the only assignment to a name that is passed.

    An argument of the function around a launch is followed to the call of that; the last line that is seen is returned.
    """
    line = calls[0]
    for at in calls:
        function = next((one for one in reversed(source.functions) if at in one.body), None)
        value = None if function is None else _value(source, function, at, name)
        if function is None or value is None:
            return line
        line = value.lineno
        if not isinstance(value, ast.Name):
            return line
        made = function.giving(value.id)
        if made or value.id not in function.parameters:
            return made[0].line if len(made) == 1 else line
        name = value.id
    return line


def _value(source: Source, function: Function, line: int, name: str) -> ast.expr | None:
    """Return what a call in a line passes as a parameter; of several arguments in one, all of them."""
    for call in (node for node in function.nodes if isinstance(node, ast.Call)):
        called = ast.unparse(call.func.value if isinstance(call.func, ast.Subscript) else call.func)
        known = next((one for one in source.functions if one.name == called), None)
        if known is None or name not in known.parameters or not call.lineno <= line <= (call.end_lineno or line):
            continue
        named = {word.arg: word.value for word in call.keywords}
        others = [one for one in known.parameters if one not in named]
        return named[name] if name in named else _positional(call, others, name)
    return None


def _positional(call: ast.Call, parameters: Sequence[str], name: str) -> ast.expr | None:
    """Return an argument by its place, counted from the end behind a starred one; of one in that the starred name."""
    stars = [number for number, argument in enumerate(call.args) if isinstance(argument, ast.Starred)]
    place, back = parameters.index(name), len(parameters) - parameters.index(name)
    if not stars or place < stars[0]:
        return call.args[place] if place < len(call.args) else None
    starred = call.args[stars[0]]
    return call.args[-back] if back < len(call.args) - stars[-1] else getattr(starred, "value", None)


def launches_of(written: Mapping[str, Any]) -> Iterator[Launch]:
    for step in written["program"]["steps"]:
        if "launch" in step:
            yield step["launch"]
        for choice in step.get("choose", {}).get("choices", ()):
            yield from (inner["launch"] for inner in choice if "launch" in inner)


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
    """Return numbers that are no whole ones: 1, and what sizes divide by."""

    def inverse(name: str, axis: int, root: bool) -> Number:
        def source(launch: Launch) -> float:
            size = float(view_of(launch, name)["shape"][axis])
            return 1 / (math.sqrt(size) if root else size)

        return source

    axes = [(name, axis) for name in tensors for axis in range(len(view_of(launch, name)["shape"][:MOST_AXES]))]
    return [lambda launch: 1.0, *(inverse(*one, root) for root in (True, False) for one in axes)]


def programs_of(axis: int) -> Number:
    return lambda launch: int(launch["grid"][axis])
