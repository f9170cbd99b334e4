"""What the judge tells an engine that times one file, or PyTorch alone, over sizes: no tensors.

Shared by both sides. The engine draws its inputs itself (see `drawing`): a tensor of 2 GiB is not sent.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod

from tritonpuzzles.wire.job import Drawing, JobCase, JobHost, JobInput, TensorSpec, Value
from tritonpuzzles.wire.program import ITEM_SIZES


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
