"""A case with its numbers: what the host function gets, and what it must return. The truth stays in this process."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

import torch
from torch import Tensor

from tritonpuzzles.curriculum.record import FAR_LAYOUTS, Case
from tritonpuzzles.wire.drawing import dtype_of
from tritonpuzzles.wire.given import Described
from tritonpuzzles.wire.job import Drawing, Value

MAX_PADDING = 19
BEYOND = 1 << 31  # elements that 32 bits cannot count
FAR = BEYOND // 2
LAST_BEYOND = (1.25, 1.75)  # factor of `BEYOND` at which the last row begins
ANY = ""  # dtype of an output that may have any floating-point type
ALIGNMENT = 16  # in bytes, required of rows that a tensor descriptor describes


@dataclass(frozen=True)
class Layout:
    """A strided view into a flat storage, in elements."""

    storage: Tensor
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int
    # in the worker: distance of rows, or of columns where a column is contiguous; in the storage here they are adjacent
    far_stride: int | None = None
    requires_grad: bool = False  # whether autograd follows the tensor

    @classmethod
    def of(cls, tensor: Tensor) -> Layout:
        """Return the layout of a contiguous tensor, unchanged."""
        return cls(tensor.reshape(-1), tuple(tensor.shape), tensor.stride(), 0)

    def tensor(self) -> Tensor:
        """Return the view itself."""
        return self.storage.as_strided(self.shape, self.stride, self.offset)

    @property
    def nbytes(self) -> int:
        """Bytes of the tensor's elements, without gaps."""
        return prod(self.shape) * self.storage.element_size()


@dataclass(frozen=True)
class Expected:
    """The form that one output must have."""

    name: str
    shape: tuple[int, ...]
    dtype: str  # "float16"; `ANY` if every floating-point type is accepted
    of: str = ""  # the argument whose gradient it is; empty for a result of the host function
    contiguous: bool = False

    @property
    def nbytes(self) -> int:
        """Bytes of the whole output."""
        return prod(self.shape) * dtype_of(self.dtype or "float64").itemsize


@dataclass(frozen=True)
class DrawnCase:
    """A case with its numbers."""

    case: Case  # the record's entry
    shape: tuple[int, ...]  # as drawn for this run
    dims: dict[str, int]  # the record's names for it: `{"n_rows": 33, "n_cols": 781}`
    tensors: dict[str, Layout]  # arguments of the call by name, in order; a backward call's gradients come after them
    outputs: tuple[Expected, ...]  # what must come back, in order
    # the truth, one per output: float64, or int64 where the reference gives whole numbers; none for a phantom, whose
    # tensors have no memory
    golden: tuple[Tensor, ...]
    values: dict[str, Value]  # arguments that are not tensors
    matrices: dict[str, tuple[int, int]] = field(default_factory=dict)  # the rows and columns they are drawn as
    phantom: bool = False  # whether its tensors have no memory
    # how to draw its inputs, where they are too large to be sent: its tensors here have no memory, and the truth of
    # some rows is computed on request (`judge/truth.py`)
    drawing: Drawing | None = None
    drawn_on: str = "cuda"  # the device that the inputs are drawn on
    noted: bool = False  # whether only the launches of a phantom are recorded
    rows: tuple[int, ...] = ()  # the only rows whose outputs and truth are held; empty for all rows
    against: tuple[str, ...] = ()  # what each pass of a backward call is differentiated against
    able: tuple[str, ...] = ()  # the arguments whose gradients another case of the puzzle may request
    beside: dict[str, Layout] = field(default_factory=dict)  # sent too: arguments' `.grad`, PyTorch's results
    given: Described | None = None  # how it is called, where arguments in order do not say it; see `wire.given`
    open: bool = False  # whether the truth is unknown, so that nothing is compared
    limited: bool = True  # whether the task's limits apply to it
    rounding: tuple[float, ...] = ()  # the most that PyTorch in float32 is off, for each output, if that is measured

    @property
    def name(self) -> str:
        return self.case.name

    @property
    def dtype(self) -> torch.dtype:
        """The case's own dtype, which most tensors have."""
        return dtype_of(self.case.dtype)

    @property
    def shown_dtype(self) -> str:
        """The case's dtype as a report shows it; empty if no tensor or output has a floating-point type."""
        dtypes = [layout.storage.dtype for layout in self.tensors.values()]
        dtypes += [dtype_of(output.dtype or "float64") for output in self.outputs]
        return self.case.dtype if any(dtype.is_floating_point for dtype in dtypes) else ""

    @property
    def inputs(self) -> tuple[Layout, ...]:
        """The tensors in order."""
        return tuple(self.tensors.values())

    @property
    def sizes(self) -> dict[str, int]:
        """Bytes of each tensor and output, by name."""
        inputs = {name: made.nbytes for name, made in self.sent.items()}
        return inputs | {output.name: output.nbytes for output in self.outputs}

    @property
    def sent(self) -> dict[str, Layout]:
        """All tensors that are sent to a worker, by name, in order."""
        return {**self.tensors, **self.beside}

    @property
    def wanted(self) -> tuple[str, ...]:
        """The arguments whose gradients are requested."""
        return tuple(dict.fromkeys(output.of for output in self.outputs if output.of))

    def in_record(self, name: str) -> str:
        """Return a tensor's name in the record, where the gradients of all passes share one name."""
        first, _, number = name.rpartition("_")
        return first if first and number in map(str, range(2, self.case.passes + 1)) else name

    @property
    def far_apart(self) -> list[str]:
        """The tensors whose rows or columns lie far apart."""
        return [name for name, made in self.tensors.items() if made.far_stride is not None]

    @property
    def is_empty(self) -> bool:
        """Whether the work is empty: some dimension is 0."""
        return not all(self.shape)


