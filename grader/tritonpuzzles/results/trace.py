"""What `tritonpuzzles trace` tells: one case's memory ledger. Plain data that judge and front share."""

from __future__ import annotations

from dataclasses import dataclass, field

from tritonpuzzles.results.accesses import Picture
from tritonpuzzles.results.cache import CacheTraffic
from tritonpuzzles.results.check import PuzzleResult


@dataclass(frozen=True)
class TracedLaunch:
    """One launch of a kernel; `largest_tile` in elements of its largest block value."""

    kernel: str
    grid: tuple[int, ...]
    programs: int
    largest_tile: int | None


@dataclass(frozen=True)
class HostOperation:
    """What the host function asked of PyTorch: an operation, how often, and the bytes of its results; no views."""

    name: str
    calls: int
    bytes: int


@dataclass(frozen=True)
class Trace:
    """The ledger of one case: of the one that a report names before others; else of the largest, or for a picture the
    clearest.

    Attributes:
        result: of all cases on the CPU; its traffic and lines are those of this case.
        case: its name; `None` if no case gave a ledger.
        shape, dtype: of its inputs.
        launches: in order.
        operations: PyTorch's, in the host function.
        scratch: elements of each tensor that it allocated beside the output.
        cache: what a GPU's L2 cache leaves of it to DRAM.
        picture: the same case element by element, where pictures were asked for.
        no_picture: why there is none although one was asked for, one sentence.
        instead: why this is another case than the report names, one sentence.
    """

    result: PuzzleResult
    case: str | None = None
    shape: tuple[int, ...] = ()
    dtype: str = ""
    launches: tuple[TracedLaunch, ...] = ()
    operations: tuple[HostOperation, ...] = ()
    scratch: tuple[int, ...] = ()
    cache: CacheTraffic | None = None
    picture: Picture | None = field(default=None, compare=False, repr=False)
    no_picture: str | None = None
    instead: str | None = None
