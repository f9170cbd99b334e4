"""Turn what the compiler raised into a fault: its text, and the place in the learner's file."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tritonpuzzles.compiler.operands import Operand, operands_of
from tritonpuzzles.compiler.source import file_of, first_line, reachable
from tritonpuzzles.insides import CompilationError, PTXASError

PASS_FAILED = "PassManager::run failed"  # what a stage of the compiler says that has said why on stderr, or has not
MULTIPLE = "Simultaneous multiple assignment"
_REPR = re.compile(r"^(\w+)\((['\"])(.*)\2\)$", re.DOTALL)
_DIAGNOSTIC = re.compile(r'^(?:loc\()?"?([^"\n]+?\.py)"?:(\d+):\d+\)?: error: (.+)$', re.MULTILINE)


@dataclass(frozen=True)
class Fault:
    """Why a kernel does not compile.

    Attributes:
        kind: name of the exception's type.
        text: Triton's message, without its excerpt of the source.
        function: the learner's function that the place is in, the innermost one.
        node: what was being compiled there.
        file, line: of `node`, the line counted in the file.
        operands: tiles that it joins, where that is known.
    """

    kind: str
    text: str
    function: Any
    file: str
    line: int
    node: ast.AST | None = None
    operands: tuple[Operand, ...] = ()

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
    function, node = (_multiple(kernel) if MULTIPLE in text else None) or (kernel, None)
    line = first_line(function) + (0 if node is None else node.lineno - 1)
    return Fault(type(error).__name__, text, function, file_of(function), line, node)


def _multiple(kernel: Any) -> tuple[Any, ast.Assign] | None:
    """Return the first assignment to several names at once, whose place Triton does not tell, and its function."""
    for function in reachable(kernel):
        for node in ast.walk(function.parse()):
            if isinstance(node, ast.Assign) and len(node.targets) > 1:
                return function, node
    return None


def is_fault(error: BaseException) -> bool:
    """Return whether the compiler raised this, and not the driver or the launch."""
    return isinstance(error, CompilationError | PTXASError) or PASS_FAILED in str(error)


def _from_source(error: CompilationError, kernel: Any) -> Fault:
    """Follow the chain of nested calls to the innermost function that is the learner's."""
    functions = {function.src: function for function in reachable(kernel)}
    chain = list(_chain(error))
    own = [(link, functions[link.src]) for link in chain if link.src in functions]
    link, function = own[-1] if own else (error, kernel)
    messages = [item.error_message for item in chain if item.error_message]
    kind, text = _unwrap(messages[-1] if messages else "", type(chain[-1]).__name__)
    node = link.node if isinstance(link.node, ast.AST) else None
    line = first_line(function) + int(getattr(node, "lineno", 1)) - 1
    # What an operator raised is the context alone in Triton 3.8, which raises its own error `from None`.
    raised = link.__cause__ or link.__context__
    operands = operands_of(raised, node) if link is chain[-1] else ()
    return Fault(kind, text, function, file_of(function), line, node, operands)


def _chain(error: BaseException | None) -> Iterator[CompilationError]:
    while error is not None:
        if isinstance(error, CompilationError):
            yield error
        error = error.__cause__


def _unwrap(text: str, kind: str) -> tuple[str, str]:
    """Take the words out of `NameError("x is not defined")`, which is what Triton makes of most exceptions."""
    found = _REPR.match(text.strip())
    if not found:
        return kind, text.strip()
    return found[1], found[3].replace("\\'", "'").replace("\\n", "\n").replace("\\\\", "\\")
