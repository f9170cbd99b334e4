"""The record of a traced launch: plain data, read by the worker, the cross-compiler and the pictures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tritonpuzzles.compiler.answers import Answers
from tritonpuzzles.engine.interpreter.footprints import Footprint, Tiles
from tritonpuzzles.engine.interpreter.ledger import Access
from tritonpuzzles.engine.interpreter.states import BatchStates

Line = tuple[str, int, str, str]  # file, line, argument, operation: "load", "store" or "atomic"


@dataclass(frozen=True)
class ArgumentTrace:
    """One tensor argument of one launch."""

    name: str  # the kernel's parameter; `pair[1]` in a tuple
    shape: tuple[int, ...]
    stride: tuple[int, ...]  # in elements
    storage: int  # address of its storage; views of one tensor share it
    origin: int  # offset of its first element in its storage, in elements
    nbytes: int  # of its elements, gaps between rows not counted
    loaded_bytes: int = 0  # traffic of all programs
    stored_bytes: int = 0
    atomic_bytes: int = 0

    @property
    def loaded_times(self) -> float:
        """Bytes loaded as a multiple of the tensor's size."""
        return self.loaded_bytes / self.nbytes if self.nbytes else 0.0

    @property
    def is_written(self) -> bool:
        """Whether any program has stored to it, atomics included."""
        return bool(self.stored_bytes or self.atomic_bytes)

    @property
    def stored_times(self) -> float:
        """Bytes stored as a multiple of the tensor's size."""
        return self.stored_bytes / self.nbytes if self.nbytes else 0.0


@dataclass(frozen=True)
class LaunchTrace:
    """One launch."""

    kernel: str  # its name
    file: str  # where the host function launches it
    line: int
    grid: tuple[int, int, int]
    programs: int  # of the grid
    busy: int | None  # programs that have loaded or stored anything; `None` if not all were run completely
    arguments: tuple[ArgumentTrace, ...]  # in the order of the kernel's parameters
    lines: dict[Line, int]  # bytes
    largest_tile: int  # elements of the largest block value
    most_together: int  # elements of all block values of the largest tuple
    fallback: str | None  # why programs ran one at a time; None if they ran in batches
    splits: int  # how often a batch was undone and split
    function: Any  # the `JITFunction`
    bound: dict[str, Any] = field(repr=False)  # by parameter, as launched, defaults and constexprs included
    options: dict[str, Any]  # num_warps, num_stages and other launch options
    answers: Answers = field(repr=False)  # of static code in it
    accesses: tuple[Access, ...] = field(default=(), repr=False)  # where the tracer counts elements
    footprints: tuple[Footprint, ...] = field(default=(), repr=False)  # where the tracer keeps them
    tiles: tuple[Tiles, ...] = field(default=(), repr=False)  # where the tracer counts elements; without doubtful ones
    states: tuple[BatchStates, ...] = field(default=(), repr=False)  # where the tracer keeps them
