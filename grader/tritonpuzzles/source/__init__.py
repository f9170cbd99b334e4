"""What the text of a submission says, read once: functions, loops, addresses, assignments, grids and launches.

It answers questions and draws no conclusion: no word for a learner, no puzzle's names. Nothing of the text is run.

Two threads never parse at the same time: CPython before 3.13 may fail then, in either of them. It counts how deep it is
in the tree that it makes in one place for all threads. Where a collection of garbage lets another thread go on, which
parses as well, the count is wrong and `ast.parse` raises SystemError ("AST constructor recursion depth mismatch",
cpython issue 106905). The judge explains several cases and files in threads, and Triton compiles in some.
"""

from __future__ import annotations

import ast
import sys
from functools import wraps
from threading import RLock
from typing import Any

from tritonpuzzles.source.file import Source, source_of

__all__ = ["Source", "source_of"]


def parse_one_at_a_time() -> None:
    """Have `ast.parse` wait for a thread that is in it already, where this Python needs that."""
    if sys.version_info >= (3, 13):
        return
    lock, parse = RLock(), ast.parse

    @wraps(parse)
    def locked(*arguments: Any, **named: Any) -> Any:
        with lock:
            return parse(*arguments, **named)

    ast.parse = locked


parse_one_at_a_time()
