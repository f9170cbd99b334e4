"""Turn what the compiler raised into a fault: its text, and the place in the learner's file."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from triton.compiler.errors import CompilationError
from triton.runtime.jit import JITFunction

from tritonpuzzles.engine.compiler.build import triton_folder

_REPR = re.compile(r"^(\w+)\((['\"])(.*)\2\)$", re.DOTALL)
_DIAGNOSTIC = re.compile(r'^(?:loc\()?"?([^"\n]+?\.py)"?:(\d+):\d+\)?: error: (.+)$', re.MULTILINE)


@dataclass(frozen=True)
class Fault:
    """Why a kernel does not compile.

    Attributes:
        kind: name of the exception's type.
        text: Triton's message, without its excerpt of the source.
        function: the learner's function that the place is in, the innermost one.
        node: what was being compiled there, and `inner` what Triton was compiling inside it (one of its own functions).
        file, line: of `node`, the line counted in the file.
    """

    kind: str
    text: str
    function: Any
    file: str
    line: int
    node: ast.AST | None = None
    inner: str | None = None

    def line_of(self, node: ast.AST) -> int:
        """Return the file's line of a node of the function's tree."""
        return first_line(self.function) + int(getattr(node, "lineno", 1)) - 1


def fault(error: BaseException, diagnostics: str, kernel: Any) -> Fault:
    """Return the fault behind an exception of the compiler.

    Args:
        error: what `triton.compile` raised.
        diagnostics: what MLIR wrote to stderr meanwhile.
        kernel: the `JITFunction` that was compiled.
    """
    if isinstance(error, CompilationError):
        return _from_source(error, kernel)
    text = str(error.args[0] if error.args else error).strip() or type(error).__name__
    diagnostic = _DIAGNOSTIC.search(diagnostics)
    if diagnostic:
        return Fault("Diagnostic", diagnostic[3], kernel, diagnostic[1], int(diagnostic[2]))
    return Fault(type(error).__name__, text, kernel, file_of(kernel), first_line(kernel))


def _from_source(error: CompilationError, kernel: Any) -> Fault:
    """Follow the chain of nested calls to the innermost function that is the learner's."""
    functions = {function.src: function for function in reachable(kernel)}
    chain = list(_chain(error))
    own = [(link, functions[link.src]) for link in chain if link.src in functions]
    link, function = own[-1] if own else (error, kernel)
    called = chain[chain.index(link) + 1 :]
    inner = None if not called else _function_name(called[0].src)
    messages = [item.error_message for item in chain if item.error_message]
    kind, text = _unwrap(messages[-1] if messages else "", type(chain[-1]).__name__)
    node = link.node if isinstance(link.node, ast.AST) else None
    line = first_line(function) + int(getattr(node, "lineno", 1)) - 1
    return Fault(kind, text, function, file_of(function), line, node, inner)


def _chain(error: BaseException | None) -> Iterator[CompilationError]:
    while error is not None:
        if isinstance(error, CompilationError):
            yield error
        error = error.__cause__


def _function_name(source: str | None) -> str | None:
    found = re.search(r"def\s+(\w+)", source or "")
    return found[1] if found else None


def _unwrap(text: str, kind: str) -> tuple[str, str]:
    """Take the words out of `NameError("x is not defined")`, which is what Triton makes of most exceptions."""
    found = _REPR.match(text.strip())
    if not found:
        return kind, text.strip()
    return found[1], found[3].replace("\\'", "'").replace("\\n", "\n").replace("\\\\", "\\")


def file_of(function: Any) -> str:
    """Return the file that a `JITFunction` was defined in."""
    return str(function.fn.__code__.co_filename)


def first_line(function: Any) -> int:
    """Return the file's line of `def`: Triton's own line numbers count from there."""
    decorators = (number for number, line in enumerate(function.raw_src) if re.match(r"\s*def\s+\w+\s*\(", line))
    return int(function.starting_line_number) + next(decorators, 0)


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


def named_values(function: Any) -> dict[str, Any]:
    """Return what the names and dotted names in a function's body stand for outside it."""
    scope = dict(function.fn.__globals__)
    cells = zip(function.fn.__code__.co_freevars, function.fn.__closure__ or (), strict=False)
    scope |= {name: cell.cell_contents for name, cell in cells if _filled(cell)}
    names = {node.id for node in ast.walk(tree(function)) if isinstance(node, ast.Name)}
    values = {name: scope[name] for name in names if name in scope}
    for node in ast.walk(tree(function)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner = scope.get(node.value.id)
            if isinstance(owner, ModuleType) and hasattr(owner, node.attr):
                values[f"{node.value.id}.{node.attr}"] = getattr(owner, node.attr)
    return values


def _filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


def tree(function: Any) -> ast.FunctionDef:
    """Return the syntax tree of a function, its lines counted from `def`."""
    parsed = ast.parse(function.src).body[0]
    assert isinstance(parsed, ast.FunctionDef)
    return parsed
