"""Hypotheses on wrong outputs: the reference with another argument gives them, or its outputs scaled or rearranged.

Nothing here is specific to a puzzle: the arguments of a case are changed, and the puzzle's own reference runs again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import permutations
from typing import Any

import torch
from torch import Tensor

from tritonpuzzles.curriculum.record import Argument, Task
from tritonpuzzles.judge.drawn import DrawnCase, Layout
from tritonpuzzles.judge.resolve import resolve
from tritonpuzzles.judge.truth import truth
from tritonpuzzles.wire.authored import AuthorError, called
from tritonpuzzles.wire.job import Value

MOST_VALUES = 8  # tried for an argument that is not a tensor

Change = Callable[[Tensor], Tensor]
Instead = Callable[[Any, Mapping[str, Any]], Any]  # (old argument, all arguments of the call) -> new argument


@dataclass(frozen=True)
class Hypothesis:
    """One hypothesis; `says` completes "they are what the reference gives", for example with " if p were 0".

    `outputs` returns the outputs that a case would have, in order, or `None` if they cannot be computed. `stored` means
    that the numbers are right and stored at other places, `partly` that it is about the wrong elements alone.
    """

    says: str
    next_step: str
    outputs: Callable[[DrawnCase], Sequence[Tensor] | None]
    stored: bool = False
    partly: bool = False


def of_arguments(task: Task, drawn: Sequence[DrawnCase]) -> Iterator[Hypothesis]:
    """Yield hypotheses that an argument has another value: numbers and options first, then the first case's tensors."""

    def made(says: str, next_step: str, others: Mapping[str, Instead], partly: bool = False) -> Hypothesis:
        return Hypothesis(f" if {says}", next_step, partial(_answer, task, others), partly=partly)

    for argument in task.arguments:
        for value in () if argument.is_tensor else _values(argument, drawn):
            shown = f"{value:.6g}" if type(value) is float else repr(value)
            step = f"Look at where {argument.name} is used, or should be used."
            yield made(f"{argument.name} were {shown}", step, {argument.name: partial(_always, value)})
        for says, instead in _numbers(argument.name) if argument.kind == "scalar" else ():
            step = f"Check how {argument.name} enters the result."
            yield made(f"{says} were in place of {argument.name}", step, {argument.name: instead})
    for argument in (one for one in task.arguments if not one.is_tensor):  # an option, in some elements alone
        for value in _values(argument, drawn):
            says = f"{argument.name} were {value!r}; the other elements are right"
            step = f"Check in which part of a tile {argument.name} is not used."
            yield made(says, step, {argument.name: partial(_always, value)}, partly=True)
    tensors = {name: its for name, its in drawn[0].tensors.items() if name == drawn[0].in_record(name)}
    for name, layout in tensors.items():
        for says, step, change in _changes(name, len(layout.shape)):
            yield made(says, step, {name: partial(_changed, change)})
    for name, other in permutations(tensors, 2):
        if _form(tensors[name]) == _form(tensors[other]):
            step = f"Look at which pointer the kernel gets and uses for {name}."
            yield made(f"{other} were in place of {name}", step, {name: partial(_other, other)})
            step = f"Look at which pointers the kernel gets and uses for {name} and {other}."
            both = {name: partial(_other, other), other: partial(_other, name)}
            yield made(f"{name} and {other} were exchanged", step, both)


def of_outputs(factor: float) -> Iterator[Hypothesis]:
    """Yield hypotheses that the outputs are scaled by a factor other than 0 and 1, or stored in another order."""

    def made(says: str, next_step: str, change: Change, stored: bool = True) -> Hypothesis:
        return Hypothesis(says, next_step, lambda drawn: [change(golden) for golden in drawn.golden], stored)

    if factor and round(factor, 3) != 1:
        step = f"Look for a factor of {factor:.4g} that is too much, or one of {1 / factor:.4g} that is missing."
        yield made(f", times {factor:.4g}", step, lambda golden: golden * factor, stored=False)
    step = "Look at the offsets along the last axis: what belongs in one half is stored in the other."
    yield made(", with the last axis rotated by half its length", step, _half_rotated)
    step = "Look at the offsets of the store: they go from the last element to the first."
    yield made(", from the last element to the first", step, lambda out: out.reshape(-1).flip(0).reshape(out.shape))
    step = "Look at the offsets of the store: each index needs the stride of its own axis."
    yield made(", stored in column-major order", step, _column_major)


