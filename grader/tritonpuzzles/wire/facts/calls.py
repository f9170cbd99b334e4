"""What the engine has seen of a call beside its kernels' accesses, and what ended one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from tritonpuzzles.results.where import Region

Lost = Literal["illegal memory access", "misaligned address", "device-side assert", "unspecified launch failure"]
CallCode = Literal[
    "host-wrote-output",
    "no-launch",
    "wrong-memory",
    "aliases-input",
    "input-modified",
    "out-of-bounds-store",
    "out-of-bounds-load",
    "unwritten-elements",
    "race",
    "large-tensor-unreached",
    "not-compiled",
    "out-of-memory",
    "out-of-resources",
    "runtime-error",
    "tampering",
]


@dataclass(frozen=True)
class Passed:
    """The line of a launch that passes a tensor as a parameter, and a line in which that kernel stores to it."""

    kernel: str
    parameter: str
    line: int
    store: int | None


@dataclass(frozen=True)
class CallFact:
    """Something wrong with a call.

    Attributes:
        name: of the tensor, of PyTorch's operation, of the launch or of what a GPU lacks; or what an exception says.
        count, of: how many elements, bytes or launches, and of how many; of a stray store, how many elements after the
            last, or with a minus before the first.
        file, line: where it is not the submission's file, and the line, where one is known.
        is_fresh: the tensor was allocated in the call.
        run: the number of the run that differs from the first, of `of`.
        first, where: the elements.
        passed: how a kernel comes to store to the tensor.
    """

    code: CallCode
    name: str = ""
    count: int = 0
    of: int = 0
    file: str | None = None
    line: int | None = None
    is_fresh: bool = False
    run: int = 0
    first: tuple[int, ...] = ()
    where: Region | None = None
    passed: Passed | None = None


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
    """What stops a kernel.

    Attributes:
        why: Triton's, Python's or the interpreter's words for it.
        step: what the compiler advises.
        programs: of the launch, where they are too many.
        seen: where programs see what others have done, if it stops only when they run in another order.
    """

    code: str
    why: str
    file: str | None
    line: int | None
    step: str | None = None
    programs: int | None = None
    seen: int | None = None


@dataclass(frozen=True)
class Said:
    """What the compiler, or the check of a kernel's text, says itself: a finding in its words."""

    code: str
    message: str
    file: str | None = None
    line: int | None = None
    next_step: str | None = None
    details: dict[str, Any] = field(default_factory=dict)
