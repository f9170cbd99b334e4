"""What verify_public.py checks in checkouts of public libraries: their functions, with references in PyTorch.

Nothing of theirs is here: a module of this folder imports a library from where it was fetched.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import torch

Case = dict[str, Any]


@dataclass(frozen=True)
class Kernel:
    """One function of a library: what is run, what it should give, and arguments for both."""

    name: str
    run: Callable[..., Any]
    reference: Callable[..., Any]
    cases: Sequence[Case]
    options: dict[str, Any] = field(default_factory=dict)


def differentiated(function: Callable[..., Any], fixed: Collection[str] = ()) -> Callable[..., list[torch.Tensor]]:
    """Return a function that gives what another gives, and the gradients of its float arguments but some."""

    def run(**arguments: Any) -> list[torch.Tensor]:
        arguments = {
            name: value.detach().requires_grad_()
            if isinstance(value, torch.Tensor) and value.is_floating_point() and name not in fixed
            else value
            for name, value in arguments.items()
        }
        outputs = function(**arguments)
        outputs = [outputs] if isinstance(outputs, torch.Tensor) else list(outputs)
        wanted = [value for value in arguments.values() if isinstance(value, torch.Tensor) and value.requires_grad]
        weights = [weight(output) for output in outputs]
        return outputs + list(torch.autograd.grad(outputs, wanted, weights))

    return run


def weight(output: torch.Tensor) -> torch.Tensor:
    """Return a gradient to begin with: no two neighbours are equal, and each call gives the same one."""
    numbers = torch.arange(output.numel(), device=output.device, dtype=output.dtype)
    return (torch.cos(numbers) + 0.5).reshape(output.shape)


def stand_in_for_a_gpu() -> None:
    """Answer what libraries ask of a GPU when they choose a grid: four multiprocessors, compute capability 9.0."""
    torch.cuda.get_device_properties = lambda *_: SimpleNamespace(  # type: ignore[assignment]
        multi_processor_count=4, warp_size=32, max_threads_per_multi_processor=2048, name="", total_memory=1 << 36
    )
    torch.cuda.get_device_capability = lambda *_: (9, 0)


stand_in_for_a_gpu()  # some libraries ask when they are imported
