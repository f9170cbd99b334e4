"""The bytes of one call: what its kernels ask of memory, and what a model of a GPU's L2 cache leaves of it to DRAM."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

INPUT, OUTPUT, SCRATCH = "input", "output", "scratch"


@dataclass(frozen=True)
class Traffic:
    """DRAM traffic of one tensor argument over one call of the host function, as multiples of the tensor's size."""

    argument: str
    loaded_bytes: int
    stored_bytes: int
    loaded_times: float
    stored_times: float
    limit: float | None = None
    atomic_bytes: int = 0
    tensor: str | None = None  # the host function's name for it: "x", "y", "scratch"
    role: str = SCRATCH  # INPUT, OUTPUT or SCRATCH

    @property
    def moved_bytes(self) -> int:
        """Read, written and what atomic operations move."""
        return self.loaded_bytes + self.stored_bytes + self.atomic_bytes


@dataclass(frozen=True)
class LineTraffic:
    """Bytes that one source line of the learner's file moved, for one tensor argument of `tensor_bytes` in all.

    `argument` is the kernel's name for the tensor, `tensor` the host function's, as in `Traffic`.
    """

    file: str
    line: int
    argument: str
    loaded_bytes: int
    stored_bytes: int
    atomic_bytes: int = 0
    tensor_bytes: int | None = None
    tensor: str | None = None


@dataclass(frozen=True)
class CachedLine:
    """What DRAM moves for one line of a kernel and one of its arguments, in whole sectors of 32 bytes.

    Attributes:
        file, line, argument, tensor: as in the ledger's lines.
        read_bytes: by loads and atomic operations that did not find them in the cache.
        written_bytes: that stores and atomic operations left to be written back.
        lines: of 128 bytes that the requests of warps ask for.
    """

    file: str
    line: int
    argument: str
    tensor: str | None
    read_bytes: int
    written_bytes: int
    lines: int = 0


@dataclass(frozen=True)
class LaunchTraffic:
    """What the programs of one launch ask of the L2 cache, and what that asks of DRAM; bytes are whole sectors.

    Attributes:
        variant: which kernel, with which constants: see `variant_of`.
        programs: that were run.
        warps: of each.
        loads, stores: operations of all programs together, atomic ones among the stores.
        asked_bytes: of the lanes that load; what they ask for twice counts twice.
        loaded_bytes, stored_bytes: that they touch.
        lines: of 128 bytes that the requests of warps ask for.
        own_bytes: that its programs load, what one of them loads twice counted once.
        read_bytes, written_bytes: what of it DRAM moves.
    """

    variant: str
    programs: int
    warps: int
    loads: int
    stores: int
    asked_bytes: int
    loaded_bytes: int
    stored_bytes: int
    own_bytes: int
    lines: int
    read_bytes: int
    written_bytes: int


@dataclass(frozen=True)
class CacheTraffic:
    """One call behind a GPU's L2 cache.

    Attributes:
        gpu: whose cache is modelled.
        l2_bytes: its size, by its maker.
        at_once: programs of each launch that run at once.
        lines: what DRAM moves for them.
        copied_bytes: what PyTorch copied beside the launches; it counts as read.
        filled_bytes: what PyTorch wrote beside them: zeros, ones.
        problem: why there is no more than this, one sentence.
        in_order_bytes: what DRAM would read if the same programs ran in the order of what they write, in memory: of a
            matrix row by row. `None` where nobody asked.
        launches: one after the other.
    """

    gpu: str
    l2_bytes: int
    at_once: tuple[int, ...] = ()
    lines: tuple[CachedLine, ...] = field(default=())
    copied_bytes: int = 0
    filled_bytes: int = 0
    problem: str | None = None
    in_order_bytes: int | None = None
    launches: tuple[LaunchTraffic, ...] = ()

    @property
    def dram_bytes(self) -> int | None:
        """All bytes that DRAM moves; `None` where that could not be modelled."""
        if self.problem is not None:
            return None
        return self.copied_bytes + sum(line.read_bytes + line.written_bytes for line in self.lines)

    @property
    def all_read_bytes(self) -> int:
        """What DRAM reads of all tensors."""
        return self.copied_bytes + sum(line.read_bytes for line in self.lines)

    def read_bytes(self, tensor: str | None, argument: str) -> int:
        """Return what DRAM reads of a tensor; of one that the host function cannot name, of an argument."""
        return sum(line.read_bytes for line in _of(self.lines, tensor, argument))

    def written_bytes(self, tensor: str | None, argument: str) -> int:
        """Return what is written of it to DRAM."""
        return sum(line.written_bytes for line in _of(self.lines, tensor, argument))


def _of(lines: Sequence[CachedLine], tensor: str | None, argument: str) -> list[CachedLine]:
    named = tensor is not None and tensor != "scratch"
    return [line for line in lines if (line.tensor == tensor if named else line.argument == argument)]


@dataclass(frozen=True)
class TensorReads:
    """What DRAM reads of one input, whose size is `tensor_bytes`."""

    tensor: str
    tensor_bytes: int
    read_bytes: int

    @property
    def times(self) -> float:
        """How often that is the whole tensor."""
        return self.read_bytes / self.tensor_bytes


@dataclass(frozen=True)
class DramReads:
    """What DRAM reads for one case, held against what the puzzle allows.

    Attributes:
        case: its name.
        gpu: whose L2 cache is modelled.
        l2_bytes: its size.
        programs, at_once: of the largest launch, and how many of them run at once.
        tensors: the inputs.
        read_bytes: of all tensors together.
        in_order_bytes: the same if the programs ran in the order of what they write.
        limit_bytes: of `read_bytes`.
    """

    case: str
    gpu: str
    l2_bytes: int
    programs: int
    at_once: int
    tensors: tuple[TensorReads, ...]
    read_bytes: int
    in_order_bytes: int
    limit_bytes: int

    @property
    def input_bytes(self) -> int:
        """The size of all inputs together."""
        return sum(item.tensor_bytes for item in self.tensors)

    def times(self, nbytes: int) -> float:
        """Return bytes as multiples of all inputs."""
        return nbytes / self.input_bytes
