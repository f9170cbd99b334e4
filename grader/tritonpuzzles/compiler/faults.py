"""Turn an exception of the compiler into a fault: its text, its place in the learner's file, the tiles involved."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tritonpuzzles.compiler.source import file_of, first_line, reachable, text_of
from tritonpuzzles.insides import CompilationError, PTXASError
from tritonpuzzles.source.functions import Function

PASS_FAILED = "PassManager::run failed"  # the message of a compiler stage; the reason is on stderr, or nowhere
MULTIPLE = "Simultaneous multiple assignment"
BUILTIN = "wrapper"  # name of the frame in which Triton calls each of its operations
_REPR = re.compile(r"^(\w+)\((['\"])(.*)\2\)$", re.DOTALL)
_DIAGNOSTIC = re.compile(r'^(?:loc\()?"?([^"\n]+?\.py)"?:(\d+):\d+\)?: error: (.+)$', re.MULTILINE)
_NOT_THERE = re.compile(r"module '(?P<module>[\w.]+)' has no attribute '(?P<name>\w+)'")

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Operand:
    """One block that an operation gets."""

    text: str  # as the kernel spells it
    shape: Shape  # elements along each axis, before anything is broadcast


@dataclass(frozen=True)
class Fault:
    """Why a kernel does not compile."""

    kind: str  # name of the exception's type
    text: str  # Triton's message, without its excerpt of the source
    kernel: Any  # that was compiled
    function: Any  # the learner's function that the place is in, the innermost one
    node: ast.AST | None = None  # what was being compiled there, its lines counted from `def`
    operands: tuple[Operand, ...] = ()  # tiles of the failed operation, if known
    sizes: Mapping[str, int] = field(default_factory=dict)  # the constexprs of the launch, where they are known
    place: tuple[str, int] | None = None  # file and line, if known more precisely than from the node

    @property
    def file(self) -> str:
        """The file that it is in."""
        return self.place[0] if self.place else file_of(self.function)

    @property
    def line(self) -> int:
        """The file's line of the node."""
        return self.place[1] if self.place else self.line_of(self.node)

    @property
    def first(self) -> int:
        """The file's line of the function's `def`."""
        return first_line(self.function)

    @property
    def own(self) -> Function:
        """The parsed source of the function, with the file's line numbers."""
        return text_of(self.function).functions[0]

    @property
    def nodes(self) -> list[ast.AST]:
        """The node and all that is inside it."""
        return [] if self.node is None else list(ast.walk(self.node))

    def line_of(self, node: ast.AST | None) -> int:
        """Return the file's line of a node whose own line is counted from `def`."""
        return self.first + int(getattr(node, "lineno", 1)) - 1


def fault(error: BaseException, diagnostics: str, kernel: Any, sizes: Mapping[str, int] | None = None) -> Fault:
    """Return the fault behind an exception of the compiler.

    `diagnostics` is what MLIR wrote to stderr meanwhile, `sizes` the constexprs.
    """
    known = sizes or {}
    if isinstance(error, CompilationError):
        return _from_source(error, kernel, known)
    text = str(error.args[0] if error.args else error).strip() or type(error).__name__
    diagnostic = _DIAGNOSTIC.search(diagnostics)
    if diagnostic:
        place = diagnostic[1], int(diagnostic[2])
        return Fault("Diagnostic", diagnostic[3], kernel, kernel, sizes=known, place=place)
    function, node = (_multiple(kernel) if MULTIPLE in text else _missing(kernel, text)) or (kernel, None)
    return Fault(type(error).__name__, text, kernel, function, node, sizes=known)


def _multiple(kernel: Any) -> tuple[Any, ast.Assign] | None:
    """Return the function and node of the first assignment `a = b = c`, whose place Triton does not report."""
    for function in reachable(kernel):
        for node in ast.walk(function.parse()):
            if isinstance(node, ast.Assign) and len(node.targets) > 1:
                return function, node
    return None


