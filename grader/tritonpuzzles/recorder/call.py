"""Call the host function, only forward or forward and backward; and find its current lines in the call stack.

autograd converts a gradient of another dtype and sums one of a larger shape, with its own operations: they would look
like the submission's, and no kernel wrote the resulting tensor.
"""

from __future__ import annotations

import dis
import gc
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import Any
from unittest import mock

import torch
import triton
from torch import Tensor
from torch.autograd.function import BackwardCFunction
from torch.utils._pytree import tree_leaves

from tritonpuzzles.recorder.submission import SubmissionError
from tritonpuzzles.recorder.tensors import Recorded, storage_identity
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.words import are, plural
from tritonpuzzles.wire.given import Given, flat
from tritonpuzzles.wire.job import JobCase, JobHost, Value
from tritonpuzzles.wire.program import MAX_CALLS

# Called by torch.autograd.grad, which with gradients first imports SymPy: one to three seconds.
RUN_BACKWARD = torch.autograd.Variable._execution_engine.run_backward
APPLY = "Return Function.apply(...) of a torch.autograd.Function with forward and backward."
LEAVE = "Return the gradient, and leave .grad alone: PyTorch adds to it what backward returns."
ALLOCATE = "Allocate each result with torch.empty_like(...) or torch.empty(...) in forward, and return it."
OURS, TORCH = str(Path(__file__).parents[1]), str(Path(torch.__file__).parent)
SKIPPED = (OURS, TORCH, str(Path(triton.__file__).parent), sysconfig.get_path("stdlib"))


