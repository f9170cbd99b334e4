"""The source of a kernel and of the functions it calls: files, lines, names, and a digest of all that they refer to."""

from __future__ import annotations

import ast
import contextlib
import re
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import triton
import triton.language as tl

from tritonpuzzles.insides import JITFunction
from tritonpuzzles.source import Source
from tritonpuzzles.source.functions import names_in


class SourceError(Exception):
    """Triton cannot make sense of a kernel's source before it compiles anything; the reason is the `__cause__`."""


def triton_folder() -> Path:
    """Return where Triton is installed."""
    return Path(triton.__file__).parent


def file_of(function: Any) -> str:
    """Return the file that a `JITFunction` was defined in."""
    return str(function.fn.__code__.co_filename)


def first_line(function: Any) -> int:
    """Return the file's line of `def`: Triton's own line numbers count from there."""
    decorators = (number for number, line in enumerate(function.raw_src) if re.match(r"\s*def\s+\w+\s*\(", line))
    return int(function.starting_line_number) + next(decorators, 0)


def text_of(function: Any) -> Source:
    """Return the parsed source of a function, with the file's line numbers; the function is its first."""
    return _read(function.src, first_line(function))


@lru_cache(maxsize=64)
def _read(text: str, first: int) -> Source:
    return Source(text, first)


def reachable(kernel: Any) -> list[Any]:
    """Return the kernel and every `JITFunction` outside Triton that it calls, directly or not."""
    found: dict[int, Any] = {}
    waiting = [kernel]
    while waiting:
        function = waiting.pop()
        if id(function) in found or file_of(function).startswith(str(triton_folder())):
            continue
        found[id(function)] = function
        waiting += [value for value in named_values(function).values() if isinstance(value, JITFunction)]
    return list(found.values())


def in_order(kernel: Any) -> list[Any]:
    """Return the reachable functions in an order that depends neither on the process nor on the files' paths."""
    return sorted(reachable(kernel), key=lambda function: (function.__name__, function.starting_line_number))


def captured(function: Any) -> dict[str, Any]:
    """Return a function's globals and closure variables by name, without closure variables that have no value yet."""
    scope = dict(function.fn.__globals__)
    for name, cell in zip(function.fn.__code__.co_freevars, function.fn.__closure__ or (), strict=False):
        with contextlib.suppress(ValueError):
            scope[name] = cell.cell_contents
    return scope


def named_values(function: Any) -> dict[str, Any]:
    """Return the values, in the surrounding scope, of the names and dotted names in a function's body."""
    scope = captured(function)
    names, dotted = _mentioned(text_of(function))
    values = {name: scope[name] for name in names if name in scope}
    for name, attribute in dotted:
        owner = scope.get(name)
        if isinstance(owner, ModuleType) and hasattr(owner, attribute):
            values[f"{name}.{attribute}"] = getattr(owner, attribute)
    return values


@lru_cache(maxsize=64)
def _mentioned(source: Source) -> tuple[frozenset[str], frozenset[tuple[str, str]]]:
    """Return the names in a function's source, and the pairs of a name and its attribute."""
    attributes = (node for node in source.nodes if isinstance(node, ast.Attribute))
    dotted = frozenset((node.value.id, node.attr) for node in attributes if isinstance(node.value, ast.Name))
    return frozenset(names_in(*source.nodes[:1])), dotted


def source_key(kernel: Any) -> str:
    """Return a digest of the source of a kernel, and of the functions, constants and names that it uses.

    It is the same wherever the file lies: a copy of it compiles to the same code. Raises SourceError if it uses
    something that no kernel can, such as an ordinary Python function.
    """
    functions = in_order(kernel)
    for function in functions:  # Triton leaves this mark when it fails, and would take it for a key next time
        if str(function.hash).startswith("recursion:"):
            function.hash = None
    try:
        key = str(kernel.cache_key)
    except Exception as error:
        raise SourceError(str(error)) from error
    # The value of each name: in the same source, `exp` may be Triton's today and Python's tomorrow.
    meant = [sorted((name, _description(value)) for name, value in named_values(one).items()) for one in functions]
    return f"{key} {meant}"


def _description(value: Any) -> str:
    if isinstance(value, ModuleType):
        return value.__name__
    if isinstance(value, (bool, int, float, str, tuple, tl.dtype, tl.constexpr)):
        return repr(value)[:200]
    name = getattr(value, "__qualname__", None)
    return f"{getattr(value, '__module__', '')}.{name}" if name else type(value).__name__
