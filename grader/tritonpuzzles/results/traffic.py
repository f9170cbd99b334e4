"""The bytes of one call: what its kernels request from memory, and what a model of an L2 cache leaves to DRAM."""

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
    """Bytes that one source line of the learner's file moved, for one tensor argument of `tensor_bytes` in all."""

    file: str
    line: int
    argument: str  # and tensor: the kernel's name for the tensor, and the host function's, as in `Traffic`
    loaded_bytes: int
    stored_bytes: int
    atomic_bytes: int = 0
    tensor_bytes: int | None = None
    tensor: str | None = None


@dataclass(frozen=True)
class CachedLine:
    """What DRAM moves for one line of a kernel and one of its arguments, in whole sectors of 32 bytes."""

    file: str  # and line, argument, tensor: as in the ledger's lines
    line: int
    argument: str
    tensor: str | None
    read_bytes: int  # by loads and atomic operations that did not find them in the cache
    written_bytes: int  # that stores and atomic operations left to be written back
    lines: int = 0  # 128-byte cache lines that warps request


@dataclass(frozen=True)
class LaunchTraffic:
    """L2 and DRAM traffic of one launch; bytes are whole sectors."""

    variant: str  # which kernel, with which constants: see `variant_of`
    programs: int  # that were run
    warps: int  # of each
    loads: int  # and stores: operations of all programs together, atomic ones among the stores
    stores: int
    asked_bytes: int  # of all loading lanes; repeated loads count again
    loaded_bytes: int  # and stored_bytes: sectors that they touch
    stored_bytes: int
    own_bytes: int  # that its programs load; what one program loads twice counts once
    lines: int  # 128-byte cache lines that warps request
    read_bytes: int  # and written_bytes: the part that DRAM moves
    written_bytes: int


@dataclass(frozen=True)
class CacheTraffic:
    """One call behind a GPU's L2 cache."""

    gpu: str  # whose cache is modelled
    l2_bytes: int  # its size, by its maker
    at_once: tuple[int, ...] = ()  # programs of each launch that run at once
    lines: tuple[CachedLine, ...] = field(default=())  # DRAM traffic by source line
    copied_bytes: int = 0  # bytes that PyTorch copied outside of launches; they count as read
    filled_bytes: int = 0  # bytes that PyTorch filled outside of launches: zeros, ones
    problem: str | None = None  # why the model has no result, one sentence
    # DRAM reads if the same programs ran in memory order of what they write: row by row for a matrix.
    # `None` if not requested
    in_order_bytes: int | None = None
    launches: tuple[LaunchTraffic, ...] = ()  # one after the other

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
        """Return the bytes that DRAM reads of a tensor; without a name for it in the host function, of an argument."""
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
        """DRAM reads as a multiple of the tensor's size."""
        return self.read_bytes / self.tensor_bytes


@dataclass(frozen=True)
class DramReads:
    """DRAM reads in one case, compared with the puzzle's limit."""

    case: str  # its name
    gpu: str  # whose L2 cache is modelled
    l2_bytes: int  # its size
    programs: int  # and at_once: of the largest launch, and how many of them run at once
    at_once: int
    tensors: tuple[TensorReads, ...]  # the inputs
    read_bytes: int  # of all tensors together
    in_order_bytes: int  # the same if the programs ran in memory order of what they write
    limit_bytes: int  # of `read_bytes`

    def times(self, nbytes: int) -> float:
        """Return bytes as multiples of all inputs."""
        return nbytes / sum(item.tensor_bytes for item in self.tensors)
