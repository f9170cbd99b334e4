"""Facts that the engine has observed, typed, without messages: the judge words them, and rejects inconsistent ones."""

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
    "division-by-zero", "undefined-shift", "int32-overflow",
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
        """Number of its elements."""
        return math.prod(self.shape)

    @property
    def extent(self) -> int:
        """Elements of its memory from the first to the last, gaps included."""
        return spanned(self.shape, self.strides)


@dataclass(frozen=True)
class LaunchFact:
    """One launch."""

    # kernel, file, first: the kernel's name, its file, and the first line of its source
    kernel: str
    file: str
    first: int
    place: Place  # where the host function launches it
    grid: tuple[int, int, int]
    numbers: dict[str, int] = field(default_factory=dict)  # its integer arguments by parameter, constexprs included
    tensors: tuple[Tensor, ...] = ()
    stored: tuple[tuple[int, str], ...] = ()  # lines that have stored, and the argument that they stored to
    largest_tile: int = 0  # elements of its largest block value

    def __post_init__(self) -> None:
        _add_up(min(self.grid) >= 0 <= self.largest_tile)

    @property
    def programs(self) -> int:
        """Number of its programs."""
        return math.prod(self.grid)


@dataclass(frozen=True)
class Wrap:
    """A sum, difference or product that overflows 32 bits: its first operands, and the exact result."""

    file: str
    line: int
    symbol: Literal["+", "-", "*"]
    left: int
    right: int
    result: int


@dataclass(frozen=True)
class BadAccess:
    """A fault with one argument at one line of a kernel."""

    code: AccessCode
    launch: LaunchFact
    argument: str  # of the launch; "" for an address that is not from any
    file: str
    line: int
    count: int  # lanes, or elements
    # program, element: the first occurrence: linear number of the program, element counted from the argument's first
    program: int
    element: int | None
    other: int | None = None  # the other program of a conflict
    masked: bool = False  # the operation has a mask
    lanes: int = 0  # active lanes of the operation in the launch, those inside the tensor included
    stored: str = ""  # the argument whose elements depend on undefined lanes
    wrap: Wrap | None = None  # the overflow that reached the address

    def __post_init__(self) -> None:
        programs = self.launch.programs
        known = 0 <= self.program < programs and (self.other is None or 0 <= self.other < programs)
        _add_up(known and min(self.count, self.lanes) >= 0 and (self.wrap is None) == (self.code != "int32-overflow"))


@dataclass(frozen=True)
class Gap:
    """Elements of an output that no launch has stored."""

    output: str  # its name
    shape: tuple[int, ...]
    # count, first, where: how many elements, the index of the first, and which
    count: int
    first: tuple[int, ...]
    where: Region
    end: int | None  # the row, or element of a vector, from which on all is missing, if there is one
    ends: tuple[int, int] | None  # of a matrix, one more than the last row and the last column with anything stored
    # begin and end of the columns of every row, or the elements of a vector, that are stored, if they are one range
    # that reaches either end
    written: tuple[int, int] | None
    late: tuple[int, int] | None  # the first row that lacks its first columns, and their number
    launches: tuple[LaunchFact, ...]  # those that have stored to it, or all if none has
    stores: tuple[Place, ...]  # the lines that have stored to it
    twice: Place | None  # where several programs store to the same elements of it
    code: ClassVar = "unwritten-elements"

    def __post_init__(self) -> None:
        _add_up(len(self.first) == len(self.shape) and 0 < self.count <= math.prod(self.shape))

    @property
    def is_whole(self) -> bool:
        """Whether no element is stored."""
        return self.count == math.prod(self.shape)


@dataclass(frozen=True)
class SomeRan:
    """An output, its number of elements, and the only launch, of which not every program was run."""

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
    """A fault of a call."""

    code: CallCode
    # of the tensor, of PyTorch's operation, of the launch or of the missing resource; or an exception's message
    name: str = ""
    # count, of: number of elements, bytes or launches, and the total; for a stray store, elements after the last one
    # or, negative, before the first
    count: int = 0
    of: int = 0
    # file, line: the file, if it is not the submission's, and the line, if known
    file: str | None = None
    line: int | None = None
    is_fresh: bool = False  # the tensor was allocated in the call
    run: int = 0  # the number of the run that differs from the first, of `of`
    # first, where: the elements
    first: tuple[int, ...] = ()
    where: Region | None = None
    passed: Passed | None = None  # the launch through which a kernel stores to the tensor


@dataclass(frozen=True)
class LostContext:
    """The GPU has stopped a kernel, with CUDA's message, and runs no other in this process."""

    words: Lost

    @property
    def code(self) -> str:
        """Code of the finding."""
        return "illegal-memory-access" if self.words.endswith(("access", "address")) else "kernel-error"


@dataclass(frozen=True)
class Stopped:
    """An error that stops a kernel."""

    code: str
    why: str  # message of Triton, Python or the interpreter
    file: str | None
    line: int | None
    step: str | None = None  # what the compiler advises
    programs: int | None = None  # of the launch, if they are too many
    seen: int | None = None  # where programs depend on others, if it stops only in another order


@dataclass(frozen=True)
class Said:
    """A finding with the message of the compiler, or of the check of a kernel's text."""

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
