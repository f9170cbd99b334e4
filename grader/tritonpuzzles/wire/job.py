"""What the judge tells recorder and engine: a submission's calls, or sizes to time, and the GPU that is found there.

Free of torch; it never holds an answer. The engine alone gets the numbers of a call's inputs, or draws them itself
(see `drawing`): a tensor of 2 GiB is not sent.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import Any

from tritonpuzzles.wire.program import ITEM_SIZES

Value = bool | int | float | str
COMPUTED = "torch:"  # begins the names of inputs that PyTorch computed in a host function
MOST_VARIANTS = 512  # of a file's kernels that are compiled: sets of constants and types


@dataclass(frozen=True)
class Device:
    """What `torch.cuda` and Triton's driver say of a GPU."""

    name: str  # as its driver calls it
    capability: int  # 90 for sm_90
    multiprocessors: int  # how many
    shared_bytes_per_block: int  # the most that one block may ask for
    shared_bytes_per_multiprocessor: int  # of all of its blocks
    registers_per_multiprocessor: int  # of 32 bits
    threads_per_multiprocessor: int  # resident at once
    memory_bytes: int  # of the whole GPU
    l2_bytes: int  # of its L2 cache


@dataclass(frozen=True)
class JobInput:
    """One tensor of a call: a strided view into a storage, in elements."""

    name: str
    key: str  # of the storage among those that the engine gets; empty for one that the engine draws itself
    dtype: str  # "float16"
    storage_bytes: int  # of the storage that the view lies in
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int
    # how far apart the engine puts the rows of a matrix that is too large to be sent with its gaps, or its columns
    # where these lie in one piece; `None` for what lies in memory as it comes
    far_stride: int | None = None
    requires_grad: bool = False  # whether autograd follows it


@dataclass(frozen=True)
class TensorSpec:
    """One tensor to draw."""

    name: str
    shape: tuple[int, ...]  # in elements
    dtype: str  # that it is rounded to: "float16"
    family: str | None = None  # "module:function", in place of the call's


@dataclass(frozen=True)
class Drawing:
    """Numbers that are not sent, for there are too many: whoever needs them draws them, on the GPU, from one seed."""

    family: str  # that they are drawn from, "module:function"
    tensors: tuple[TensorSpec, ...]  # what is drawn, in order
    shape: tuple[int, ...]  # of the case, for a family that draws all tensors together
    seed: int  # of all of them
    folder: str  # of the pack, for families of its own


@dataclass(frozen=True)
class JobCase:
    """One call of the host function."""

    name: str  # for messages
    # its tensors, and of a backward call the gradients behind them; "a.grad" is what `a` has for `.grad`
    inputs: tuple[JobInput, ...]
    max_output_bytes: int  # larger outputs are described and not sent
    values: dict[str, Value] = field(default_factory=dict)  # arguments that are no tensors, by name
    after: int | None = None  # index of an earlier case whose tensors these are, with other numbers in them
    phantom: bool = False  # its numbers mean nothing; where its programs reach is all that is told of
    drawing: Drawing | None = None  # its numbers, where the engine draws them itself
    gpu: Device | None = None  # that the host function finds in this call; `None` where it finds what it always does
    held: bool = False  # whether its launches are held against that GPU: how many programs fit at once, or its L2 cache
    cached: bool = False  # whether that GPU's L2 cache is modelled
    outputs: tuple[str, ...] = ()  # names of what comes back, in order; the host function's own where there are none
    # of a backward call, names of the inputs that the results are differentiated against, of one pass after the other;
    # the host function's own where there are none
    gradients: tuple[str, ...] = ()
    # plain arguments of another call, of empty tensors, before that; none where it is empty
    between: dict[str, Value] = field(default_factory=dict)
    given: Any = None  # how the call is put together, by `wire.given`, where it is more than the arguments in order
    noted: bool = False  # whether its launches are told of and nothing is run