def _values(argument: Argument, drawn: Sequence[DrawnCase]) -> list[Value]:
    """Return the values that an argument has in other calls; for a number also 0 and 1."""
    known = [*argument.choices, *(case.values[argument.name] for case in drawn)]
    numbers = [type(known[0])(0), type(known[0])(1)] if argument.kind == "scalar" else []
    return list(dict.fromkeys([*numbers, *known]))[:MOST_VALUES]


def _numbers(name: str) -> Iterator[tuple[str, Instead]]:
    """Yield replacements for any number x: -x, 1 - x and 1 / x, each with its text."""
    yield f"-{name}", lambda own, arguments: -own
    yield f"1 - {name}", lambda own, arguments: 1 - own
    yield f"1 / {name}", lambda own, arguments: 1 / own if own else own


def _changes(name: str, ndim: int) -> Iterator[tuple[str, str, Change]]:
    """Yield replacements for a tensor, each as words, next step and function."""
    used = f"Look at where the kernel loads {name}, and at how it enters the result."
    yield f"every element of {name} were 0", used, torch.zeros_like
    yield f"every element of {name} were 1", used, torch.ones_like
    yield f"every element of {name} were negated", f"Look at the sign with which the kernel uses {name}.", torch.neg
    if ndim >= 2:
        step = f"Look at the offsets of {name}: each index needs the stride of its own axis."
        yield f"{name} were read in column-major order", step, _column_major
    for axis in range(ndim):
        along = f" along axis {axis}" if ndim > 1 else ""
        step = f"Look at the offsets of {name}{along}."
        for sign, past in (("+", "end"), ("-", "start")):
            for fill in ("0", "the first element", "the last element"):
                says = f"{name}[i {sign} 1] were in place of {name}[i]{along}, with {fill} past the {past}"
                yield says, step, partial(_shifted, axis=axis, by=int(f"{sign}1"), fill=fill)
        step = f"Look at the offsets of {name}: they must depend on the index{along}."
        yield f"{name}[0] were in place of {name}[i]{along}", step, partial(_repeated, axis=axis)


def _answer(task: Task, others: Mapping[str, Instead], drawn: DrawnCase) -> Sequence[Tensor] | None:
    """Return the reference's outputs with some arguments replaced; `None` if these arguments do not fit each other.

    A gradient is replaced in every pass.
    """
    tensors = {name: layout.tensor() for name, layout in drawn.tensors.items()}
    given: dict[str, Any] = {**tensors, **drawn.values}
    instead = {name: others[drawn.in_record(name)] for name in given if drawn.in_record(name) in others}
    try:
        changed = {name: called(f"another {name}", None, make, given[name], given) for name, make in instead.items()}
        used = {**given, **changed}
        values = {name: used[name] for name in drawn.values}
        return truth(task, resolve(task), {name: used[name] for name in tensors}, values, drawn.case, drawn.given)
    except AuthorError:
        return None


def _form(layout: Layout) -> tuple[tuple[int, ...], torch.dtype]:
    return layout.shape, layout.storage.dtype


def _always(value: Value, own: Value, arguments: Mapping[str, Any]) -> Value:
    return value


def _changed(change: Change, own: Tensor, arguments: Mapping[str, Any]) -> Tensor:
    return change(own)


def _other(other: str, own: Tensor, arguments: Mapping[str, Any]) -> Any:
    return arguments[other]


def _column_major(tensor: Tensor) -> Tensor:
    """Return what is read from a tensor with its last two indices exchanged; if it is square, its transpose."""
    return tensor if tensor.ndim < 2 else tensor.reshape(tensor.mT.shape).mT


def _half_rotated(tensor: Tensor) -> Tensor:
    return tensor.roll(tensor.shape[-1] // 2, -1) if tensor.ndim else tensor


def _shifted(tensor: Tensor, axis: int, by: int, fill: str) -> Tensor:
    """Return a tensor shifted by one index; the free end holds 0, the first or the last element."""
    moved, end = tensor.roll(-by, axis), tensor.shape[axis] - 1
    source = tensor.narrow(axis, 0 if fill == "the first element" else end, 1)
    moved.narrow(axis, end if by > 0 else 0, 1).copy_(torch.zeros_like(source) if fill == "0" else source)
    return moved


def _repeated(tensor: Tensor, axis: int) -> Tensor:
    return tensor.narrow(axis, 0, 1).expand_as(tensor)
