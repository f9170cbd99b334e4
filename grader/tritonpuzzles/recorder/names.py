"""Find the outside names that a kernel's source uses, and names by which another process finds the same objects."""

from __future__ import annotations

import ast
import builtins
import math
import re
import sys
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any

import triton
import triton.language as tl

Chain = tuple[str, ...]
_LANGUAGE = "triton.language"
_TOP_LEVEL = ("cdiv", "next_power_of_2")


def _language() -> dict[tuple[str, str], tuple[object, object]]:
    """Return what every name of Triton's language stands for, and the source of those that are kernels' functions."""
    modules = [module for name, module in sys.modules.items() if name.startswith(_LANGUAGE)]
    named = ((module.__name__, name, value) for module in modules for name, value in vars(module).items())
    return {(module, name): (value, getattr(value, "src", None)) for module, name, value in named}


_AS_SHIPPED = _language()  # before any submission is imported


def replaced_in_language() -> str | None:
    """Return a name of Triton's language that a file has given another meaning: "triton.language.exp"."""
    now = _language()
    kept = ((name, was, now.get(name, (None, None))) for name, was in _AS_SHIPPED.items())
    return next((".".join(name) for name, was, new in kept if new[0] is not was[0] or new[1] != was[1]), None)


def definition(function: Any) -> ast.FunctionDef | None:
    """Return the syntax tree of a Triton function, with the file's line numbers; `None` if it is no plain `def`."""
    parsed = ast.parse(textwrap.dedent("".join(function.raw_src)))
    found = next((node for node in parsed.body if isinstance(node, ast.FunctionDef)), None)
    return None if found is None else ast.increment_lineno(found, function.starting_line_number - 1)


def is_as_written(function: Any) -> bool:
    """Return whether the source that Triton compiles for a function equals that in its file: neither was replaced."""
    raw, first = function.raw_src, function.starting_line_number - 1
    text = textwrap.dedent("".join(raw))
    begins = re.search(r"^def\s+\w+\s*\(", text, re.MULTILINE)  # as Triton looks for it
    try:
        with open(function.fn.__code__.co_filename, encoding="utf-8-sig") as file:
            lines = file.readlines()
    except (OSError, UnicodeDecodeError):  # the next reader reports it
        return True
    same = [line.rstrip("\n") for line in lines[first : first + len(raw)]] == [line.rstrip("\n") for line in raw]
    return same and begins is not None and function.src.strip() == text[begins.start() :].strip()


def chains(function: ast.FunctionDef) -> dict[str, set[Chain]]:
    """Return every name that is not the function's own, with the attribute chains that follow it.

    `tl.math.exp(x) + tl.load(p)` gives `{"tl": {("math", "exp"), ("load",)}}`. Names in annotations and defaults are
    outside ones even if a parameter has the same name; decorators are left out.
    """
    found: dict[str, set[Chain]] = defaultdict(set)
    own, given = set(_own_names(function)), function.args
    annotations = [argument.annotation for argument in ast.walk(given) if isinstance(argument, ast.arg)]
    for outside in filter(None, [*given.defaults, *given.kw_defaults, *annotations]):
        for name, chain in _chains(outside):
            found[name].add(chain)
    for statement in function.body:
        for name, chain in _chains(statement):
            if name not in own:
                found[name].add(chain)
    return dict(found)


def _own_names(function: ast.FunctionDef) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.FunctionDef) and node is not function:
            yield node.name


def _chains(tree: ast.AST) -> Iterator[tuple[str, Chain]]:
    waiting: list[tuple[ast.AST, Chain]] = [(tree, ())]
    while waiting:
        node, tail = waiting.pop()
        if isinstance(node, ast.Name):
            yield node.id, tail
        elif isinstance(node, ast.Attribute):
            waiting.append((node.value, (node.attr, *tail)))
        else:
            waiting += [(child, ()) for child in ast.iter_child_nodes(node)]


def below(found: Iterable[Chain]) -> dict[str, set[Chain]]:
    """Group chains by their first name; return for each the rests of its chains."""
    inner: dict[str, set[Chain]] = defaultdict(set)
    for first, *rest in filter(None, found):
        inner[first].add(tuple(rest))
    return inner


def language_name(value: Any) -> str | None:
    """Return the dotted name of a part of Triton's language: "triton.language.core.load"; `None` for all else."""
    if isinstance(value, ModuleType):
        name = value.__name__
        return name if name == "triton" or _is_language(name) else None
    above = (f"triton.{name}" for name in _TOP_LEVEL if getattr(triton, name) is value)
    return next(above, None) or next((name for name in _candidates(value) if _found(name) is value), None)


def _is_language(module: object) -> bool:
    return isinstance(module, str) and (module == _LANGUAGE or module.startswith(f"{_LANGUAGE}."))


def _candidates(value: Any) -> Iterator[str]:
    """Yield dotted names that a value may have: its own, then any in the language's modules."""
    home, own = getattr(value, "__module__", None), getattr(value, "__name__", None)
    if not _is_language(home):
        return
    yield f"{home}.{own}"
    for module in [tl, *(item for name, item in sorted(sys.modules.items()) if _is_language(name))]:
        yield from (f"{module.__name__}.{name}" for name, item in vars(module).items() if item is value)


def _found(dotted: str) -> Any:
    module, _, name = dotted.rpartition(".")
    return vars(sys.modules.get(module) or tl).get(name)


def python_name(value: Any) -> str | None:
    """Return the dotted name of Python's `math`, of a member of it, or of a builtin; `None` for all else."""
    if value is math:
        return "math"
    own = getattr(value, "__name__", None)
    if not isinstance(own, str):
        return None
    if vars(math).get(own) is value:
        return f"math.{own}"
    return f"builtins.{own}" if vars(builtins).get(own) is value else None


def dtype_name(value: Any) -> str | None:
    """Return Triton's short name of a scalar dtype or of a pointer to one: "fp32", "*fp32"."""
    if isinstance(value, tl.pointer_type):
        inner = dtype_name(value.element_ty)
        return None if inner is None else f"*{inner}"
    return str(value.name) if type(value) is tl.dtype else None
