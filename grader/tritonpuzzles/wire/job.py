"""Jobs from the judge for recorder and engine: a submission's calls, or sizes to time, and the GPU that is reported.

Does not import torch; never contains an answer. Only the engine gets the values of a call's inputs, or draws them
itself (see `drawing`): a tensor of 2 GiB is not sent.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import Any

from tritonpuzzles.wire.program import ITEM_SIZES

Value = bool | int | float | str
COMPUTED = "torch:"  # prefix of the names of inputs that PyTorch computed in a host function
FURTHER = 16  # elements by which rows are farther apart in the calls with the same shapes that come before one
MOST_VARIANTS = 512  # of a file's kernels that are compiled: sets of constants and types


@dataclass(frozen=True)
class Device:
    """A GPU as `torch.cuda` and Triton's driver report it."""

    name: str  # the driver's name
    capability: int  # 90 for sm_90
    multiprocessors: int  # how many
    shared_bytes_per_block: int  # the most that one block may use
    shared_bytes_per_multiprocessor: int  # of all of its blocks
    registers_per_multiprocessor: int  # of 32 bits
    threads_per_multiprocessor: int  # resident at once
    memory_bytes: int  # of the whole GPU
    l2_bytes: int  # of its L2 cache


@dataclass(frozen=True)
class JobInput:
    """One tensor of a call: a strided view into a storage, in elements."""

    name: str
    key: str  # of its storage among those sent to the engine; empty if the engine draws it itself
    dtype: str  # "float16"
    storage_bytes: int  # of the storage that the view lies in
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int
    # distance at which the engine lays out the rows of a matrix that is too large to be sent with its gaps, or its
    # columns if these are contiguous; `None` for an input that is sent as it lies in memory
    far_stride: int | None = None
    requires_grad: bool = False  # whether autograd tracks it


@dataclass(frozen=True)
class TensorSpec:
    """One tensor to draw."""

    name: str
    shape: tuple[int, ...]  # in elements
    dtype: str  # that it is rounded to: "float16"
    family: str | None = None  # "module:function", in place of the call's


@dataclass(frozen=True)
class Drawing:
    """Values that are not sent, as there are too many: judge and engine draw them, on the GPU, from one seed."""

    family: str  # that they are drawn from, "module:function"
    tensors: tuple[TensorSpec, ...]  # what is drawn, in order
    shape: tuple[int, ...]  # of the case, for a family that draws all tensors together
    seed: int  # of all of them
    folder: str  # of the pack, for families of its own


@dataclass(frozen=True)
class JobCase:
    """One call of the host function."""

    name: str  # for messages
    # its tensors, for a backward call followed by the gradients; "a.grad" is the initial `.grad` of `a`
    inputs: tuple[JobInput, ...]
    max_output_bytes: int  # larger outputs are described and not sent
    values: dict[str, Value] = field(default_factory=dict)  # non-tensor arguments, by name
    after: int | None = None  # index of an earlier case whose tensors these are, with other numbers in them
    phantom: bool = False  # its values mean nothing; only the addresses that its programs access are checked
    drawing: Drawing | None = None  # its values, if the engine draws them itself
    gpu: Device | None = None  # reported to the host function in this call; `None` for the usual one
    held: bool = False  # whether its launches are compared with that GPU: programs that fit at once, or its L2 cache
    cached: bool = False  # whether that GPU's L2 cache is modelled
    outputs: tuple[str, ...] = ()  # names of the returned values, in order; if empty, those of `JobHost`
    # for a backward call, names of the inputs that are the gradients of the results, pass after pass; if empty, those
    # of `JobHost`
    gradients: tuple[str, ...] = ()
    # non-tensor arguments of another call, with empty tensors, before the backward pass; if empty, there is none
    between: dict[str, Value] = field(default_factory=dict)
    given: Any = None  # description of the arguments by `wire.given`, if they are not plain
    noted: bool = False  # whether its launches are only reported, not run


