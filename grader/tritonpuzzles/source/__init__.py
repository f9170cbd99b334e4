"""Facts about the text of a submission, read once: functions, loops, addresses, assignments, grids and launches.

It draws no conclusions: it has no text for learners and knows no puzzle. The submission's code is never run.

Two threads never parse at the same time, because before CPython 3.13 both may fail then. Its count of the depth in the
tree is shared by all threads. If a garbage collection lets another thread run that parses too, the count is wrong and
`ast.parse` raises SystemError ("AST constructor recursion depth mismatch", cpython issue 106905). The judge explains
several cases and files in threads, and Triton compiles in some.
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
    """Make `ast.parse` wait for a thread that is already in it, if this Python needs that."""
    if sys.version_info >= (3, 13):
        return
    lock, parse = RLock(), ast.parse

    @wraps(parse)
    def locked(*arguments: Any, **named: Any) -> Any:
        with lock:
            return parse(*arguments, **named)

    ast.parse = locked


parse_one_at_a_time()
