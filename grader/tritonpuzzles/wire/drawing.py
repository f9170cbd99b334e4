"""Draw the tensors of a call from one seed: judge and worker get the same values without sending any.

A family draws each tensor separately, from the tensor's shape; or, if they depend on each other (`draws_all`), all
tensors of a call together, from the case's shape.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Generator, Tensor

from tritonpuzzles.results.words import plural
from tritonpuzzles.wire.authored import AuthorError, called, kind, named
from tritonpuzzles.wire.job import Drawing, TensorSpec

OWN_FAMILIES = "tritonpuzzles.curriculum.families."


def dtype_of(name: str) -> torch.dtype:
    """Return the torch dtype called `name`, such as "float32"."""
    dtype = getattr(torch, name)
    assert isinstance(dtype, torch.dtype)
    return dtype


def drawn_on(device: torch.device, drawing: Drawing) -> dict[str, Tensor]:
    """Return the tensors of a drawing by name, contiguous on a device; raises as `draw_tensors` does."""
    generator = torch.Generator(device).manual_seed(drawing.seed)
    tensors = draw_tensors(drawing.family, drawing.tensors, drawing.shape, generator, drawing.folder)
    return dict(zip((spec.name for spec in drawing.tensors), tensors, strict=True))


def draw_tensors(
    family: str, specs: Sequence[TensorSpec], shape: Sequence[int], generator: Generator, folder: Path | str | None
) -> list[Tensor]:
    """Draw the tensors of one call, on the generator's device.

    The same arguments give the same bits in every process with the same PyTorch on the same device.
    `shape` is the case's, for a family that draws all tensors together. Raises AuthorError if a family raises, or
    returns something wrong.
    """
    usual = _Family.find(family, folder)
    shared = [spec.name for spec in specs if spec.family is None]
    with generator.device:
        together = iter(usual.draw(shape, shared, generator) if usual.draws_all else ())
        drawn = []
        for spec in specs:
            own = _Family.find(spec.family, folder) if spec.family else usual
            if own.draws_all and own is not usual:
                raise AuthorError(f"{own.name} draws all tensors of a call together; {spec.name} needs one of its own")
            tensor = next(together) if own.draws_all else own.draw(spec.shape, [spec.name], generator)[0]
            if tuple(tensor.shape) != spec.shape:
                raise AuthorError(f"{own.name} gives {spec.name} the shape {tuple(tensor.shape)}, not {spec.shape}")
            drawn.append(tensor.to(dtype_of(spec.dtype)))
    return drawn


@dataclass(frozen=True)
class _Family:
    """A family's function, with its name in the record, and the folder of its pack."""

    name: str
    function: Callable[..., Any]
    folder: Path | str | None

    @staticmethod
    def find(name: str, folder: Path | str | None) -> _Family:
        spoken = name.partition(":")[2] if name.startswith(OWN_FAMILIES) else name
        return _Family(spoken, named(name, folder), folder)

    @property
    def draws_all(self) -> bool:
        return bool(getattr(self.function, "draws_all", False))

    def draw(self, shape: Sequence[int], wanted: Sequence[str], generator: Generator) -> Sequence[Tensor]:
        """Return one tensor for each name in `wanted`."""
        found = called(f"the family {self.name}", self.folder, self.function, tuple(shape), generator)
        if not isinstance(found, (tuple, list)):
            raise AuthorError(f"{self.name} returns {kind(found)}; a tuple of tensors is expected, also of one")
        if len(found) != len(wanted):
            asked = f"for {wanted[0]} alone" if len(wanted) == 1 else f"where {len(wanted)} are needed"
            names = f" ({', '.join(wanted)})" if len(wanted) > 1 else ""
            raise AuthorError(f"{self.name} draws {plural(len(found), 'tensor')} {asked}{names}")
        for spoken, value in zip(wanted, found, strict=True):
            if not isinstance(value, Tensor):
                raise AuthorError(f"{self.name} draws {kind(value)} for {spoken}; a tensor is expected")
        return found