@dataclass(frozen=True)
class HostCall:
    """A host function with everything but its tensors."""

    function: Callable[..., Any]  # the submission's
    host: JobHost  # its name, arguments and outputs
    case: JobCase  # with the non-tensor arguments, and the gradients of each backward pass
    path: Path  # the submission, for findings
    objects: Sequence[Any] = ()  # of this process, which the case's arguments refer to by number
    beside: Callable[[], object] = lambda: None  # called between forward and backward pass

    def __call__(self, tensors: Mapping[str, Tensor]) -> Any:
        """Call it with its tensor arguments, and return its value; exceptions of the submission pass through.

        A backward call also gets the gradients of its results, and the arguments' initial `.grad`, if any. It returns
        the gradients of the arguments that require one, pass after pass, and after them the results. Raises
        SubmissionError if these cannot be differentiated.
        """
        for name in [name for name in self.host.arguments if f"{name}.grad" in tensors]:
            tensors[name].grad = tensors[f"{name}.grad"]
        returned = self.called(tensors, self.case.values)
        wanted = [tensors[name] for name in self.host.arguments if name in tensors and tensors[name].requires_grad]
        if not self.host.gradients or not wanted:
            return returned
        results, each = returned_tensors(returned), len(self.host.gradients)
        against = [tensors[name] for name in self.case.gradients or self.host.gradients]
        self._look_at(results, against[:each])
        for attribute, line, argument in _unsaved(results):
            why = "if it is changed before the backward pass, PyTorch does not notice, and gradients are wrong."
            text = f"{attribute} holds an argument that is not passed to ctx.save_for_backward: {why}"
            step = "Pass it to ctx.save_for_backward, and take it from ctx.saved_tensors in backward."
            argument.recording.note("saved-as-attribute", text, line, step)
        self.beside()
        if self.case.between:  # a network's other layers go forwards before this one goes back
            empty = {name: tensor.detach()[(slice(0, 0),) * tensor.dim()] for name, tensor in tensors.items()}
            for name, tensor in tensors.items():
                empty[name].requires_grad_(tensor.requires_grad)
            self.called(empty, self.case.between)
        found: list[Any] = []
        for start in range(0, len(against), each):
            last = start + each == len(against)
            found += gradients(results, wanted, against[start : start + each], keep=not last)
        for name in self.host.arguments:
            if name in tensors and tensors[name].grad is not tensors.get(f"{name}.grad"):
                raise self._refused("grad-set", f"{self.host.call} sets {name}.grad itself", LEAVE)
        for kept in _kept(found):
            text = f"{self.host.call} keeps a gradient that it returned: a later backward pass may write over it."
            step = "Keep no gradient: allocate it in every backward pass."
            kept.recording.note("cached-answer", text, kept.recording.made_in(kept), step)
        return (*found, *(result.detach() for result in results))

    def called(self, tensors: Mapping[str, Tensor], values: Mapping[str, Value]) -> Any:
        """Call it forwards alone, with these tensors and other arguments, and return what it returns."""
        if self.case.given is not None:
            returned = Given(tensors, values, self.objects).call(self.function, self.case.given)
            changed = [tensors[name] for name in self.host.mutates]
            return (*(value for value in flat(returned) if all(value is not one for one in changed)), *changed)
        return self.function(*(tensors[n] if n in tensors else values[n] for n in self.host.arguments))

    def _look_at(self, results: Sequence[Any], against: Sequence[Tensor]) -> None:
        """Raise SubmissionError if the results' number, type, shape, dtype or gradient function is wrong."""
        call, names = self.host.call, self.host.outputs[-len(against) :]
        if len(results) != len(against) or not all(isinstance(result, Tensor) for result in results):
            given, asked = plural(len(results), "value"), f"{plural(len(against), 'tensor')} {are(len(against))}"
            raise self._refused("no-gradient", f"{call} returns {given}; {asked} expected", APPLY)
        for name, result, gradient in zip(names, results, against, strict=True):
            if not result.requires_grad:
                raise self._refused("no-gradient", f"What {call} returns has no gradient function", APPLY)
            if result.shape != gradient.shape:
                given, asked = (str(tuple(tensor.shape)) for tensor in (result, gradient))
                raise self._refused("wrong-shape", f"{call} returns {name} with shape {given}; {asked} is expected")
            if result.dtype != gradient.dtype:
                given, asked = (str(tensor.dtype).removeprefix("torch.") for tensor in (result, gradient))
                raise self._refused("wrong-dtype", f"{call} returns {name} in {given}; {asked} is expected")

    def _refused(self, code: str, text: str, step: str = ALLOCATE) -> SubmissionError:
        return SubmissionError(Finding(code, f"{text}.", file=str(self.path), next_step=step))


def _unsaved(results: Sequence[Tensor]) -> Iterator[tuple[str, int | None, Recorded]]:
    """Yield the attributes of ctx that alone hold an argument's memory, with the lines that set them."""
    for node in (one.grad_fn for one in results):
        if not isinstance(node, BackwardCFunction):
            continue
        saved = {storage_identity(one.meta) for one in node.saved_tensors if isinstance(one, Recorded)}
        for name, value in vars(node).items():
            held = [one for one in tree_leaves(value) if isinstance(one, Recorded) and not one.recording.made_in(one)]
            if any(storage_identity(one.meta) not in saved for one in held):
                yield f"ctx.{name}", _line_setting(name, node._forward_cls), held[0]


def _line_setting(attribute: str, function: type) -> int | None:
    """Return the line of an autograd function's forward pass that sets an attribute of ctx."""
    for part in ("setup_context", "forward"):
        code = getattr(getattr(function, part, None), "__code__", None)
        lines = {} if code is None else dict(dis.findlinestarts(code))
        line: int | None = None
        for step in () if code is None else dis.get_instructions(code):
            line = lines.get(step.offset, line)
            if step.opname == "STORE_ATTR" and step.argval == attribute:
                return line
    return None


def _kept(found: Sequence[Any]) -> list[Recorded]:
    """Return the gradients that something still refers to, such as the graph that made them, or to a view of them."""
    if not _held(found):
        return []
    gc.collect()  # what only a cycle refers to is not kept
    return _held(found)


