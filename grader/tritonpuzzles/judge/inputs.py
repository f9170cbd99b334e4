"""Draw the inputs of a case from a seed, lay them out in memory, and compute the golden result.

The golden results stay in this process; a worker gets the storages only, as safetensors.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from tritonpuzzles.curriculum.expressions import evaluate
from tritonpuzzles.curriculum.families import FAMILIES
from tritonpuzzles.curriculum.record import Case, Puzzle
from tritonpuzzles.drawing import named

MAX_PADDING = 19
FAR = 1 << 30  # elements from one row to the next


@dataclass(frozen=True)
class Layout:
    """A strided view into a flat storage, in elements.

    Attributes:
        row_stride: how far apart the worker puts the rows; the storage here has them side by side.
    """

    storage: Tensor
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int
    row_stride: int | None = None

    def tensor(self) -> Tensor:
        """Return the view itself."""
        return self.storage.as_strided(self.shape, self.stride, self.offset)


@dataclass(frozen=True)
class DrawnCase:
    """A case with its numbers.

    Attributes:
        case: the record's entry.
        shape: as drawn for this run.
        dims: the record's names for it: `{"n_rows": 33, "n_cols": 781}`.
        inputs: one per argument of the host function.
        golden: the truth in float64, one per output.
    """

    case: Case
    shape: tuple[int, ...]
    dims: dict[str, int]
    inputs: tuple[Layout, ...]
    golden: tuple[Tensor, ...]

    @property
    def name(self) -> str:
        return self.case.name

    @property
    def dtype(self) -> torch.dtype:
        return dtype_of(self.case.dtype)


def dtype_of(name: str) -> torch.dtype:
    """Return the torch dtype called `name`, such as "float32"."""
    dtype = getattr(torch, name)
    assert isinstance(dtype, torch.dtype)
    return dtype


def draw(puzzle: Puzzle, seed: int, device: str) -> list[DrawnCase]:
    """Draw every case of a puzzle that runs on `device`; the same seed gives the same cases everywhere."""
    reference = named(puzzle.reference)
    return [
        _draw_case(puzzle, case, reference, f"{seed}/{puzzle.stem}") for case in puzzle.cases if device in case.devices
    ]


class Draws:
    """The cases of a run's seed; those drawn last are kept, for a class hands in one puzzle many times."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._last: tuple[tuple[str, str], list[DrawnCase]] | None = None

    def of(self, puzzle: Puzzle, device: str) -> list[DrawnCase]:
        """Return what `draw` gives."""
        key = puzzle.stem, device
        if self._last is None or self._last[0] != key:
            self._last = None  # the old ones go before the new ones come
            self._last = key, draw(puzzle, self._seed, device)
        return self._last[1]


def _draw_case(puzzle: Puzzle, case: Case, reference: Callable[..., Any], seed: str) -> DrawnCase:
    rng = random.Random(f"{seed}/{case.after or case.name}")
    shape = tuple(evaluate(size, rng=rng) for size in case.shape)
    numbers = random.Random(f"{seed}/{case.after if case.same_numbers else case.name}/numbers")
    generator = torch.Generator().manual_seed(numbers.getrandbits(63))
    dtype = dtype_of(case.dtype)
    tensors = [tensor.to(dtype) for tensor in FAMILIES[case.family](shape, generator)]
    golden = reference(*(tensor.double() for tensor in tensors))
    return DrawnCase(
        case=case,
        shape=shape,
        dims=dict(zip(puzzle.dims, shape, strict=True)),
        inputs=tuple(lay_out(tensor, case.layout, rng) for tensor in tensors),
        golden=golden if isinstance(golden, tuple) else (golden,),
    )


def lay_out(tensor: Tensor, layout: str, rng: random.Random) -> Layout:
    """Place a contiguous tensor in a storage as the layout asks; what lies between its rows is NaN.

    Args:
        tensor: at least one dimension; the last stays contiguous.
        layout: "contiguous", "padded" (a gap behind each row), "column_slice" (before and behind) or "far_apart".
        rng: draws the gaps.
    """
    if layout in ("contiguous", "far_apart"):
        row_stride = FAR if layout == "far_apart" else None
        return Layout(tensor.reshape(-1), tuple(tensor.shape), tensor.stride(), 0, row_stride)
    before = rng.randint(1, MAX_PADDING) if layout == "column_slice" else 0
    after = rng.randint(1, MAX_PADDING)
    wide = torch.full((*tensor.shape[:-1], before + tensor.shape[-1] + after), torch.nan, dtype=tensor.dtype)
    view = wide[..., before : before + tensor.shape[-1]]
    view.copy_(tensor)
    return Layout(wide.reshape(-1), tuple(view.shape), view.stride(), int(view.storage_offset()))
