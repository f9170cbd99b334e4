"""What the engine has seen, typed and without words: the judge words it, and believes none that does not add up."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias

from tritonpuzzles.decoding.marks import DecodeError
from tritonpuzzles.results.where import Region
from tritonpuzzles.wire.observed import spanned

Place: TypeAlias = tuple[str, int]  # file, line
StoredTwice = Literal["race-write-write", "written-twice"]
Outside = Literal["out-of-bounds-load", "out-of-bounds-store", "out-of-bounds-atomic"]
AccessCode = Literal[
    StoredTwice, Outside, "race-read-write", "race-in-program", "uninitialised-read", "undefined-lane",
    "division-by-zero", "int32-overflow",
]  # fmt: skip
Lost = Literal["illegal memory access", "misaligned address", "device-side assert", "unspecified launch failure"]
CallCode = Literal[
    "host-wrote-output", "no-launch", "wrong-memory", "aliases-input", "input-modified", "out-of-bounds-store",
    "out-of-bounds-load", "unwritten-elements", "race", "large-tensor-unreached", "not-compiled", "out-of-memory",
    "out-of-resources", "runtime-error", "tampering",
]  # fmt: skip


@dataclass(frozen=True)
class Tensor:
    """A tensor argument of a launch, by the kernel's name for it; strides in elements."""

    name: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    def __post_init__(self) -> None:
        _add_up(len(self.shape) == len(self.strides) and min((*self.shape, *self.strides), default=0) >= 0)

    @property
    def elements(self) -> int:
        """How many there are."""
        return math.prod(self.shape)

    @property
    def extent(self) -> int:
        """Elements of its memory from the first to the last, gaps included."""
        return spanned(self.shape, self.strides)


@dataclass(frozen=True)
class LaunchFact:
    """One launch."""

    # kernel, file, first: its name, its file, and the line where its text begins
    kernel: str
    file: str
    first: int
    place: Place  # where the host function launches it
    grid: tuple[int, int, int]
    numbers: dict[str, int] = field(default_factory=dict)  # its whole numbers by parameter, constexprs included
    tensors: tuple[Tensor, ...] = ()
    stored: tuple[tuple[int, str], ...] = ()  # lines in which it has stored, and the argument that it stored to
    largest_tile: int = 0  # elements of its largest block value

    def __post_init__(self) -> None:
        _add_up(min(self.grid) >= 0 <= self.largest_tile)

    @property
    def programs(self) -> int:
        """How many there are."""
        return math.prod(self.grid)


@dataclass(frozen=True)
class Wrap:
    """A sum, difference or product that 32 bits cannot hold: the first numbers, and what it would be."""

    file: str
    line: int
    symbol: Literal["+", "-", "*"]
    left: int
    right: int
    result: int


@dataclass(frozen=True)
class BadAccess:
    """Something wrong with one argument at one line of a kernel."""

    code: AccessCode
    launch: LaunchFact
    argument: str  # of the launch; "" for an address that was made of none
    file: str
    line: int
    count: int  # lanes, or elements
    # program, element: where first: the linear number of the program; elements count from the argument's first
    program: int
    element: int | None
    other: int | None = None  # the other program of a conflict
    masked: bool = False  # the operation has a mask
    lanes: int = 0  # of the same operations in the launch, those that lie in the tensor included
    stored: str = ""  # the argument whose elements depend on undefined lanes
    wrap: Wrap | None = None  # what has wrapped around on its way into the address

    def __post_init__(self) -> None:
        programs = self.launch.programs
        known = 0 <= self.program < programs and (self.other is None or 0 <= self.other < programs)
        _add_up(known and min(self.count, self.lanes) >= 0 and (self.wrap is None) == (self.code != "int32-overflow"))


@dataclass(frozen=True)
class Gap:
    """Elements of an output that no launch has stored."""

    output: str  # its name
    shape: tuple[int, ...]
    # where, count, first: which elements, how many, and the index of the first
    count: int
    first: tuple[int, ...]
    where: Region
    end: int | None  # the first row, or element of a vector, from which on nothing is stored, if that is so
    ends: tuple[int, int] | None  # of a matrix, the last row and the last column with anything stored, and one more
    # the columns of every row, or the elements of a vector, that are stored, if they are one piece at either end: begin
    # and end
    written: tuple[int, int] | None
    late: tuple[int, int] | None  # the first row that is stored from a later column on than others, and that column
    launches: tuple[LaunchFact, ...]  # those that have stored to it; all where none has
    stores: tuple[Place, ...]  # the lines that have stored to it
    twice: Place | None  # where several programs store to the same elements of it
    code: ClassVar = "unwritten-elements"

    def __post_init__(self) -> None:
        _add_up(len(self.first) == len(self.shape) and 0 < self.count <= math.prod(self.shape))

    @property
    def is_whole(self) -> bool:
        """Whether nothing at all is stored."""
        return self.count == math.prod(self.shape)


@dataclass(frozen=True)
class SomeRan:
    """An output of so many elements, and the only launch that stores to it, of which not every program was run."""

    output: str
    elements: int
    launch: LaunchFact
    code: ClassVar = "unwritten-elements"


@dataclass(frozen=True)
class Passed:
    """The line of a launch that passes a tensor as a parameter, and a line in which that kernel stores to it."""

    kernel: str
    parameter: str
    line: int
    store: int | None


@dataclass(frozen=True)
class CallFact:
    """Something wrong with a call."""

    code: CallCode
    # of the tensor, of PyTorch's operation, of the launch or of what a GPU lacks; or what an exception says
    name: str = ""
    # count, of: how many elements, bytes or launches, and of how many; of a stray store, how many elements after the
    # last, or with a minus before the first
    count: int = 0
    of: int = 0
    # file, line: where it is not the submission's file, and the line, where one is known
    file: str | None = None
    line: int | None = None
    is_fresh: bool = False  # the tensor was allocated in the call
    run: int = 0  # the number of the run that differs from the first, of `of`
    # first, where: the elements
    first: tuple[int, ...] = ()
    where: Region | None = None
    passed: Passed | None = None  # how a kernel comes to store to the tensor


@dataclass(frozen=True)
class LostContext:
    """The GPU has stopped a kernel, by CUDA's words, and runs no other in this process."""

    words: Lost

    @property
    def code(self) -> str:
        """The finding's."""
        return "illegal-memory-access" if self.words.endswith(("access", "address")) else "kernel-error"


@dataclass(frozen=True)
class Stopped:
    """What stops a kernel."""

    code: str
    why: str  # Triton's, Python's or the interpreter's words for it
    file: str | None
    line: int | None
    step: str | None = None  # what the compiler advises
    programs: int | None = None  # of the launch, where they are too many
    seen: int | None = None  # where programs see what others have done, if it stops only when they run in another order


@dataclass(frozen=True)
class Said:
    """What the compiler, or the check of a kernel's text, says itself: a finding in its words."""

    code: str
    message: str
    file: str | None = None
    line: int | None = None
    next_step: str | None = None
    details: dict[str, Any] = field(default_factory=dict)


Fact: TypeAlias = BadAccess | Gap | SomeRan | CallFact | LostContext | Stopped | Said


def _add_up(holds: bool) -> None:
    if not holds:
        raise DecodeError("a fact contradicts itself")
