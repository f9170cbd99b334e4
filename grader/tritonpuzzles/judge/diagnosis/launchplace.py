"""Changes of the launches made from one place, one launch per case: strides, sizes, argument order, tiles and grid."""

from __future__ import annotations

import ast
import contextlib
import json
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, combinations, pairwise

from tritonpuzzles.curriculum.expressions import next_power_of_2
from tritonpuzzles.judge.diagnosis.arguments import (
    Launch,
    LaunchEdit,
    Number,
    exchanged,
    given_instead,
    in_words,
    inverses_of,
    is_number,
    numbers_of,
    programs_of,
    stride_of,
    view_of,
    with_programs,
)
from tritonpuzzles.source import Source
from tritonpuzzles.source.functions import names_in
from tritonpuzzles.source.loops import steps_over_programs
from tritonpuzzles.source.passing import argument_line, grid_line
from tritonpuzzles.source.steps import stepped_by
from tritonpuzzles.wire.job import FURTHER

COMPARE = "Compare the arguments of the launch with the kernel's parameters."
MATRIX = 2  # axes
ONE_CALL = 0.01  # added to the cost for one call among several: what they share is tried first
CLOSE: tuple[Callable[[float, float], bool], ...] = (  # how an argument is most often wrong; as `numbers_of`
    lambda size, given: given in (size, size - 1, size + 1, next_power_of_2(int(size))),
    lambda tiles, given: given in (tiles, tiles - 1),  # rounded down instead of up
    lambda stride, given: False,
    lambda power, given: given in (power, power // 2, 2 * power),
)
NEAR, FAR = 0.3, 0.5  # cost of a number off by one, or of one change in a file; below the cost of all others


class LaunchPlace:
    """The launches, at least one, that come from one place, one in each case; the place is as of a `LaunchEdit`."""

    def __init__(self, place: tuple[int, ...], launches: Sequence[Launch], source: Source) -> None:
        self._place, self._launches, self._source = place, launches, source
        self._first, arguments = launches[0], launches[0]["arguments"]
        self._known: set[str] = set()  # results of changes: of two with the same result the first one counts
        self._tensors = [name for name, item in arguments.items() if "view" in item]
        self._numbers = {name: item["value"] for name, item in arguments.items() if is_number(item)}
        self._whole = [name for name, value in self._numbers.items() if isinstance(value, int)]
        self._groups = numbers_of(self._first, self._tensors, self._numbers)
        self._stepped = stepped_by(source.kernels, self._tensors)

    def edits(self) -> Iterator[LaunchEdit]:
        """Yield the changes."""
        yield from self._orders()
        yield from self._strides()
        yield from self._exchanges()
        yield from self._texts()
        yield from self._truths()
        yield from self._programs_stepped_over()
        steps = _steps(self._source)
        for name in (name for name in self._numbers if name not in steps):
            yield from self._strides_stepped_by(name)
            yield from self._numbers_for(name)
        yield from self._grids()

    def _made(
        self, change: Callable[[Launch], Launch], name: str, says: str, step: str, cost: float
    ) -> Iterator[LaunchEdit]:
        try:
            changed = [change(launch) for launch in self._launches]
        except (KeyError, IndexError, TypeError, ZeroDivisionError):
            return
        gives = json.dumps(changed, sort_keys=True)
        pairs = zip(self._launches, changed, strict=True)
        if gives not in self._known and any(launch | new != launch for launch, new in pairs):
            self._known.add(gives)
            one_call = ONE_CALL * (len(self._place) - 1)
            yield LaunchEdit(self._place, change, name, self._line(name), says, step, cost + one_call)

    def _line(self, name: str) -> int:
        """Return the line where a parameter, or the grid, gets its value; for one call among several, its own line."""
        place, calls = self._place, tuple(self._first["calls"]) or self._place
        line = argument_line(self._source, calls, name) if name else grid_line(self._source, calls)
        shared = any(place[0] in one.body and line in one.body for one in self._source.functions)
        return place[1] if len(place) > 1 and shared else line

    def _all(self, holds: Callable[[Launch], bool]) -> bool:
        return all(map(holds, self._launches))

    def _orders(self) -> Iterator[LaunchEdit]:
        """Yield changes that pass strides in another order."""
        for several in (self._groups[2], [stride_of(name, 0) for name in self._tensors]):
            for names in _in_another_order(several, self._whole, self._launches):
                says = "the launch passes strides in another order than the kernel's parameters"
                given = dict(zip(names, several, strict=True))
                others = (name for name in names if not self._all(partial(_gives, given[name], name=name)))
                yield from self._made(given_instead(given), next(others, names[0]), says, COMPARE, NEAR)

    def _strides(self) -> Iterator[LaunchEdit]:
        """Yield a matrix's two strides for two parameters that get them in some calls, or get another tensor's."""
        for tensor in (name for name in self._tensors if len(view_of(self._first, name)["shape"]) == MATRIX):
            strides = [stride_of(tensor, 0), stride_of(tensor, 1)]
            for names in pairwise(self._whole):
                given = dict(zip(names, strides, strict=True))
                right = [all(_gives(given[name], launch, name) for name in names) for launch in self._launches]
                some = 2 * sum(right) >= len(right)
                if some or self._all(partial(_are_strides, names, tensors=self._tensors)):  # there, or of another
                    says = f"{' and '.join(names)} are not {'always ' if some else ''}the strides of {tensor}"
                    step = f"Pass the strides of the tensor that is passed as {tensor}."
                    yield from self._made(given_instead(given), names[0], says, step, NEAR)

    def _exchanges(self) -> Iterator[LaunchEdit]:
        """Yield changes that exchange two tensors or two whole numbers."""
        whole = self._whole
        for kind, cost in ((self._tensors, 0.9), (whole, 1.0)):
            for one, other in combinations(kind, 2):
                beside = kind is whole and whole.index(other) == whole.index(one) + 1
                of_one = beside and _are_of_one_tensor(self._launches, self._tensors, one, other)
                turned = kind is self._tensors and self._all(partial(_is_later, one=one, other=other))
                turned |= kind is whole and self._steps(one, other) and self._steps(other, one)
                says = f"{one} and {other} are exchanged in the launch"
                for edit in self._made(exchanged(one, other), one, says, COMPARE, NEAR if of_one or turned else cost):
                    everywhere = of_one and len(self._place) == 1  # else the one call is wrong, not the kernel
                    yield _in_the_kernel(edit, self._source, self._first, one, other) if everywhere else edit

    def _steps(self, name: str, by: str) -> bool:
        """Return whether every launch passes as `by` a stride of the tensor that a kernel steps through by `name`."""
        strides = [
            stride_of(tensor, axis)
            for tensor in self._stepped.get(name, ())
            for axis in range(len(view_of(self._first, tensor)["shape"]))
        ]
        return any(self._all(partial(_gives, stride, name=by)) for stride in strides)

    def _texts(self) -> Iterator[LaunchEdit]:
        """Yield changes that pass a text instead of a truth value that the kernel compares with that text."""
        for name, text in self._source.texts.items():
            says = f"{name} is true or false, and the kernel compares it with {text!r}"
            change = given_instead({name: partial(in_words, name, text)})
            yield from self._made(change, name, says, f"Pass the text itself as {name}.", NEAR)

    def _truths(self) -> Iterator[LaunchEdit]:
        """Yield changes that set a true argument to false in every call, so that its branch is never taken."""
        for name, item in self._first["arguments"].items():
            if isinstance(item.get("value"), bool) and self._source.host.size_lines(name):
                says, step = f"{name} is true where it must not be", f"Check for which sizes {name} may be true."
                yield from self._made(given_instead({name: lambda _: False}), name, says, step, NEAR)

    def _strides_stepped_by(self, name: str) -> Iterator[LaunchEdit]:
        """Yield changes that pass a tensor's stride as the step by which a kernel moves through that tensor alone."""
        for tensor in self._stepped.get(name, ()):
            for axis in range(len(view_of(self._first, tensor)["shape"])):
                stride, step = stride_of(tensor, axis), f"Pass the stride of {tensor}."
                says = f"the kernel steps through {tensor} by {name}, which is not its stride"
                if kept := any(_gives_some(_is_further, stride, launch, name) for launch in self._launches):
                    says = f"{name} is the stride that another tensor of the shape of {tensor} had in an earlier call"
                    step = "Take strides from the tensor in every call: shapes alone do not tell them."
                for edit in self._made(given_instead({name: stride}), name, says, step, NEAR):
                    yield replace(edit, line=self._source.host.kept_at or edit.line) if kept else edit

    def _programs_stepped_over(self) -> Iterator[LaunchEdit]:
        """Yield changes that pass the number of programs as the step of a loop that starts at a program id."""
        steps = {ast.unparse(step) for kernel in self._source.kernels for step in steps_over_programs(kernel)}
        for name in filter(steps.__contains__, self._whole):
            says = f"{name} is the step of the loop, and it is not the number of programs"
            step = "Work out the distance between two rows, or two tiles, of one program."
            yield from self._made(given_instead({name: programs_of(0)}), name, says, step, NEAR)

    def _numbers_for(self, name: str) -> Iterator[LaunchEdit]:
        """Yield other numbers for a parameter: sizes, tile counts, strides and powers of two, or inverses of sizes."""
        is_whole = name in self._whole
        says, step = f"the wrong number is passed as {name}", f"Check which number the kernel needs as {name}."
        some = is_whole and any(launch["arguments"][name]["value"] > 1 for launch in self._launches)
        by_stride = any(self._all(partial(_gives, stride, name=name)) for stride in self._groups[2])
        for kind, group in enumerate(self._groups if is_whole else [inverses_of(self._first, self._tensors)]):
            alike = any(self._all(partial(_gives, number, name=name)) for number in group)
            for number in group:
                near = some and self._all(partial(_gives_some, CLOSE[kind], number, name=name))
                near |= is_whole and kind == 0 and by_stride and name not in self._stepped  # no step, so a size
                cost = NEAR if near else 1.0 if alike else 1.3
                yield from self._made(given_instead({name: number}), name, says, step, cost)

    def _grids(self) -> Iterator[LaunchEdit]:
        """Yield changes of the number of programs."""
        counts = self._groups[1]
        for axis in range(2):
            step = "Work out how many programs the kernel needs there, and what each of them processes."
            says = f"the grid has the wrong number of programs along axis {axis}"
            counted = any(self._all(partial(_has_programs, axis, count)) for count in counts)
            for number in (programs_of(1 - axis), *chain(*self._groups)):
                whole = number in counts and self._all(
                    partial(_has_programs, axis, number, fewer=1)
                )  # whole tiles alone
                cost = NEAR if whole or (counted and number in counts) else 1.4  # tiles of another size or axis
                yield from self._made(with_programs(axis, number), "", says, step, cost)


def _are_strides(names: Sequence[str], launch: Launch, tensors: Sequence[str]) -> bool:
    """Return whether a launch passes the strides of one of its tensors, in order, as the named parameters."""
    given = [launch["arguments"][name].get("value") for name in names]
    return any(given == list(view_of(launch, tensor)["stride"]) for tensor in tensors)


def _are_of_one_tensor(launches: Sequence[Launch], tensors: Sequence[str], one: str, other: str) -> bool:
    """Return whether every launch passes the two sizes, or the two strides, of one tensor as two parameters."""

    def values(launch: Launch) -> list[int]:
        return sorted((launch["arguments"][one]["value"], launch["arguments"][other]["value"]))

    return any(
        all(values(launch) == sorted(view_of(launch, tensor)[what]) for launch in launches)
        for tensor in tensors
        for what in ("stride", "shape")
    )


def _in_the_kernel(edit: LaunchEdit, source: Source, launch: Launch, one: str, other: str) -> LaunchEdit:
    """Move an exchange of two strides to the kernel's first line that uses them, if the launch passes them in order.

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
    says = f"the kernel uses {one} in place of {other}, and {other} in place of {one}"
    asked = "Check which of the two is the stride from row to row, and which from column to column."
    return replace(edit, line=lines[0], says=says, step=f"{asked} Line {edit.line} passes them.")


def _steps(source: Source) -> set[str]:
    """Return the constants that kernels step by in loops: set to the whole size, they would end every loop at once."""
    bounds = (bound for loop in source.loops for bound in loop.bounds)
    added = (made.value for kernel in source.kernels for made in kernel.assignments if made.operator is not None)
    return names_in(*bounds, *added) & {name for kernel in source.kernels for name in kernel.constants}


def _in_another_order(
    sources: Sequence[Number], names: Sequence[str], launches: Sequence[Launch]
) -> Iterator[Sequence[str]]:
    """Yield consecutive parameters that get the values of some sources in all launches, in any order."""
    count = len(sources)
    for start in range(len(names) - count + 1 if count > 2 else 0):
        found = names[start : start + count]
        given = ([launch["arguments"][name]["value"] for name in found] for launch in launches)
        wanted = ([source(launch) for source in sources] for launch in launches)
        if all(sorted(one) == sorted(other) for one, other in zip(given, wanted, strict=True)):
            yield found


def _is_later(launch: Launch, one: str, other: str) -> bool:
    """Return whether the tensor passed as `one` comes after the tensor passed as `other` in the call's arguments."""
    return bool(view_of(launch, one)["storage"] > view_of(launch, other)["storage"])


def _gives_some(is_meant: Callable[[float, float], bool], source: Number, launch: Launch, name: str) -> bool:
    """Return whether a source's number and the launch's argument satisfy `is_meant`."""
    with contextlib.suppress(KeyError, IndexError, ZeroDivisionError):
        return is_meant(source(launch), launch["arguments"][name].get("value"))
    return False


_gives = partial(_gives_some, operator.eq)


def _is_further(stride: float, given: float) -> bool:
    return given == stride + FURTHER


def _has_programs(axis: int, count: Number, launch: Launch, fewer: int = 0) -> bool:
    """Return whether a launch has as many programs along an axis as a source counts, or one fewer."""
    with contextlib.suppress(KeyError, IndexError, ZeroDivisionError):
        return count(launch) - fewer <= programs_of(axis)(launch) <= count(launch)
    return False
