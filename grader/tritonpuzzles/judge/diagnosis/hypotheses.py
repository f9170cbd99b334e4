"""What would make other outputs of right ones: an argument that is another, or outputs that are scaled or rearranged.

Nothing here knows of any puzzle: the arguments of a case are changed, and the puzzle's own reference is asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor

from tritonpuzzles.curriculum.record import Argument, Puzzle
from tritonpuzzles.judge.drawn import DrawnCase
from tritonpuzzles.judge.resolve import Resolved
from tritonpuzzles.judge.truth import truth
from tritonpuzzles.wire.authored import AuthorError, called
from tritonpuzzles.wire.job import Value

MOST_VALUES = 8  # of an argument that is no tensor

Outputs = Sequence[Tensor | None]
Change = Callable[[dict[str, Any]], dict[str, Any]]  # from the arguments of a call to those that are others
Altered = tuple[str, str, Callable[[Tensor], Tensor]]


@dataclass(frozen=True)
class Hypothesis:
    """One of them.

    Attributes:
        says: how a sentence goes on after "they are what the reference gives": " if p were 0".
        next_step: what to do about a kernel of which it is true.
        outputs: what a case's outputs would be, in order; `None` for those of which it says nothing.
    """

    says: str
    next_step: str
    outputs: Callable[[DrawnCase], Outputs]


def of_arguments(puzzle: Puzzle, resolved: Resolved, drawn: Sequence[DrawnCase]) -> Iterator[Hypothesis]:
    """Yield that an argument is another one: first those that are no tensors, then the tensors.

    Args:
        puzzle: whose reference is asked.
        resolved: what the names in its record stand for.
        drawn: its cases, one with tensors first.
    """

    def made(says: str, next_step: str, change: Change) -> Hypothesis:
        return Hypothesis(f" if {says}", next_step, partial(_answer, puzzle, resolved, change))

    for argument in puzzle.arguments:
        for value in () if argument.is_tensor else _values(argument, drawn):
            shown = f"{value:.6g}" if type(value) is float else repr(value)
            step = f"Look at where the kernel uses {argument.name}, or should use it."
            yield made(f"{argument.name} were {shown}", step, partial(_given, argument.name, value))
    tensors = drawn[0].tensors
    for name, layout in tensors.items():
        for says, step, change in _altered(name, len(layout.shape)):
            yield made(says, step, partial(_changed, name, change))
        for other, its in tensors.items():
            if other != name and (its.shape, its.storage.dtype) == (layout.shape, layout.storage.dtype):
                step = f"Look at which pointer the kernel gets and uses for {name}."
                yield made(f"{other} were in place of {name}", step, partial(_replaced, name, other))


def of_outputs(factor: float | None) -> Iterator[Hypothesis]:
    """Yield that outputs have a factor, if one is given, or stand in another order."""
    if factor is not None:
        step = f"Look for a factor of {factor:.4g} that is too much, or one of {1 / factor:.4g} that is missing."
        yield Hypothesis(f", times {factor:.4g}", step, partial(_each, lambda golden: golden * factor))
    step = "Compare the columns that the kernel stores each half to with those that it belongs to."
    yield Hypothesis(", with the halves of the last axis exchanged", step, partial(_each, _halves_exchanged))
    step = "Look at the offsets of the store: each index needs the stride of its own axis."
    yield Hypothesis(", stored in column-major order", step, partial(_each, _column_major))


def _values(argument: Argument, drawn: Sequence[DrawnCase]) -> list[Value]:
    """Return what an argument may be in other calls; a number may always be 0 or 1."""
    known = [*argument.choices, *(case.values[argument.name] for case in drawn if argument.name in case.values)]
    numbers = [] if argument.kind in ("bool", "string") or not known else [type(known[0])(0), type(known[0])(1)]
    return list(dict.fromkeys([*numbers, *known]))[:MOST_VALUES]


def _altered(name: str, ndim: int) -> Iterator[Altered]:
    """Yield what a tensor may be in place of itself, as words, next step and function."""
    used = f"Look at where the kernel loads {name}, and at how it gets into the result."
    yield f"every element of {name} were 0", used, torch.zeros_like
    yield f"every element of {name} were 1", used, torch.ones_like
    yield f"every element of {name} were negated", f"Look at the sign with which the kernel uses {name}.", torch.neg
    if ndim >= 2:
        step = f"Look at the offsets of {name}: each index needs the stride of its own axis."
        yield f"{name} were read in column-major order", step, _column_major
    for axis in range(ndim):
        along = f" along axis {axis}" if ndim > 1 else ""
        step = f"Look at the offsets of {name}{along}."
        for by, place, ends in ((1, "i + 1", ("first", "last")), (-1, "i - 1", ("last", "first"))):
            past = "the end" if by > 0 else "the start"
            for number, fill in enumerate((f"the {ends[0]} element", f"the {ends[1]} element", "0")):
                says = f"{name}[{place}] were in place of {name}[i]{along}, with {fill} past {past}"
                yield says, step, partial(_shifted, axis=axis, by=by, fill=number)
        step = f"Look at the offsets of {name}: they must depend on the index{along}."
        yield f"every index{along} of {name} were 0", step, partial(_repeated, axis=axis)


def _answer(puzzle: Puzzle, resolved: Resolved, change: Change, drawn: DrawnCase) -> Outputs:
    """Return what the reference gives for changed arguments; nothing where they do not fit it."""
    everything = {**{name: layout.tensor() for name, layout in drawn.tensors.items()}, **drawn.values}
    try:
        everything |= called("a change of the arguments", None, change, everything)
        tensors = {name: everything[name] for name in drawn.tensors}
        values = {name: everything[name] for name in drawn.values}
        return truth(puzzle, resolved, tensors, values, drawn.case)
    except AuthorError:
        return [None] * len(drawn.outputs)


def _given(name: str, value: Value, everything: dict[str, Any]) -> dict[str, Any]:
    return {name: value}


def _changed(name: str, change: Callable[[Tensor], Tensor], everything: dict[str, Any]) -> dict[str, Any]:
    return {name: change(everything[name])}


def _replaced(name: str, other: str, everything: dict[str, Any]) -> dict[str, Any]:
    return {name: everything[other]}


def _each(change: Callable[[Tensor], Tensor | None], drawn: DrawnCase) -> Outputs:
    """Return what becomes of each right output."""
    return [change(golden) for golden in drawn.golden]


def _column_major(tensor: Tensor) -> Tensor:
    """Return what is read from a tensor with its last two indices exchanged: its transpose, where it is square."""
    return tensor if tensor.ndim < 2 else tensor.reshape(tensor.mT.shape).mT


def _halves_exchanged(tensor: Tensor) -> Tensor | None:
    size = tensor.shape[-1] if tensor.ndim else 1
    return None if size % 2 else tensor.roll(size // 2, -1)


def _shifted(tensor: Tensor, axis: int, by: int, fill: int) -> Tensor:
    """Return a tensor moved by one index, with its other end, the end itself or 0 where nothing moves to."""
    moved, last = tensor.roll(-by, axis), tensor.shape[axis] - 1 if by > 0 else 0
    if fill:
        at_the_end = tensor.narrow(axis, last, 1)
        moved.narrow(axis, last, 1).copy_(at_the_end if fill == 1 else torch.zeros_like(at_the_end))
    return moved


def _repeated(tensor: Tensor, axis: int) -> Tensor:
    return tensor.narrow(axis, 0, 1).expand_as(tensor)
