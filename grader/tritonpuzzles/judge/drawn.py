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
LAST_BEYOND = (1.25, 1.75)  # times as far the last row begins
ANY = ""  # dtype of an output that may have any of floating point
ALIGNMENT = 16  # bytes: of rows that a tensor descriptor may describe


@dataclass(frozen=True)
class Layout:
    """A strided view into a flat storage, in elements."""

    storage: Tensor
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int
    # how far apart the worker puts the rows, or the columns where they are what lies in one piece; the storage here has
    # them side by side
    far_stride: int | None = None
    requires_grad: bool = False  # whether autograd follows the tensor

    @classmethod
    def of(cls, tensor: Tensor, far_stride: int | None = None, requires_grad: bool = False) -> Layout:
        """Return a contiguous tensor as it lies."""
        return cls(tensor.reshape(-1), tuple(tensor.shape), tensor.stride(), 0, far_stride, requires_grad)

    def tensor(self) -> Tensor:
        """Return the view itself."""
        return self.storage.as_strided(self.shape, self.stride, self.offset)

    @property
    def nbytes(self) -> int:
        """Bytes of the tensor's own elements."""
        return prod(self.shape) * self.storage.element_size()


@dataclass(frozen=True)
class Expected:
    """What one output must be like."""

    name: str
    shape: tuple[int, ...]
    dtype: str  # "float16"; `ANY` where every one of floating point will do
    of: str = ""  # the argument whose gradient it is; empty for what the host function itself returns

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
    tensors: dict[str, Layout]  # of the call by name, in order; of a backward call the gradients behind them
    outputs: tuple[Expected, ...]  # what must come back, in order
    # the truth, one per output: in float64, or in int64 where the reference gives whole numbers; none for a phantom,
    # whose tensors have no memory
    golden: tuple[Tensor, ...]
    values: dict[str, Value]  # arguments that are no tensors
    matrices: dict[str, tuple[int, int]] = field(default_factory=dict)  # as which rows and columns they are drawn
    phantom: bool = False  # whether its tensors have no memory
    # its numbers, where they are too many to be sent: its tensors here have no memory, and no truth is known until some
    # rows are asked for (`judge/truth.py`)
    drawing: Drawing | None = None
    drawn_on: str = "cuda"  # the device that they are drawn on
    noted: bool = False  # whether its launches are all that is asked of a phantom
    rows: tuple[int, ...] = ()  # the only ones of which outputs and truth are held; all where there are none
    against: tuple[str, ...] = ()  # what each pass of a backward call is differentiated against
    able: tuple[str, ...] = ()  # the arguments whose gradients another case of the puzzle may ask for
    beside: dict[str, Layout] = field(default_factory=dict)  # sent too: an argument's `.grad`; PyTorch's results
    given: Described | None = None  # how it is called, where arguments in order do not say it; see `wire.given`
    open: bool = False  # whether nobody knows the truth: nothing is compared
    limited: bool = True  # whether the task's limits are asked of it
    rounding: tuple[float, ...] = ()  # how far PyTorch in float32 is from each output at most, where that is asked

    @property
    def name(self) -> str:
        return self.case.name

    @property
    def dtype(self) -> torch.dtype:
        """The case's own dtype, which most tensors have."""
        return dtype_of(self.case.dtype)

    @property
    def shown_dtype(self) -> str:
        """The case's dtype as a report shows it; empty where no tensor or output is of floating point."""
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
        """All tensors that a worker gets, by name, in order."""
        return {**self.tensors, **self.beside}

    @property
    def wanted(self) -> tuple[str, ...]:
        """The arguments whose gradients are asked for."""
        return tuple(dict.fromkeys(output.of for output in self.outputs if output.of))

    def in_record(self, name: str) -> str:
        """Return a tensor's name in the record, where a gradient has one for all passes."""
        first, _, number = name.rpartition("_")
        return first if first and number in map(str, range(2, self.case.passes + 1)) else name

    @property
    def far_apart(self) -> list[str]:
        """The tensors whose rows or columns lie far apart."""
        return [name for name, made in self.tensors.items() if made.far_stride is not None]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to do: some dimension is 0."""
        return not all(self.shape)


def widened(tensor: Tensor) -> Tensor:
    """Return a tensor as it is compared, with nothing lost: in float64, or in int64 (a truth value as 0 or 1)."""
    return tensor.to(torch.float64 if tensor.dtype.is_floating_point else torch.int64)


def lay_out(tensor: Tensor, layout: str, rng: random.Random, requires_grad: bool = False) -> Layout:
    """Place a contiguous tensor in a storage as the layout asks; what lies between its rows is NaN.

    Args:
        tensor: at least one dimension; the last stays contiguous, but for "transposed" and what is said of columns.
        layout: "contiguous", "padded" (a gap behind each row), "aligned_gaps" (of a multiple of 16 bytes),
            "column_slice" (an odd number of elements before, others behind: rows are multiples of 16 bytes apart),
            "every_other_column" (of a matrix twice as wide), "transposed" (the last two strides swapped), "broadcast"
            (the first row for all, with stride 0), "broadcast_column" (of a matrix), or one of `FAR_LAYOUTS`.
        rng: draws the gaps.
        requires_grad: whether autograd follows it.
    """
    shape = tuple(tensor.shape)
    far_stride = _far_stride(layout, shape, rng) if layout in FAR_LAYOUTS else None
    if layout in ("transposed", "columns_far_apart", "columns_apart") and tensor.ndim >= 2:
        turned = tensor.mT.contiguous()
        stride = (*turned.stride()[:-2], turned.stride(-1), turned.stride(-2))
        return Layout(turned.reshape(-1), shape, stride, 0, far_stride, requires_grad)
    if layout == "broadcast" and tensor.ndim >= 2 and shape[0]:
        row = tensor[:1].contiguous()
        return Layout(row.reshape(-1), shape, (0, *row.stride()[1:]), 0, None, requires_grad)
    if layout == "broadcast_column" and shape[1]:
        return Layout(tensor[:, 0].contiguous(), shape, (1, 0), 0, None, requires_grad)
    if layout == "every_other_column":
        pairs = torch.stack([tensor, torch.full_like(tensor, _gap(tensor.dtype))], dim=-1)
        return Layout(pairs.reshape(-1), shape, pairs[..., 0].stride(), 0, None, requires_grad)
    if layout not in ("padded", "aligned_gaps", "column_slice"):
        return Layout.of(tensor, far_stride, requires_grad)
    whole = ALIGNMENT // tensor.element_size()  # elements
    before = rng.randrange(1, MAX_PADDING, 2) if layout == "column_slice" else 0
    after = rng.randint(1, MAX_PADDING) * (whole if layout == "aligned_gaps" else 1)
    after += -(before + shape[-1] + after) % whole if layout == "column_slice" else 0
    wide_shape = (*shape[:-1], before + shape[-1] + after)
    wide = torch.full(wide_shape, _gap(tensor.dtype), dtype=tensor.dtype, device=tensor.device)
    view = wide[..., before : before + shape[-1]]
    view.copy_(tensor)
    return Layout(wide.reshape(-1), shape, view.stride(), int(view.storage_offset()), None, requires_grad)


def _far_stride(layout: str, shape: Sequence[int], rng: random.Random) -> int:
    """Return the elements from one row to the next, or from one column to the next, of a layout that spreads them."""
    if layout in ("far_apart", "columns_far_apart"):
        return FAR
    pieces = shape[0] if layout == "apart" else shape[1]
    return int(BEYOND / max(1, pieces - 1) * rng.uniform(*LAST_BEYOND))


def _gap(dtype: torch.dtype) -> float | int:
    """Return what no right kernel reads: NaN, or the largest number of a type that has none."""
    return torch.nan if dtype.is_floating_point else 1 if dtype is torch.bool else torch.iinfo(dtype).max
