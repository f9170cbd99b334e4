"""One way to call the host function: with tensors and plain values by name, forwards or forwards and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from tritonpuzzles.engine.submission import SubmissionError
from tritonpuzzles.engine.tensors import returned_tensors
from tritonpuzzles.results.check import Finding
from tritonpuzzles.wire.job import JobHost, Value


@dataclass(frozen=True)
class HostCall:
    """A host function with everything but its tensors.

    Attributes:
        function: the submission's.
        host: its name, arguments and outputs.
        values: the arguments that are no tensors.
        path: the submission, for findings.
    """

    function: Callable[..., Any]
    host: JobHost
    values: Mapping[str, Value]
    path: Path

    def __call__(self, tensors: Mapping[str, Tensor]) -> Any:
        """Call it; exceptions of the submission pass through.

        Args:
            tensors: its tensor arguments by name, and of a backward call the gradients of its results.

        Returns:
            What it returns; of a backward call, the gradients of the arguments that require one.

        Raises:
            SubmissionError: if a backward call gives no gradients.
        """
        returned = self.function(*(tensors[n] if n in tensors else self.values[n] for n in self.host.arguments))
        if not self.host.gradients:
            return returned
        wanted = [tensors[name] for name in self.host.arguments if name in tensors and tensors[name].requires_grad]
        return self._differentiated(returned, wanted, [tensors[name] for name in self.host.gradients])

    def _differentiated(self, returned: Any, wanted: list[Tensor], against: list[Tensor]) -> tuple[Tensor | None, ...]:
        """Return the gradients, worked out on this thread: whoever watches it sees what PyTorch does for them."""
        results = returned_tensors(returned)
        if len(results) != len(against) or not all(isinstance(result, Tensor) for result in results):
            raise self._no_gradient(
                f"{self.host.call} returns {len(results)} values; {len(against)} tensors are expected"
            )
        for result, gradient in zip(results, against, strict=True):
            if not result.requires_grad:
                raise self._no_gradient(f"What {self.host.call} returns has no gradient function")
            if result.shape != gradient.shape or result.dtype != gradient.dtype:
                given, asked = f"{tuple(result.shape)} {result.dtype}", f"{tuple(gradient.shape)} {gradient.dtype}"
                raise self._no_gradient(f"{self.host.call} returns {given}; {asked} is expected")
        with torch.autograd.set_multithreading_enabled(False):
            return torch.autograd.grad(results, wanted, against, allow_unused=True)

    def _no_gradient(self, text: str) -> SubmissionError:
        step = "Return Function.apply(...) of a torch.autograd.Function with forward and backward."
        return SubmissionError(Finding("no-gradient", f"{text}.", file=str(self.path), next_step=step))