@dataclass(frozen=True)
class JobHost:
    """The host function, and how it is called."""

    name: str  # of the function
    arguments: tuple[str, ...]  # names, in the order of the call
    # names of what comes back, in order; of a backward call the gradients, and behind them the results
    outputs: tuple[str, ...]
    # names of the inputs that the results are differentiated against; none for a forward call
    gradients: tuple[str, ...] = ()
    mutates: tuple[str, ...] = ()  # names of the inputs that it changes; they come back after what it returns
    computes: bool = False  # whether PyTorch may do work in it
    fills: bool = False  # whether what it fills itself is written: no kernel need store to all of it

    @property
    def call(self) -> str:
        """The same for messages: "softmax(x)"."""
        return f"{self.name}({', '.join(self.arguments)})"

    def goes_back(self, case: JobCase) -> bool:
        """Return whether what it returns in a case is differentiated."""
        return bool(self.gradients) and any(item.requires_grad for item in case.inputs)


@dataclass(frozen=True)
class JobBenchmark:
    """What to time, once the judge has found the results right."""

    case: int  # index into the job's cases: the inputs to time on
    baselines: dict[str, str]  # name -> "module:function", called with the same arguments
    arithmetic: bool = False  # whether a large matrix product is timed too
    folder: str | None = None  # of the pack, for baselines of its own


@dataclass(frozen=True)
class Job:
    """All that an engine is told of a submission, beside its programs and its text."""

    file: str  # the submission, for messages
    host: JobHost  # what is called, and how
    device: str  # "cpu" or "cuda"
    cases: tuple[JobCase, ...]  # to run, in order
    targets: tuple[str, ...] = ()  # GPUs to compile for that need not be there: "sm_90"
    benchmark: JobBenchmark | None = None
    resources: bool = False  # also tell what the compiled kernels use


@dataclass(frozen=True)
class PointJob:
    """One size."""

    shape: tuple[int, ...]  # of the call
    tensors: tuple[TensorSpec, ...]  # what is drawn for it
    seed: int  # of the numbers that the kernel is timed on
    check_seed: int  # of those that replace them before the last timed call, whose output the judge looks at
    copy_bytes: int | None = None  # of a copy that is timed beside the baselines; nothing where none is asked for


@dataclass(frozen=True)
class BenchJob:
    """All that a worker is told."""

    # the submission; with none, the baselines and copies are timed, in a process that has seen no submission
    file: str | None
    host: JobHost  # what is called, and how
    values: dict[str, Value]  # arguments that are no tensors, by name
    requires_grad: tuple[str, ...]  # names of the tensors that autograd follows
    family: str  # that the inputs are drawn from, "module:function"
    folder: str  # of the pack, for families and baselines of its own
    dtype: str  # of a large matrix product, where one is timed
    points: tuple[PointJob, ...]  # in the order in which they will be asked for
    baselines: dict[str, str] = field(default_factory=dict)  # name -> "module:function"
    arithmetic: bool = False  # whether a large matrix product is timed too

    def drawing(self, index: int, seed: int) -> Drawing:
        """Return the numbers of a point, from one of its seeds."""
        point = self.points[index]
        return Drawing(self.family, point.tensors, point.shape, seed, self.folder)

    def case(self, index: int) -> JobCase:
        """Return a point as a call: tensors as the engine draws them, one element behind the other."""
        point = self.points[index]
        inputs = []
        for spec in point.tensors:
            strides = tuple(prod(spec.shape[axis + 1 :]) for axis in range(len(spec.shape)))
            nbytes, follows = prod(spec.shape) * ITEM_SIZES[spec.dtype], spec.name in self.requires_grad
            inputs.append(JobInput(spec.name, "", spec.dtype, nbytes, spec.shape, strides, 0, None, follows))
        return JobCase(" x ".join(map(str, point.shape)), tuple(inputs), 0, self.values)
