"""Numbers for tensors too large to hand over: judge and worker draw the same ones, each on the GPU, from one seed.

Shared by both sides. What the judge names as "module:function" is found here too.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor


def named(dotted: str) -> Callable[..., Any]:
    """Return the function that "module:function" names."""
    module, _, name = dotted.partition(":")
    function: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return function


def draw_inputs(family: str, shape: Sequence[int], dtype: torch.dtype, seed: int, device: torch.device) -> list[Tensor]:
    """Draw the host function's arguments on a device.

    The same arguments give the same bits in every process with the same PyTorch on the same device, so that the judge
    knows a worker's inputs without having sent or received them.

    Args:
        family: an input family, "module:function", which takes a shape and a generator and returns float64 tensors.
        shape: of each tensor.
        dtype: that they are rounded to.
        seed: of the generator.
        device: where they are drawn, and stay.
    """
    generator = torch.Generator(device).manual_seed(seed)
    with device:
        return [tensor.to(dtype) for tensor in named(family)(tuple(shape), generator)]
