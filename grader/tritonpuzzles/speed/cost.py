"""What one launch asks of a GPU."""

from __future__ import annotations

from dataclasses import dataclass

from tritonpuzzles.results.inspect import Code


@dataclass(frozen=True)
class Cost:
    """One launch of a call at full size.

    Attributes:
        kernel: its name.
        programs: of the grid.
        warps: of each program.
        per_multiprocessor: programs that one multiprocessor has room for.
        loads: load operations of each program, in the mean.
        loaded_bytes, stored_bytes: whole sectors that all programs ask of the L2 cache.
        read_bytes, written_bytes: what of it DRAM moves.
        code: its machine code.
        stages: of its pipelined loops.
    """

    kernel: str
    programs: int
    warps: int
    per_multiprocessor: int
    loads: float
    loaded_bytes: float
    stored_bytes: float
    read_bytes: float
    written_bytes: float
    code: Code
    stages: int = 1