@dataclass(frozen=True)
class JobHost:
    """The host function, and how it is called."""

    name: str  # of the function
    arguments: tuple[str, ...]  # names, in the order of the call
    # names of the returned values, in order; for a backward call the gradients, and after them the results
    outputs: tuple[str, ...]
    # names of the inputs that are the gradients of the results; none for a forward call
    gradients: tuple[str, ...] = ()
    mutates: tuple[str, ...] = ()  # names of the inputs that it changes; they follow its return values
    computes: bool = False  # whether PyTorch may do part of the work
    fills: bool = False  # whether memory that it fills itself counts as written, without a kernel's stores

    @property
    def call(self) -> str:
        """The call in messages: "softmax(x)"."""
        return f"{self.name}({', '.join(self.arguments)})"

    def goes_back(self, case: JobCase) -> bool:
        """Return whether its results are differentiated in a case."""
        return bool(self.gradients) and any(item.requires_grad for item in case.inputs)


@dataclass(frozen=True)
class JobBenchmark:
    """What to time, once the judge has found the results right."""

    case: int  # index into the job's cases: the inputs to time on
    baselines: dict[str, str]  # name -> "module:function", called with the same arguments
    yardsticks: bool = True  # whether the baselines and a copy are timed too
    arithmetic: bool = False  # whether a large matrix product is a yardstick too
    folder: str | None = None  # of the pack, for baselines of its own


@dataclass(frozen=True)
class Job:
    """Everything that is sent to an engine about a submission, besides its programs and source texts."""

    file: str  # the submission, for messages
    host: JobHost  # what is called, and how
    device: str  # "cpu" or "cuda"
    cases: tuple[JobCase, ...]  # to run, in order
    targets: tuple[str, ...] = ()  # GPUs to compile for that need not be there: "sm_90"
    benchmark: JobBenchmark | None = None
    resources: bool = False  # whether to report the resources of compiled kernels


@dataclass(frozen=True)
class PointJob:
    """One size."""

    shape: tuple[int, ...]  # of the call
    tensors: tuple[TensorSpec, ...]  # what is drawn for it
    seed: int  # of the numbers that the kernel is timed on
    check_seed: int  # of those that replace them before the last timed call, whose output the judge checks
    copy_bytes: int | None = None  # of a copy that is timed with the baselines; `None` for no copy


@dataclass(frozen=True)
class BenchJob:
    """Everything that is sent to a worker for a bench."""

    # the submission; `None` to time the baselines and copies, in a process that has loaded no submission
    file: str | None
    host: JobHost  # what is called, and how
    values: dict[str, Value]  # non-tensor arguments, by name
    requires_grad: tuple[str, ...]  # names of the tensors that autograd tracks
    family: str  # that the inputs are drawn from, "module:function"
    folder: str  # of the pack, for families and baselines of its own
    dtype: str  # of a large matrix product, if one is timed
    points: tuple[PointJob, ...]  # in the order of the requests
    baselines: dict[str, str] = field(default_factory=dict)  # name -> "module:function"
    arithmetic: bool = False  # whether a large matrix product is timed too

    def drawing(self, index: int, seed: int) -> Drawing:
        """Return the drawing of a point, from one of its seeds."""
        point = self.points[index]
        return Drawing(self.family, point.tensors, point.shape, seed, self.folder)

    def case(self, index: int) -> JobCase:
        """Return a point as a call, with contiguous tensors, as the engine draws them."""
        point = self.points[index]
        inputs = []
        for spec in point.tensors:
            strides = tuple(prod(spec.shape[axis + 1 :]) for axis in range(len(spec.shape)))
            nbytes, follows = prod(spec.shape) * ITEM_SIZES[spec.dtype], spec.name in self.requires_grad
            inputs.append(JobInput(spec.name, "", spec.dtype, nbytes, spec.shape, strides, 0, None, follows))
        return JobCase(" x ".join(map(str, point.shape)), tuple(inputs), 0, self.values)
