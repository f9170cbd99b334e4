"""One file: its functions, its lines of code, its constants, and facts about any of its lines."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import NamedTuple, TypeGuard

from tritonpuzzles.source.functions import Assignment, Function, assignments_in, is_call, lines_of, names_in
from tritonpuzzles.source.host import Host
from tritonpuzzles.source.loops import PROGRAM, Loop, loops_in


class Constant(NamedTuple):
    """A number to which a file gives a name, and the line that does so."""

    text: str
    line: int


@lru_cache(maxsize=4)  # one check calls it a dozen times for its file
def source_of(data: bytes) -> Source:
    """Return the source of a file from its bytes; an empty source if they are not UTF-8."""
    try:
        return Source(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return Source("")


class Source:
    """The text of one file and its tree; the tree is empty if Python cannot parse the text.

    Args:
        text: of the file, or of a function in it.
        first: number of its first line.

    Attributes:
        text, data: as given, and as bytes.
        nodes: all nodes of its tree, outer ones before inner ones.
        functions, kernels: at any depth; those that Triton compiles.
        host: all other functions.
    """

    def __init__(self, text: str, first: int = 1) -> None:
        self.text, self.data = text, text.encode()
        try:
            self.nodes = list(ast.walk(ast.increment_lineno(ast.parse(text), first - 1)))
            self.functions = [Function(node) for node in self.nodes if isinstance(node, ast.FunctionDef)]
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            self.nodes, self.functions = [], []
        self.kernels = [function for function in self.functions if function.is_kernel]
        self.host = Host([function for function in self.functions if not function.is_kernel], self.nodes)

    @cached_property
    def loops(self) -> list[Loop]:
        """The loops of all kernels, by line."""
        return loops_in(self.kernels)

    @cached_property
    def walks(self) -> list[Loop]:
        """The loops over ranges that load or store."""
        return [loop for loop in self.loops if loop.is_walk]

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Return the start and end of a node in the bytes of the text."""
        starts, ends = self._starts, (node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)
        return starts[node.lineno - 1] + node.col_offset, starts[ends[0] - 1] + ends[1]

    def text_of(self, node: ast.expr | ast.stmt) -> str:
        """Return the text of a node."""
        start, end = self.span(node)
        return self.data[start:end].decode()

    def around(self, line: int | None) -> Loop | None:
        """Return the innermost loop of a kernel around a line."""
        return next((loop for loop in reversed(self.loops) if loop.holds(line)), None)

    def storing_loop(self, stores: Collection[int | None]) -> Loop | None:
        """Return the innermost loop that contains one of some stores, given by their lines."""
        return next((loop for loop in reversed(self.loops) if loop.stores & set(stores)), None)

    def lines(self, host: bool = False) -> list[tuple[int, str]]:
        """Return the lines of code inside kernels, with their numbers, without comments and docstrings.

        With `host`, return the indented lines outside of kernels instead.
        """
        strings = {line for node in self.nodes if _is_string(node) for line in lines_of(node)}
        inside = {line for kernel in self.kernels for line in (kernel.lines if host else kernel.body)}
        numbered = enumerate(re.split(r"\r\n?|\n", self.text), 1)
        found = [(number, line.split("#")[0]) for number, line in numbered if number not in strings]
        if host:
            return [(number, line) for number, line in found if number not in inside and line[:1].isspace()]
        return [(number, line) for number, line in found if number in inside]

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *accumulate(len(line) + 1 for line in self.data.split(b"\n"))]

    @cached_property
    def constants(self) -> dict[str, Constant]:
        """The named numbers that are assigned once, also as a `tl.constexpr`."""
        found: dict[str, list[Constant]] = {}
        for made in assignments_in(self.nodes):
            text = "" if made.operator else _number(made.value)
            found.setdefault(made.name, []).append(Constant(text, made.line))
        return {name: made[0] for name, made in found.items() if name and len(made) == 1 and made[0].text}

    def constant_in(self, line: int) -> int | None:
        """Return the line that defines the only constant in the assignments of a line."""
        values = [made.value for made in assignments_in(self.nodes) if made.operator is None and made.line == line]
        lines = {self.constants[name].line for name in names_in(*values) if name in self.constants}
        return lines.pop() if len(lines) == 1 else None

    @cached_property
    def exponentials(self) -> dict[str, Function]:
        """The functions that only compute an exponential, by name."""
        return {function.name: function for function in self.functions if _is_exponential(function.node)}

    def is_exponential(self, value: ast.AST) -> bool:
        """Return whether an expression calls an exponential: Triton's, or the file's own, see `exponentials`."""
        own = isinstance(value, ast.Call) and ast.unparse(value.func) in self.exponentials
        return own or is_call(value, "exp", "exp2")

    @property
    def numbering_line(self) -> int | None:
        """The first line of a kernel that computes a tile's position from a program id by // or %."""
        lines = []
        for kernel in self.kernels:
            programs = {made.name for made in kernel.assignments if PROGRAM in made.text}
            for node in kernel.nodes:
                match node:
                    case ast.BinOp(ast.Name(name), ast.FloorDiv() | ast.Mod()) if name in programs:
                        lines.append(node.lineno)
        return min(lines, default=None)

    def calls_into(self, line: int | None, inner: int | None) -> bool:
        """Return whether a line calls the function that contains another line."""
        around = {one.name for one in self.functions if inner in one.body}
        calls = (node for node in self.nodes if isinstance(node, ast.Call) and node.lineno == line)
        return any(isinstance(call.func, ast.Name) and call.func.id in around for call in calls)

    def lines_run(self, launched: Collection[str]) -> set[int]:
        """Return the lines of kernels, given by name, and of all kernels and helpers that they use."""
        names, found = set(launched), set[int]()
        waiting = list(self.kernels)
        while run := [kernel for kernel in waiting if kernel.name in names]:
            names |= names_in(*(kernel.node for kernel in run))
            found |= {line for kernel in run for line in kernel.body}
            waiting = [kernel for kernel in waiting if kernel not in run]
        return found

    @property
    def only_store(self) -> int | None:
        """The line of the only tl.store of the kernels."""
        accesses = (access for kernel in self.kernels for access in kernel.accesses)
        lines = {access.lineno for access in accesses if is_call(access, "store")}
        return lines.pop() if len(lines) == 1 else None

    @property
    def texts(self) -> dict[str, str]:
        """The names that kernels compare with a text, each with the text."""
        compared = (node for kernel in self.kernels for node in kernel.nodes if isinstance(node, ast.Compare))
        pairs = ((one.left, other) for one in compared for other in one.comparators if isinstance(other, ast.Constant))
        named = ((name.id, text.value) for name, text in pairs if isinstance(name, ast.Name))
        return {name: text for name, text in named if isinstance(text, str)}

    def moving(self, line: int) -> Assignment | None:
        """Return the only addition to a name in the address of a load in a line, in the innermost loop around it."""
        loop = self.around(line)
        return None if loop is None else loop.moving(line)

    def step_made(self, line: int) -> int:
        """Return the line that defines the step by which a line of a loop moves something, if the step has a name.

        The step must be assigned once, outside of all loops. Otherwise the line itself is returned.
        """
        for kernel in self.kernels if self.around(line) else ():
            for step in kernel.assignments:
                made = kernel.giving(step.text) if step.operator and step.line == line else []
                if len(made) == 1 and made[0].name and not self.around(made[0].line):
                    return made[0].line
        return line


def _is_string(node: ast.AST) -> TypeGuard[ast.Expr]:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _number(value: ast.expr) -> str:
    match value:
        case ast.Call(ast.Attribute(attr="constexpr"), [inner]):
            return _number(inner)
        case ast.UnaryOp(ast.USub(), inner):
            text = _number(inner)
            return f"-{text}" if text else ""
        case ast.Constant(int() | float()) | ast.Call(ast.Name("float"), [ast.Constant()]) | ast.Attribute(attr="inf"):
            return ast.unparse(value)
    return ""


def _is_exponential(function: ast.FunctionDef) -> bool:
    """Return whether a function of one argument returns tl.exp or tl.exp2 of it, or of some multiple."""
    match function.body[-1]:
        case ast.Return(ast.Call(ast.Attribute(attr="exp" | "exp2"), [exponent])) if len(function.args.args) == 1:
            parts = [exponent]
            if isinstance(exponent, ast.BinOp) and isinstance(exponent.op, ast.Mult | ast.Div):
                parts = [exponent.left, exponent.right]
            return function.args.args[0].arg in map(ast.unparse, parts)
    return False