def _held(found: Sequence[Any]) -> list[Recorded]:
    counted = zip(found, _references(found), _references([object() for _ in found]), strict=True)
    return [
        one
        for one, count, usual in counted
        if isinstance(one, Recorded)
        and one.recording.made_in(one)  # else it is an argument's memory
        and (count > usual or one.recording.is_held(one))
    ]


def _references(objects: Sequence[object]) -> list[int]:
    return [sys.getrefcount(one) for one in objects]


def returned_tensors(returned: Any) -> tuple[Any, ...]:
    """Return the results as a tuple, whatever they are."""
    return tuple(returned) if isinstance(returned, (tuple, list)) else (returned,)


def gradients(
    results: Sequence[Tensor], wanted: Sequence[Tensor], against: Sequence[Tensor], keep: bool = False
) -> tuple[Any, ...]:
    """Return the gradients of `wanted`, computed on this thread; exceptions of a backward pass pass through.

    One that autograd would have to convert is returned as by the `torch.autograd.Function`, in its own dtype and
    shape; a missing one is `None`.
    `against` has one gradient for each result; `keep` keeps the graph for another pass.
    """
    misfits: dict[int, Tensor] = {}
    original = BackwardCFunction.apply

    def apply(node: Any, *arguments: Any) -> Any:
        """Inspect the return value of every backward pass, before autograd processes it."""
        returned = original(node, *arguments)  # type: ignore[no-untyped-call]
        values = list(returned) if isinstance(returned, tuple) else [returned]
        for place, leaf in _leaves(node):
            number = next((n for n, tensor in enumerate(wanted) if tensor is leaf), None)
            given = values[place] if place < len(values) else None
            if number is None or not isinstance(given, Tensor):
                continue
            if (given.dtype, given.shape) != (wanted[number].dtype, wanted[number].shape):
                misfits[number], values[place] = given, None  # autograd passes None on unchanged
        return tuple(values) if isinstance(returned, tuple) else values[0]

    with mock.patch.object(BackwardCFunction, "apply", apply), torch.autograd.set_multithreading_enabled(False):
        given = RUN_BACKWARD(
            tuple(results), tuple(against), keep, False, tuple(wanted), allow_unreachable=True, accumulate_grad=False
        )
    return tuple(misfits.get(number, gradient) for number, gradient in enumerate(given))


def _leaves(node: Any) -> Iterator[tuple[int, Tensor | None]]:
    """Yield the position and the leaf tensor of each argument of a Function that needs a gradient."""
    places = (place for place, needed in enumerate(node.needs_input_grad) if needed)
    edges = (function for function, _ in node.next_functions if function is not None)
    for place, function in zip(places, edges, strict=False):
        yield place, getattr(function, "variable", None)


def line_in(path: str) -> int | None:
    """Return the line of a file in the innermost stack frame of that file."""
    return next((frame.f_lineno for frame in _frames() if frame.f_code.co_filename == path), None)


def calls_in(path: str) -> tuple[int, ...]:
    """Return the lines of a file in the call stack, the innermost first, at most `MAX_CALLS`."""
    own = (frame.f_lineno for frame in _frames() if frame.f_code.co_filename == path)
    return tuple(islice(own, MAX_CALLS))


def outside() -> tuple[str, int]:
    """Return the innermost file and line that are not the grader's, PyTorch's, Triton's or Python's own."""
    for frame in _frames():
        if not frame.f_code.co_filename.startswith(SKIPPED):
            return frame.f_code.co_filename, frame.f_lineno
    return "?", 0


def in_autograd() -> bool:
    """Return whether autograd itself calls this: only PyTorch is on the stack between here and `gradients`."""
    for frame in _frames():
        if frame.f_code is gradients.__code__:
            return True
        if not frame.f_code.co_filename.startswith((OURS, TORCH)):
            return False
    return False


def _frames() -> Iterator[FrameType]:
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        yield frame
        frame = frame.f_back
