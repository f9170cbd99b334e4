"""The data of `tritonpuzzles trace`: one case's memory ledger, and for pictures its run element by element.

Which program read and wrote what, and which results are wrong. Plain data that judge and front share; it holds no
answers.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

from tritonpuzzles.results.check import PuzzleResult
from tritonpuzzles.results.traffic import CacheTraffic

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Numbers: TypeAlias = "NDArray[np.integer[Any]]"  # text, so that `trace --help` need not wait for NumPy

LOAD, STORE, ATOMIC = "load", "store", "atomic"
OPERATIONS = (LOAD, STORE, ATOMIC)


class Outcome(enum.IntEnum):
    """The result for one element of an output."""

    RIGHT = 0
    TOO_SMALL = 1
    TOO_LARGE = 2
    NOT_FINITE = 3  # NaN or an infinity where a number belongs, or the other way round
    UNWRITTEN = 4  # no program stored it


@dataclass(frozen=True)
class AccessedTensor:
    """A tensor argument of a launch."""

    name: str  # the kernel's parameter
    role: str  # the host function's name for it: an argument's, an output's or "scratch"
    shape: tuple[int, ...]  # as the kernel got it
    matrix: tuple[int, int] | None = None  # rows and columns as it is drawn, if the puzzle defines them

    @property
    def size(self) -> tuple[int, int]:
        """Rows and columns as it is drawn."""
        return self.matrix or folded(self.shape)


def folded(shape: Sequence[int]) -> tuple[int, int]:
    """Return a shape as rows and columns; a vector is one row."""
    return prod(shape[:-1]), shape[-1] if shape else 1


@dataclass(frozen=True, eq=False)
class Access:
    """One load, store or atomic of one or more programs, lane by lane; lanes that a mask switches off are left out."""

    operation: str  # one of `OPERATIONS`
    tensor: int  # index into the launch's tensors
    file: str  # and line: its place in the source
    line: int
    elements: Numbers  # row-major numbers in the tensor's shape
    programs: Numbers  # linear program number of each, from 0


@dataclass(frozen=True, eq=False)
class Tiles:
    """The whole tiles of one load, store or atomic, with the lanes that a mask switches off; they may reach beyond."""

    operation: str  # one of `OPERATIONS`
    tensor: int  # index into the launch's tensors
    access: int | None  # index of the launch's access by the other lanes; `None` if all are masked off
    size: tuple[int, int]  # rows and columns of lanes, in the matrix that the tensor is drawn as
    found: Numbers  # (tiles, 4) program, row and column of the first lane, how many lanes the mask switches off


@dataclass(frozen=True, eq=False)
class LaunchAccesses:
    """One launch; the accesses of any one program are in order of time. Tiles are those that could be determined."""

    kernel: str
    grid: tuple[int, ...]
    programs: int
    tensors: tuple[AccessedTensor, ...]
    accesses: tuple[Access, ...]
    tiles: tuple[Tiles, ...] = ()


@dataclass(frozen=True)
class Pairs:
    """Two tensors of which a kernel combines every row of one with every row of the other."""

    rows: str  # and columns: the two roles
    columns: str
    row: str  # and column: the word for a row of each
    column: str
    rows_in_words: str  # and values_in_words: plural of the first, and the word for the values computed from the pairs
    values_in_words: str


@dataclass(frozen=True, eq=False)
class Picture:
    """One case, small enough to see every tile."""

    case: str  # its name
    shape: tuple[int, ...]  # and dtype: of its inputs
    dtype: str
    launches: tuple[LaunchAccesses, ...]  # in order
    outputs: tuple[str, ...] = ()  # names of what the host function returns
    # `Outcome` numbers of every element of the output with the most errors, in its shape, or in that of the matrix that
    # it is drawn as; `None` if all are right
    outcomes: Numbers | None = None
    outcome_of: str = ""  # the name of that output
    pairs: Pairs | None = None  # tensors whose rows the kernel combines, if the puzzle names them


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
    """The ledger of one case: the one that a report names first, else the largest; for a picture the clearest."""

    result: PuzzleResult  # of all cases on the CPU; its traffic and lines are those of this case
    case: str | None = None  # its name; `None` if no case gave a ledger
    shape: tuple[int, ...] = ()  # and dtype: of its inputs
    dtype: str = ""
    launches: tuple[TracedLaunch, ...] = ()  # in order
    operations: tuple[HostOperation, ...] = ()  # PyTorch's, in the host function
    scratch: tuple[int, ...] = ()  # elements of each tensor that it allocated beside the output
    cache: CacheTraffic | None = None  # DRAM traffic behind a GPU's L2 cache
    picture: Picture | None = field(default=None, compare=False, repr=False)  # if one was asked for
    no_picture: str | None = None  # why there is none although one was requested, one sentence
    instead: str | None = None  # why this is another case than the report names, one sentence
