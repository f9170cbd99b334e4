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
    """What `torch.cuda` and Triton's driver say of a GPU.

    Attributes:
        name: as its driver calls it.
        capability: 90 for sm_90.
        multiprocessors: how many.
        shared_bytes_per_block: the most that one block may ask for.
        shared_bytes_per_multiprocessor: of all of its blocks.
        registers_per_multiprocessor: of 32 bits.
        threads_per_multiprocessor: resident at once.
        memory_bytes: of the whole GPU.
        l2_bytes: of its L2 cache.
    """

    name: str
    capability: int
    multiprocessors: int
    shared_bytes_per_block: int
    shared_bytes_per_multiprocessor: int
    registers_per_multiprocessor: int
    threads_per_multiprocessor: int
    memory_bytes: int
    l2_bytes: int


@dataclass(frozen=True)
class JobInput:
    """One tensor of a call: a strided view into a storage, in elements.

    Attributes:
        key: of the storage among those that the engine gets; empty for one that the engine draws itself.
        dtype: "float16".
        storage_bytes: of the storage that the view lies in.
        far_stride: how far apart the engine puts the rows of a matrix that is too large to be sent with its gaps, or
            its columns where these lie in one piece; `None` for what lies in memory as it comes.
        requires_grad: whether autograd follows it.
    """

    name: str
    key: str
    dtype: str
    storage_bytes: int
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int
    far_stride: int | None = None
    requires_grad: bool = False


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


@dataclass(frozen=True)
class Drawing:
    """Numbers that are not sent, for there are too many: whoever needs them draws them, on the GPU, from one seed.

    Attributes:
        family: that they are drawn from, "module:function".
        tensors: what is drawn, in order.
        shape: of the case, for a family that draws all tensors together.
        seed: of all of them.
        folder: of the pack, for families of its own.
    """

    family: str
    tensors: tuple[TensorSpec, ...]
    shape: tuple[int, ...]
    seed: int
    folder: str


@dataclass(frozen=True)
class JobCase:
    """One call of the host function.

    Attributes:
        name: for messages.
        inputs: its tensors, and of a backward call the gradients behind them; "a.grad" is what `a` has for `.grad`.
        values: arguments that are no tensors, by name.
        after: index of an earlier case whose tensors these are, with other numbers in them.
        max_output_bytes: larger outputs are described and not sent.
        phantom: its numbers mean nothing; where its programs reach is all that is told of.
        drawing: its numbers, where the engine draws them itself.
        gpu: that the host function finds in this call, and that its launches are held against; `None` where it finds
            what it always does, and nobody asks how many programs fit.
        cached: whether that GPU's L2 cache is modelled.
        outputs: names of what comes back, in order; the host function's own where there are none.
        gradients: of a backward call, names of the inputs that the results are differentiated against, of one pass
            after the other; the host function's own where there are none.
        between: plain arguments of another call, of empty tensors, before that; none where it is empty.
        given: how the call is put together, by `wire.given`, where it is more than the arguments in order.
        noted: whether its launches are told of and nothing is run.
    """

    name: str
    inputs: tuple[JobInput, ...]
    max_output_bytes: int
    values: dict[str, Value] = field(default_factory=dict)
    after: int | None = None
    phantom: bool = False
    drawing: Drawing | None = None
    gpu: Device | None = None
    cached: bool = False
    outputs: tuple[str, ...] = ()
    gradients: tuple[str, ...] = ()
    between: dict[str, Value] = field(default_factory=dict)
    given: Any = None
    noted: bool = False


