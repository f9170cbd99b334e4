"""What a traced launch tells: plain data, read by the worker, the cross-compiler and the pictures."""

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
    """One tensor argument of one launch.

    Attributes:
        name: the kernel's parameter; `pair[1]` in a tuple.
        shape, stride: of the tensor, stride in elements.
        storage: address of its storage; views of one tensor share it.
        origin: where its first element stands in its storage, in elements.
        nbytes: bytes of its elements, gaps between rows not counted.
        loaded_bytes, stored_bytes, atomic_bytes: traffic of all programs.
    """

    name: str
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    storage: int
    origin: int
    nbytes: int
    loaded_bytes: int = 0
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
    """One launch.

    Attributes:
        kernel: name of the kernel.
        file, line: where the host function launches it.
        grid, programs: launch grid and number of programs.
        busy: programs that have loaded or stored anything; `None` where not all were run to their ends.
        arguments: its tensor arguments, in the order of the kernel's parameters.
        lines: bytes by source line, argument and operation.
        largest_tile: elements of the largest block value.
        most_together: elements of all block values of the largest tuple.
        fallback: why programs ran one at a time; None if they ran in batches.
        splits: how often a batch was undone and split.
        function: the `JITFunction`.
        bound: parameter name -> value as launched, defaults and constexprs included.
        options: num_warps, num_stages and other launch options.
        accesses: every operation, element by element, where the tracer counts elements.
        footprints: which sectors every operation touches, where the tracer keeps that.
        tiles: where the whole tiles of operations lie, as far as that can be told; also only there.
        answers: of static code in it.
        states: what its variables held, batch by batch, where the tracer keeps that.
    """

    kernel: str
    file: str
    line: int
    grid: tuple[int, int, int]
    programs: int
    busy: int | None
    arguments: tuple[ArgumentTrace, ...]
    lines: dict[Line, int]
    largest_tile: int
    most_together: int
    fallback: str | None
    splits: int
    function: Any
    bound: dict[str, Any] = field(repr=False)
    options: dict[str, Any]
    answers: Answers = field(repr=False)
    accesses: tuple[Access, ...] = field(default=(), repr=False)
    footprints: tuple[Footprint, ...] = field(default=(), repr=False)
    tiles: tuple[Tiles, ...] = field(default=(), repr=False)
    states: tuple[BatchStates, ...] = field(default=(), repr=False)