def _missing(kernel: Any, text: str) -> tuple[Any, ast.Attribute] | None:
    """Return the function and node that use a missing attribute of a module, whose place Triton 3.6 does not report."""
    if (said := _NOT_THERE.fullmatch(text)) is None:
        return None
    for function in reachable(kernel):
        for node in ast.walk(function.parse()):
            if isinstance(node, ast.Attribute) and node.attr == said["name"] and isinstance(node.value, ast.Name):
                module = function.fn.__globals__.get(node.value.id)
                if getattr(module, "__name__", None) == said["module"]:
                    return function, node
    return None


def is_fault(error: BaseException) -> bool:
    """Return whether the compiler raised this, and not the driver or the launch."""
    return isinstance(error, CompilationError | PTXASError) or PASS_FAILED in str(error)


def _from_source(error: CompilationError, kernel: Any, sizes: Mapping[str, int]) -> Fault:
    """Follow the chain of nested calls to the innermost function that is the learner's."""
    functions = {function.src: function for function in reachable(kernel)}
    chain = list(_chain(error))
    own = [(link, functions[link.src]) for link in chain if link.src in functions]
    link, function = own[-1] if own else (error, kernel)
    messages = [item.error_message for item in chain if item.error_message]
    kind, text = type(chain[-1]).__name__, messages[-1].strip() if messages else ""
    if found := _REPR.match(text):  # `NameError("x is not defined")` is what Triton makes of most exceptions
        kind, text = found[1], found[3].replace("\\'", "'").replace("\\n", "\n").replace("\\\\", "\\")
    node = link.node if isinstance(link.node, ast.AST) else None
    # In Triton 3.8 the operator's exception is only in `__context__`: its own error is raised `from None`.
    raised = link.__cause__ or link.__context__
    operands = _operands(raised, node) if link is chain[-1] else ()
    return Fault(kind, text, kernel, function, node, operands, sizes)


def _chain(error: BaseException | None) -> Iterator[CompilationError]:
    while error is not None:
        if isinstance(error, CompilationError):
            yield error
        error = error.__cause__


def _operands(error: BaseException | None, node: ast.AST | None) -> tuple[Operand, ...]:
    """Return the blocks passed to an operation, read from the traceback's frames; none if their match is uncertain."""
    given = _given(error)
    if given is None or node is None:
        return ()
    args, kwargs, name = given
    if isinstance(node, ast.BinOp):
        terms = [node.left, node.right]
    elif isinstance(node, ast.Compare) and len(node.comparators) == 1:
        terms = [node.left, node.comparators[0]]
    elif isinstance(node, ast.Call):
        if ast.unparse(node.func).rpartition(".")[2] != name or any(isinstance(arg, ast.Starred) for arg in node.args):
            return ()
        terms = node.args
    else:
        return ()
    if name.startswith("__r"):  # b.__radd__(a) is a + b
        args = args[::-1]
    if len(args) != len(terms):
        return ()
    keywords = {keyword.arg: keyword.value for keyword in node.keywords} if isinstance(node, ast.Call) else {}
    pairs = [*zip(terms, args, strict=True), *((keywords[key], kwargs[key]) for key in keywords if key in kwargs)]
    return tuple(Operand(ast.unparse(term), shape) for term, value in pairs if (shape := _shape(value)))


def _given(error: BaseException | None) -> tuple[tuple[Any, ...], dict[str, Any], str] | None:
    """Return arguments and name of the outermost Triton operation in an exception's traceback."""
    trace = error.__traceback__ if error is not None else None
    while trace is not None:
        local = trace.tb_frame.f_locals
        if trace.tb_frame.f_code.co_name == BUILTIN and {"fn", "args", "kwargs"} <= local.keys():
            return tuple(local["args"]), dict(local["kwargs"]), getattr(local["fn"], "__name__", "")
        trace = trace.tb_next
    return None


def _shape(value: Any) -> Shape:
    """Return the shape of a block; empty for a scalar or any other value."""
    sizes = [getattr(size, "value", size) for size in getattr(getattr(value, "type", None), "shape", ())]
    return tuple(sizes) if all(type(size) is int for size in sizes) else ()