@dataclass(frozen=True)
class JobHost:
    """The host function, and how it is called.

    Attributes:
        name: of the function.
        arguments: names, in the order of the call.
        outputs: names of what comes back, in order; of a backward call the gradients, and behind them the results.
        gradients: names of the inputs that the results are differentiated against; none for a forward call.
        mutates: names of the inputs that it changes; they come back after what it returns.
        computes: whether PyTorch may do work in it.
    """

    name: str
    arguments: tuple[str, ...]
    outputs: tuple[str, ...]
    gradients: tuple[str, ...] = ()
    mutates: tuple[str, ...] = ()
    computes: bool = False

    @property
    def call(self) -> str:
        """The same for messages: "softmax(x)"."""
        return f"{self.name}({', '.join(self.arguments)})"

    def goes_back(self, case: JobCase) -> bool:
        """Return whether what it returns in a case is differentiated."""
        return bool(self.gradients) and any(item.requires_grad for item in case.inputs)


@dataclass(frozen=True)
class JobBenchmark:
    """What to time, once the judge has found the results right.

    Attributes:
        case: index into the job's cases: the inputs to time on.
        baselines: name -> "module:function", called with the same arguments.
        arithmetic: whether a large matrix product is timed too.
        folder: of the pack, for baselines of its own.
    """

    case: int
    baselines: dict[str, str]
    arithmetic: bool = False
    folder: str | None = None


@dataclass(frozen=True)
class Job:
    """All that an engine is told of a submission, beside its programs and its text.

    Attributes:
        file: the submission, for messages.
        host: what is called, and how.
        device: "cpu" or "cuda".
        cases: to run, in order.
        targets: GPUs to compile for that need not be there: "sm_90".
        resources: also tell what the compiled kernels use.
    """

    file: str
    host: JobHost
    device: str
    cases: tuple[JobCase, ...]
    targets: tuple[str, ...] = ()
    benchmark: JobBenchmark | None = None
    resources: bool = False


@dataclass(frozen=True)
class PointJob:
    """One size.

    Attributes:
        shape: of the call.
        tensors: what is drawn for it.
        seed: of the numbers that the kernel is timed on.
        check_seed: of those that replace them before the last timed call, whose output the judge looks at.
        copy_bytes: of a copy that is timed beside the baselines; nothing where none is asked for.
    """

    shape: tuple[int, ...]
    tensors: tuple[TensorSpec, ...]
    seed: int
    check_seed: int
    copy_bytes: int | None = None


@dataclass(frozen=True)
class BenchJob:
    """All that a worker is told.

    Attributes:
        file: the submission; with none, the baselines and copies are timed, in a process that has seen no submission.
        host: what is called, and how.
        values: arguments that are no tensors, by name.
        requires_grad: names of the tensors that autograd follows.
        family: that the inputs are drawn from, "module:function".
        folder: of the pack, for families and baselines of its own.
        dtype: of a large matrix product, where one is timed.
        points: in the order in which they will be asked for.
        baselines: name -> "module:function".
        arithmetic: whether a large matrix product is timed too.
    """

    file: str | None
    host: JobHost
    values: dict[str, Value]
    requires_grad: tuple[str, ...]
    family: str
    folder: str
    dtype: str
    points: tuple[PointJob, ...]
    baselines: dict[str, str] = field(default_factory=dict)
    arithmetic: bool = False

    def drawing(self, index: int, seed: int) -> Drawing:
        """Return the numbers of a point, from one of its seeds."""
        point = self.points[index]
        return Drawing(self.family, point.tensors, point.shape, seed, self.folder)

    def case(self, index: int) -> JobCase:
        """Return a point as a call: tensors as the engine draws them, one element behind the other."""
        point = self.points[index]
        inputs = tuple(_input(spec, spec.name in self.requires_grad) for spec in point.tensors)
        return JobCase(" x ".join(map(str, point.shape)), inputs, 0, self.values)


def _input(spec: TensorSpec, requires_grad: bool) -> JobInput:
    strides = tuple(prod(spec.shape[axis + 1 :]) for axis in range(len(spec.shape)))
    nbytes = prod(spec.shape) * ITEM_SIZES[spec.dtype]
    return JobInput(spec.name, "", spec.dtype, nbytes, spec.shape, strides, 0, None, requires_grad)
