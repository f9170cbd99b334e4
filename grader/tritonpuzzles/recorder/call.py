"""One way to call the host function: with tensors and plain values by name, forwards or forwards and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from tritonpuzzles.recorder.gradients import gradients
from tritonpuzzles.recorder.submission import SubmissionError
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.words import are, plural
from tritonpuzzles.wire.job import JobCase, JobHost, Value

APPLY = "Return Function.apply(...) of a torch.autograd.Function with forward and backward."
LEAVE = "Return the gradient, and leave .grad alone: PyTorch adds to it what backward returns."
ALLOCATE = "Allocate each result with torch.empty_like(...) or torch.empty(...) in forward, and return it."


@dataclass(frozen=True)
class HostCall:
    """A host function with everything but its tensors.

    Attributes:
        function: the submission's.
        host: its name, arguments and outputs.
        case: with the arguments that are no tensors, and the gradients of each backward pass.
        path: the submission, for findings.
    """

    function: Callable[..., Any]
    host: JobHost
    case: JobCase
    path: Path

    def __call__(self, tensors: Mapping[str, Tensor]) -> Any:
        """Call it; exceptions of the submission pass through.

        Args:
            tensors: its tensor arguments by name, and of a backward call the gradients of its results, and what the
                arguments have for `.grad`, if anything.

        Returns:
            What it returns; of a backward call, the gradients of the arguments that require one, of one pass after the
            other, and behind them what it returns.

        Raises:
            SubmissionError: if what it returns in a backward call cannot be differentiated.
        """
        for name in [name for name in self.host.arguments if f"{name}.grad" in tensors]:
            tensors[name].grad = tensors[f"{name}.grad"]
        returned = self._called(tensors, self.case.values)
        wanted = [tensors[name] for name in self.host.arguments if name in tensors and tensors[name].requires_grad]
        if not self.host.gradients or not wanted:
            return returned
        results, each = returned_tensors(returned), len(self.host.gradients)
        against = [tensors[name] for name in self.case.gradients or self.host.gradients]
        self._look_at(results, against[:each])
        if self.case.between:  # a network's other layers go forwards before this one goes back
            self._called({name: _emptied(tensor) for name, tensor in tensors.items()}, self.case.between)
        found: list[Any] = []
        for start in range(0, len(against), each):
            last = start + each == len(against)
            found += gradients(results, wanted, against[start : start + each], keep=not last)
        for name in self.host.arguments:
            if name in tensors and tensors[name].grad is not tensors.get(f"{name}.grad"):
                raise self._refused("grad-set", f"{self.host.call} sets {name}.grad itself", LEAVE)
        return (*found, *(result.detach() for result in results))

    def _called(self, tensors: Mapping[str, Tensor], values: Mapping[str, Value]) -> Any:
        return self.function(*(tensors[n] if n in tensors else values[n] for n in self.host.arguments))

    def _look_at(self, results: Sequence[Any], against: Sequence[Tensor]) -> None:
        """Raise what keeps the results from being differentiated: their number, type, shape, dtype, no function."""
        call, names = self.host.call, self.host.outputs[-len(against) :]
        if len(results) != len(against) or not all(isinstance(result, Tensor) for result in results):
            asked = f"{plural(len(against), 'tensor')} {are(len(against))} expected"
            given = f"{call} returns {plural(len(results), 'value')}; {asked}"
            raise self._refused("no-gradient", given, APPLY)
        for name, result, gradient in zip(names, results, against, strict=True):
            if not result.requires_grad:
                raise self._refused("no-gradient", f"What {call} returns has no gradient function", APPLY)
            if result.shape != gradient.shape:
                words = f"with shape {tuple(result.shape)}; {tuple(gradient.shape)} is expected"
                raise self._refused("wrong-shape", f"{call} returns {name} {words}")
            if result.dtype != gradient.dtype:
                words = f"in {_name(result.dtype)}; {_name(gradient.dtype)} is expected"
                raise self._refused("wrong-dtype", f"{call} returns {name} {words}")

    def _refused(self, code: str, text: str, step: str = ALLOCATE) -> SubmissionError:
        return SubmissionError(Finding(code, f"{text}.", file=str(self.path), next_step=step))


def _emptied(tensor: Tensor) -> Tensor:
    """Return nothing of a tensor, in as many dimensions."""
    nothing = tensor.detach()[(slice(0, 0),) * tensor.dim()]
    return nothing.requires_grad_(tensor.requires_grad)


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def returned_tensors(returned: Any) -> tuple[Any, ...]:
    """Return the results as a tuple, whatever they are."""
    return tuple(returned) if isinstance(returned, (tuple, list)) else (returned,)
