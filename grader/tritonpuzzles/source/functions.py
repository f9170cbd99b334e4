"""The functions of a file: their parameters, what they assign and call, and what an expression in them depends on."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

LANGUAGE = ("tl", "triton.language")
ACCESSES = ("load", "store")
Sources = Mapping[str, Sequence[ast.expr]]


def lines_of(node: ast.stmt) -> range:
    """Return the numbers of the lines that a statement stands in."""
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def names_in(*nodes: ast.AST) -> set[str]:
    """Return the names that stand in nodes."""
    return {child.id for node in nodes for child in ast.walk(node) if isinstance(child, ast.Name)}


def language_calls(nodes: Iterable[ast.AST], *functions: str) -> list[ast.Call]:
    """Return the calls of functions of triton.language among nodes."""
    calls = (node for node in nodes if isinstance(node, ast.Call))
    return [
        call for call in calls if is_call(call, *functions) and ast.unparse(call.func).rpartition(".")[0] in LANGUAGE
    ]


def is_call(call: ast.Call, *functions: str) -> bool:
    """Return whether a call is one of an attribute of such a name."""
    return isinstance(call.func, ast.Attribute) and call.func.attr in functions


def accesses_in(nodes: Iterable[ast.AST], *kinds: str) -> list[ast.Call]:
    """Return the calls of tl.load and tl.store among nodes, or of one of them."""
    return [call for call in language_calls(nodes, *(kinds or ACCESSES)) if call.args]


def launches_in(nodes: Iterable[ast.AST]) -> list[tuple[int, ast.expr]]:
    """Return the lines in which launches among nodes begin, with their grids."""
    calls = (node for node in nodes if isinstance(node, ast.Call))
    return [(call.lineno, call.func.slice) for call in calls if isinstance(call.func, ast.Subscript)]


def factors(value: ast.expr) -> list[ast.expr]:
    """Return what a product is made of; of anything else that itself."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult):
        return [*factors(value.left), *factors(value.right)]
    return [value]


@dataclass(frozen=True)
class Assignment:
    """A statement that gives names a value.

    Attributes:
        line: of the file.
        targets: as they are spelled: `("m",)`, `("(a, b)",)`, `("ctx.scale",)`.
        names: that stand in them.
        value: that they get, or that is added where an operator is.
        operator: of `m += x`; `None` of a plain assignment.
    """

    line: int
    targets: tuple[str, ...]
    names: tuple[str, ...]
    value: ast.expr
    operator: ast.operator | None = None

    @property
    def name(self) -> str:
        """The name that alone gets a value; "" where there is none."""
        return self.targets[0] if self.targets == self.names else ""

    @property
    def result(self) -> ast.expr:
        """What the name becomes: a sum with itself where something is added."""
        if self.operator is None:
            return self.value
        return ast.BinOp(ast.Name(self.name, ast.Load()), self.operator, self.value)


def assignments_in(nodes: Iterable[ast.AST]) -> list[Assignment]:
    """Return the assignments among nodes, in their order."""
    found = []
    for node in nodes:
        match node:
            case ast.Assign(targets, value):
                found.append(_assignment(node, targets, value))
            case ast.AugAssign(target, operator, value):
                found.append(_assignment(node, [target], value, operator))
            case ast.AnnAssign(target, _, ast.expr() as value):
                found.append(_assignment(node, [target], value))
    return found


def _assignment(
    node: ast.stmt, targets: Sequence[ast.expr], value: ast.expr, operator: ast.operator | None = None
) -> Assignment:
    names = (child.id for target in targets for child in ast.walk(target) if isinstance(child, ast.Name))
    return Assignment(node.lineno, tuple(map(ast.unparse, targets)), tuple(names), value, operator)


def sources_in(nodes: Sequence[ast.AST], ranges: bool = False, but: ast.AST | None = None) -> Sources:
    """Return what is assigned to each name; to a name that is also changed in place, the name too.

    Args:
        nodes: that the assignments are among.
        ranges: whether loops assign what they run over to their variables.
        but: the loop that does not.
    """
    found: dict[str, list[ast.expr]] = {}
    for made in assignments_in(nodes):
        for name in made.names if made.operator is None else filter(None, [made.name]):
            found.setdefault(name, []).extend([made.value, *[ast.Name(name)] * (made.operator is not None)])
    for node in nodes if ranges else ():
        if isinstance(node, ast.For) and isinstance(node.target, ast.Name) and node is not but:
            found.setdefault(node.target.id, []).append(node.iter)
    return found


def reached(expression: ast.expr, sources: Sources) -> set[str]:
    """Return all names that an expression depends on, and the attributes that it calls, as `program_id`."""
    found: set[str] = set()
    waiting = [expression]
    while waiting:
        for node in ast.walk(waiting.pop()):
            if isinstance(node, ast.Attribute):
                found.add(node.attr)
            elif isinstance(node, ast.Name) and node.id not in found:
                found.add(node.id)
                waiting += sources.get(node.id, ())
    return found


def resolved(value: ast.expr, sources: Sources) -> ast.expr:
    """Return what a name stands for, if it is assigned once and not by way of itself; another expression as it is."""
    seen = set()
    while isinstance(value, ast.Name) and value.id not in seen and len(sources.get(value.id, ())) == 1:
        seen.add(value.id)
        value = sources[value.id][0]
    return value


class Function:
    """One function of a file, at whatever depth.

    Attributes:
        node: its tree.
        is_kernel: whether Triton compiles it.
        lines, body: their numbers: from `def` on, and behind its parameters.
    """

    def __init__(self, node: ast.FunctionDef) -> None:
        self.node, self.name = node, node.name
        self.is_kernel = any("jit" in ast.unparse(decorator) for decorator in node.decorator_list)
        self.lines = lines_of(node)
        self.body = range(node.body[0].lineno, self.lines.stop)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """All of its tree, what is outside before what is inside."""
        return list(ast.walk(self.node))

    @cached_property
    def parameters(self) -> list[str]:
        """The names of its parameters."""
        return [argument.arg for argument in (*self.node.args.args, *self.node.args.kwonlyargs)]

    @cached_property
    def assignments(self) -> list[Assignment]:
        """What it assigns, in the order of its nodes."""
        return assignments_in(self.nodes)

    @cached_property
    def sources(self) -> Sources:
        """What is assigned to each of its names."""
        return sources_in(self.nodes)

    def giving(self, target: str) -> list[Assignment]:
        """Return the assignments that give something a value, as it is spelled, and do not add to it."""
        return [made for made in self.assignments if made.operator is None and target in made.targets]

    @cached_property
    def accesses(self) -> list[ast.Call]:
        """Its calls of tl.load and tl.store."""
        return accesses_in(self.nodes)

    @property
    def blocks(self) -> list[list[ast.stmt]]:
        """Its statements, and those of each loop and branch in it."""
        parts = (getattr(node, part, None) for node in self.nodes for part in ("body", "orelse"))
        return [part for part in parts if isinstance(part, list)]

    @property
    def stores(self) -> list[int]:
        """The lines of its stores."""
        return [access.lineno for access in self.accesses if is_call(access, "store")]

    @cached_property
    def launches(self) -> list[tuple[int, ast.expr]]:
        """The lines in which its launches begin, with their grids."""
        return launches_in(self.nodes)

    @cached_property
    def branches(self) -> list[ast.If]:
        """What of it stands under a condition."""
        return [node for node in self.nodes if isinstance(node, ast.If)]

    @cached_property
    def returns(self) -> list[ast.Return]:
        """Its returns, and those of functions in it."""
        return [node for node in self.nodes if isinstance(node, ast.Return)]
