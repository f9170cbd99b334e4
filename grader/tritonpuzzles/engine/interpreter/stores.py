"""Whether a piece of a kernel stores anything, seen by the names of what it calls."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from tritonpuzzles.insides import JITFunction

PLAIN = ("store",)
_STORES = (*PLAIN, "atomic")


def called_in(body: Iterable[ast.AST]) -> list[str]:
    """Return the names of what statements call: `helper` of `helper(...)`, and `.store` of `tl.store(...)`."""
    calls = (node.func for statement in body for node in ast.walk(statement) if isinstance(node, ast.Call))
    return sorted({f".{name.attr}" if isinstance(name, ast.Attribute) else ast.unparse(name) for name in calls})


def stores(called: Iterable[str], names: Mapping[str, Any], kinds: tuple[str, ...] = _STORES) -> bool:
    """Return whether any of what is called stores something, or calls what does.

    Args:
        called: as `called_in` returns it.
        names: what the kernel's globals hold.
        kinds: how the names of what counts begin.
    """
    functions = [names[name] for name in called if isinstance(names.get(name), JITFunction)]
    return any(name.lstrip(".").startswith(kinds) for name in called) or any(_stores(f, kinds) for f in functions)


@cache
def _stores(function: Any, kinds: tuple[str, ...]) -> bool:
    """Return whether a function of the kernel's does; the compiler knows no recursion."""
    body = ast.parse(textwrap.dedent("".join(function.raw_src))).body
    return stores(called_in(body), function.get_capture_scope(), kinds)
