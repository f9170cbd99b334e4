"""Which parts of a submission's host code run, in which order.

The judge only refuses by it: a file that reports parts that did not run gains what it had without the report.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any

Place = tuple[int, int]  # line and column in bytes, 0 where Python (3.10) does not know it; (0, 0) outside
JUMPS = frozenset([*dis.hasjrel, *dis.hasjabs])  # their places are those of whole expressions: `a if b else c`
Passed = set[tuple[Place, Place]]  # places, each with the one after it


@contextmanager
def passing(path: str, passed: Passed) -> Iterator[None]:
    """Add to `passed` what runs of a file in the block; no other trace function works there."""
    steps: set[tuple[CodeType, int, int]] = set()

    def enter(frame: FrameType, event: str, argument: Any) -> Any:
        code, last = frame.f_code, -1
        if code.co_filename != path:
            return None
        numbers = code.co_code

        def step(frame: FrameType, event: str, argument: Any) -> Any:
            nonlocal last
            now = frame.f_lasti if event == "opcode" else -1
            if event == "return" or (now >= 0 and numbers[now] not in JUMPS):
                steps.add((code, last, now))
                last = now
            return step

        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return step

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        yield
    finally:
        sys.settrace(before)
        pairs = ((_places(code).get(last, (0, 0)), _places(code).get(now, (0, 0))) for code, last, now in steps)
        passed |= {(last, now) for last, now in pairs if last != now}


@lru_cache(maxsize=64)
def _places(code: CodeType) -> dict[int, Place]:
    """Return the places of a function's instructions, by their offsets."""
    if sys.version_info >= (3, 11):
        numbered = enumerate(code.co_positions())
        return {2 * at: (line, column) for at, (line, _, column, _) in numbered if line and column is not None}
    return {at: (line, 0) for begin, end, line in code.co_lines() if line for at in range(begin, end, 2)}
