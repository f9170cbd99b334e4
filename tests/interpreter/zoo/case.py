"""One kernel of the zoo and how to launch it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch


@dataclass(frozen=True)
class Case:
    """A launch: `kernel[grid](*make())`; every tensor argument is compared afterwards."""

    name: str
    kernel: Any
    grid: tuple[int, ...]
    make: Callable[[], tuple[Any, ...]]

    def arguments(self) -> tuple[Any, ...]:
        """Return fresh arguments from a fixed seed."""
        torch.manual_seed(1)
        return self.make()

    def run(self) -> list[torch.Tensor]:
        """Launch; return the tensors as the kernel has left them."""
        arguments = self.arguments()
        self.kernel[self.grid](*arguments)
        return tensors(arguments)


def tensors(values: Any) -> list[torch.Tensor]:
    """Return the tensors among arguments, also those in tuples and descriptors."""
    found: list[torch.Tensor] = []
    for value in values:
        if isinstance(value, torch.Tensor):
            found.append(value)
        elif isinstance(value, tuple):
            found += tensors(value)
        elif hasattr(value, "block_shape"):
            found.append(value.base)
    return found


def randn(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Return normal random numbers."""
    return torch.randn(*shape).to(dtype)


def zeros(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Return zeros."""
    return torch.zeros(*shape, dtype=dtype)


def integers(low: int, high: int, *shape: int, dtype: torch.dtype = torch.int32) -> torch.Tensor:
    """Return random integers, low <= value < high."""
    return torch.randint(low, high, shape).to(dtype)
