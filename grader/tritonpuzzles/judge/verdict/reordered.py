"""Where a kernel leaves the order of a tile's elements to the compiler: a note, whatever the verdict."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.source.functions import is_call

ANY_ORDER = "lets the compiler put the elements in any order: the CPU check takes them backwards"


def may_reorder(file: Submission) -> Iterator[Finding]:
    """Yield a note for each reshape of a kernel whose order is the compiler's: `can_reorder=True`, or `view`."""
    for node in (node for kernel in file.source.kernels for node in kernel.nodes if isinstance(node, ast.Call)):
        if is_call(node, "view"):
            name, step = ast.unparse(node.func), "Write tl.reshape(x, shape), which keeps the order."
        elif is_call(node, "reshape", "ravel") and "can_reorder=True" in map(ast.unparse, node.keywords):
            name, step = "can_reorder=True", "Leave it out, unless the order does not matter."
        else:
            continue
        yield Finding("may-reorder", f"{name} {ANY_ORDER}.", file=str(file), line=node.lineno, next_step=step)
