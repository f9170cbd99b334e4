"""What a model of a GPU's L2 cache says of one call: which of its bytes DRAM moves. Plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class CachedLine:
    """What DRAM moves for one line of a kernel and one of its arguments, in whole sectors of 32 bytes.

    Attributes:
        file, line, argument, tensor: as in the ledger's lines.
        read_bytes: by loads and atomic operations that did not find them in the cache.
        written_bytes: that stores and atomic operations left to be written back.
    """

    file: str
    line: int
    argument: str
    tensor: str | None
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
        problem: why there is no more than this, one sentence.
    """

    gpu: str
    l2_bytes: int
    at_once: tuple[int, ...] = ()
    lines: tuple[CachedLine, ...] = field(default=())
    copied_bytes: int = 0
    problem: str | None = None

    @property
    def dram_bytes(self) -> int | None:
        """All bytes that DRAM moves; `None` where that could not be modelled."""
        if self.problem is not None:
            return None
        return self.copied_bytes + sum(line.read_bytes + line.written_bytes for line in self.lines)

    def read_bytes(self, tensor: str | None, argument: str) -> int:
        """Return what DRAM reads of a tensor; of one that the host function cannot name, of an argument."""
        return sum(line.read_bytes for line in _of(self.lines, tensor, argument))

    def written_bytes(self, tensor: str | None, argument: str) -> int:
        """Return what is written of it to DRAM."""
        return sum(line.written_bytes for line in _of(self.lines, tensor, argument))


def _of(lines: Sequence[CachedLine], tensor: str | None, argument: str) -> list[CachedLine]:
    named = tensor is not None and tensor != "scratch"
    return [line for line in lines if (line.tensor == tensor if named else line.argument == argument)]