def widened(tensor: Tensor) -> Tensor:
    """Return a tensor as it is compared, without loss: in float64, or in int64 (a truth value as 0 or 1)."""
    return tensor.to(torch.float64 if tensor.dtype.is_floating_point else torch.int64)


def lay_out(tensor: Tensor, layout: str, rng: random.Random, requires_grad: bool = False) -> Layout:
    """Place a contiguous tensor in a storage with the requested layout; the gaps are filled with NaN.

    The tensor has at least one dimension; the last stays contiguous, except for "transposed" and the column layouts.
    The layout is "contiguous", "padded" (a gap after each row), "aligned_gaps" (of a multiple of 16 bytes),
    "column_slice" (an odd number of elements before, others after: rows are multiples of 16 bytes apart),
    "every_other_column" (of a matrix twice as wide), "transposed" (the last two strides swapped), "broadcast" (the
    first row for all, with stride 0), "broadcast_column" (of a matrix), "broadcast_number" (of a tensor), or one of
    `FAR_LAYOUTS`.
    """
    shape, held, stride, before = tuple(tensor.shape), tensor, tensor.stride(), 0  # as it is: contiguous
    far_stride = _far_stride(layout, shape, rng) if layout in FAR_LAYOUTS else None
    if layout in ("transposed", "columns_far_apart", "columns_apart") and tensor.ndim >= 2:
        held = tensor.mT.contiguous()
        stride = (*held.stride()[:-2], held.stride(-1), held.stride(-2))
    elif layout == "broadcast" and tensor.ndim >= 2 and shape[0]:
        held = tensor[:1].contiguous()
        stride = (0, *held.stride()[1:])
    elif layout == "broadcast_number" and tensor.numel():
        held, stride = tensor.reshape(-1)[:1], (0,) * tensor.ndim
    elif layout == "broadcast_column" and shape[1]:
        held, stride = tensor[:, 0].contiguous(), (1, 0)
    elif layout == "every_other_column":
        held = torch.stack([tensor, torch.full_like(tensor, _gap(tensor.dtype))], dim=-1)
        stride = held[..., 0].stride()
    elif layout in ("padded", "aligned_gaps", "column_slice"):
        whole = ALIGNMENT // tensor.element_size()  # elements
        before = rng.randrange(1, MAX_PADDING, 2) if layout == "column_slice" else 0
        after = rng.randint(1, MAX_PADDING) * (whole if layout == "aligned_gaps" else 1)
        after += -(before + shape[-1] + after) % whole if layout == "column_slice" else 0
        wide = (*shape[:-1], before + shape[-1] + after)
        held = torch.full(wide, _gap(tensor.dtype), dtype=tensor.dtype, device=tensor.device)
        held[..., before : before + shape[-1]] = tensor
        stride = held.stride()
    return Layout(held.reshape(-1), shape, stride, before, far_stride, requires_grad)


def _far_stride(layout: str, shape: Sequence[int], rng: random.Random) -> int:
    """Return the distance in elements between rows, or between columns, of a layout that spreads them."""
    if layout in ("far_apart", "columns_far_apart"):
        return FAR
    pieces = shape[0] if layout == "apart" else shape[1]
    return int(BEYOND / max(1, pieces - 1) * rng.uniform(*LAST_BEYOND))


def _gap(dtype: torch.dtype) -> float | int:
    """Return a value that no correct kernel reads: NaN, or the largest number of a type without NaN."""
    return torch.nan if dtype.is_floating_point else 1 if dtype is torch.bool else torch.iinfo(dtype).max
