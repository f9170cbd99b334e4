"""Draw the tensors of a call from one seed: judge and worker get the same numbers without sending any.

A family draws each tensor by itself, from that tensor's shape, or all of a call together, from the case's shape, where
one depends on the other (`draws_all`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Generator, Tensor

from tritonpuzzles.wire.names import named


class DrawError(ValueError):
    """A family gives something else than the tensors that it is asked for; the message says what."""


@dataclass(frozen=True)
class TensorSpec:
    """One tensor to draw.

    Attributes:
        shape: in elements.
        dtype: that it is rounded to: "float16".
        family: "module:function", in place of the call's.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    family: str | None = None


def dtype_of(name: str) -> torch.dtype:
    """Return the torch dtype called `name`, such as "float32"."""
    dtype = getattr(torch, name)
    assert isinstance(dtype, torch.dtype)
    return dtype


def draw_tensors(
    family: str, specs: Sequence[TensorSpec], shape: Sequence[int], generator: Generator, folder: Path | str | None
) -> list[Tensor]:
    """Draw the tensors of one call, on the generator's device.

    The same arguments give the same bits in every process with the same PyTorch on the same device.

    Args:
        family: an input family, "module:function".
        specs: what to draw, in order.
        shape: of the case, for a family that draws all tensors together.
        generator: the source of numbers.
        folder: of the pack, for families of its own.

    Raises:
        DrawError: if a family does not give what it should.
    """
    usual = named(family, folder)
    shared = [spec for spec in specs if spec.family is None]
    with generator.device:
        together = iter(_all(usual, shared, shape, generator) if getattr(usual, "draws_all", False) else ())
        drawn = []
        for spec in specs:
            if spec.family is None and getattr(usual, "draws_all", False):
                tensor = next(together)
            else:
                tensor = _one(named(spec.family, folder) if spec.family else usual, spec, generator)
            if tuple(tensor.shape) != spec.shape:
                raise DrawError(f"{family} gives {spec.name} the shape {tuple(tensor.shape)}, not {spec.shape}")
            drawn.append(tensor.to(dtype_of(spec.dtype)))
    return drawn


def _all(
    family: Callable[..., Any], specs: Sequence[TensorSpec], shape: Sequence[int], generator: Generator
) -> Sequence[Tensor]:
    found: Sequence[Tensor] = family(tuple(shape), generator)
    if len(found) != len(specs):
        names = ", ".join(spec.name for spec in specs)
        raise DrawError(f"{family.__name__} draws {len(found)} tensors; {len(specs)} are needed ({names})")
    return found


def _one(family: Callable[..., Any], spec: TensorSpec, generator: Generator) -> Tensor:
    if getattr(family, "draws_all", False):
        raise DrawError(f"{family.__name__} draws all tensors of a call together; {spec.name} needs one of its own")
    found: Sequence[Tensor] = family(spec.shape, generator)
    if len(found) != 1:
        raise DrawError(f"{family.__name__} draws {len(found)} tensors for {spec.name} alone")
    return found[0]
