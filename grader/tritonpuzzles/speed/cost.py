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
        asked_bytes: that all lanes load.
        loaded_bytes, stored_bytes: whole sectors that all programs ask of the L2 cache.
        lines: of 128 bytes that warps' requests ask for, loads and stores.
        own_bytes: that programs load, what one of them loads twice counted once.
        read_bytes, written_bytes: what of it DRAM moves.
        code: its machine code.
        shared_bytes: of a program.
        stack_bytes: local memory of a thread.
        operations: multiplications and additions of its products, where those decide; 0 where memory does.
    """

    kernel: str
    programs: int
    warps: int
    per_multiprocessor: int
    loads: float
    asked_bytes: float
    loaded_bytes: float
    stored_bytes: float
    own_bytes: float
    lines: float
    read_bytes: float
    written_bytes: float
    code: Code
    shared_bytes: int = 0
    stack_bytes: int = 0
    operations: float = 0.0
