"""The functions of a file: assignments, calls, what an expression depends on, and which assignments reach a line."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

LANGUAGE = ("tl", "triton.language")
LONGEST = 60  # characters
MOST_PARTS = 64  # of a tuple that is assigned to names
Loop: TypeAlias = ast.For | ast.While
Sources = Mapping[str, Sequence[ast.expr]]


def lines_of(node: ast.stmt) -> range:
    """Return the line numbers of a statement."""
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def names_in(*nodes: ast.AST) -> set[str]:
    """Return the names that occur in nodes."""
    return {child.id for node in nodes for child in ast.walk(node) if isinstance(child, ast.Name)}


def operands(value: ast.expr, kind: type[ast.operator]) -> list[ast.expr]:
    """Return the operands of one operator, also where it is nested; for any other expression, the expression itself."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, kind):
        return [*operands(value.left, kind), *operands(value.right, kind)]
    return [value]


def factors(value: ast.expr) -> list[ast.expr]:
    """Return the factors of a product; for any other expression, the expression itself."""
    return operands(value, ast.Mult)


def is_call(node: ast.AST, *functions: str) -> bool:
    """Return whether a node calls an attribute with one of the names: `tl.load`, `tl.math.exp`."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in functions


def given_to(call: ast.Call) -> list[ast.expr]:
    """Return the arguments of a call, positional ones first."""
    return [*call.args, *(word.value for word in call.keywords)]


def language_calls(nodes: Iterable[ast.AST], *functions: str) -> list[ast.Call]:
    """Return the calls of functions of triton.language among nodes."""
    calls = [node for node in nodes if isinstance(node, ast.Call) and is_call(node, *functions)]
    return [call for call in calls if ast.unparse(call.func).rpartition(".")[0] in LANGUAGE]


def accesses_in(nodes: Iterable[ast.AST]) -> list[ast.Call]:
    """Return the calls of tl.load and tl.store among nodes."""
    return [call for call in language_calls(nodes, "load", "store") if call.args]


def launches_in(nodes: Iterable[ast.AST]) -> list[tuple[int, ast.expr]]:
    """Return the first lines of launches among nodes, with their grids."""
    calls = (node for node in nodes if isinstance(node, ast.Call))
    return [(call.lineno, call.func.slice) for call in calls if isinstance(call.func, ast.Subscript)]


@dataclass(frozen=True)
class Assignment:
    """A statement that assigns to names."""

    line: int  # of the file
    targets: Sequence[str]  # as they are spelled: `["m"]`, `["(a, b)"]`, `["ctx.scale"]`
    names: Sequence[str]  # that occur in the targets
    value: ast.expr  # that is assigned, or added if there is an operator
    operator: ast.operator | None  # of `m += x`; `None` for a plain assignment

    @property
    def name(self) -> str:
        """The name, if it is the only target; else ""."""
        return self.targets[0] if self.targets == self.names else ""

    def given(self, name: str) -> ast.expr:
        """Return what a name gets: the value, or of `a, b = x, y` the part at its place."""
        match self.value:
            case ast.Tuple(parts) if len(self.targets) == 1 and 1 < len(parts) == len(self.names) <= MOST_PARTS:
                return dict(zip(self.names, parts, strict=True)).get(name, self.value)
        return self.value

    @property
    def text(self) -> str:
        """The value, as Python spells it."""
        return ast.unparse(self.value)

    @property
    def result(self) -> ast.expr:
        """The new value of the name: the value combined with the name itself if there is an operator."""
        return ast.BinOp(ast.Name(self.name), self.operator, self.value) if self.operator else self.value


def assignments_in(nodes: Iterable[ast.AST]) -> Iterator[Assignment]:
    """Yield the assignments among nodes, in their order."""
    for node in nodes:
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [child.id for one in targets for child in ast.walk(one) if isinstance(child, ast.Name)]
            operator = node.op if isinstance(node, ast.AugAssign) else None
            yield Assignment(node.lineno, list(map(ast.unparse, targets)), names, node.value, operator)


def sources_in(nodes: Sequence[ast.AST], loops: Iterable[ast.AST] = ()) -> Sources:
    """Return the expressions assigned to each name; for a name that is also changed in place, also the name itself.

    The iterables of `loops` count as assigned to their variables.
    """
    found: dict[str, list[ast.expr]] = {}
    for made in assignments_in(nodes):
        for name in made.names if made.operator is None else filter(None, [made.name]):
            found.setdefault(name, []).extend([made.given(name), *[ast.Name(name)] * (made.operator is not None)])
    for loop in loops:
        if isinstance(loop, ast.For) and isinstance(loop.target, ast.Name):
            found.setdefault(loop.target.id, []).append(loop.iter)
    return found


def reached(expression: ast.expr, sources: Sources) -> set[str]:
    """Return all names that an expression depends on, and the attributes in it, such as `program_id`."""
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
    """Return the value of a name that is assigned once and not from itself; any other expression unchanged."""
    seen = set()
    while isinstance(value, ast.Name) and value.id not in seen and len(sources.get(value.id, ())) == 1:
        seen.add(value.id)
        value = sources[value.id][0]
    return value


@dataclass(frozen=True)
class Step:
    """A part of an address or of a mask."""

    name: str  # the variable that holds it
    added: ast.expr  # its expression, or the expression that is added to it
    line: int  # of the file
    moves: bool  # whether it is added in each iteration of a loop
    is_sure: bool = True  # whether it is a plain assignment without a condition, which replaces any earlier value

    @property
    def names(self) -> set[str]:
        """The names in its expression."""
        return names_in(self.added)

    @property
    def text(self) -> str:
        """The expression as text; "" if it is long."""
        text = ast.unparse(self.added)
        return text if len(text) <= LONGEST else ""


class Function:
    """One function of a file, at any depth.

    Attributes:
        node, nodes: its tree, and all nodes of it, outer ones before inner ones.
        is_kernel: whether Triton compiles it.
        lines, body: its line numbers, from `def` on, and from its first statement on.
        parameters, constants: their names; the names of those annotated as constexpr.
        assignments: in the order of the nodes.
        accesses: calls of tl.load and tl.store.
        launches: their first lines, with their grids.
        branches, returns, loops: in it, or in a function in it.
    """

    def __init__(self, node: ast.FunctionDef) -> None:
        self.node, self.name, self.nodes = node, node.name, list(ast.walk(node))
        self.is_kernel = any("jit" in ast.unparse(decorator) for decorator in node.decorator_list)
        self.lines = lines_of(node)
        self.body = range(node.body[0].lineno, self.lines.stop)
        arguments = (*node.args.args, *node.args.kwonlyargs)
        self.parameters = [argument.arg for argument in arguments]
        self.constants = [one.arg for one in arguments if one.annotation and "constexpr" in ast.unparse(one.annotation)]
        self.assignments = list(assignments_in(self.nodes))
        self.accesses = accesses_in(self.nodes)
        self.launches = launches_in(self.nodes)
        self.branches = [node for node in self.nodes if isinstance(node, ast.If)]
        self.returns = [node for node in self.nodes if isinstance(node, ast.Return)]
        self.loops = [node for node in self.nodes if isinstance(node, Loop)]

    @cached_property
    def sources(self) -> Sources:
        """The expressions assigned to each of its names."""
        return sources_in(self.nodes)

    def giving(self, target: str) -> list[Assignment]:
        """Return the plain assignments to a target, given as it is spelled."""
        return [made for made in self.assignments if made.operator is None and target in made.targets]

    @cached_property
    def steps(self) -> list[Step]:
        """Everything that is assigned or added to names, by line."""
        return sorted(self._assigned(), key=lambda step: step.line)

    def around(self, line: int) -> list[Loop]:
        """Return the loops around a line of the file, the outermost first."""
        return [loop for loop in self.loops if line in lines_of(loop)[1:]]

    def reaching(self, name: str, line: int) -> list[Step]:
        """Return the assignments to a name whose values may reach a line of the file."""
        steps = [step for step in self.steps if step.name == name]
        loops = self.around(line)
        for loop in reversed(loops):
            turn = [step for step in steps if loop.lineno < step.line < line]
            if any(step.is_sure for step in turn):
                return _from_the_last_sure(turn)
        if not loops:
            return _from_the_last_sure([step for step in steps if step.line < line])
        before = _from_the_last_sure([step for step in steps if step.line < loops[0].lineno])
        return before + [step for step in steps if step.line in lines_of(loops[0])[1:]]

    def left_over(self, name: str, line: int) -> Loop | None:
        """Return an earlier loop that has moved the value that a name still has at a line of the file."""
        moved = [step.line for step in self.reaching(name, line) if step.moves]
        ended = (loop for loop in self.loops if lines_of(loop).stop <= line)
        return next((loop for loop in ended if any(at in lines_of(loop)[1:] for at in moved)), None)

    def changing(self, line: int) -> set[str]:
        """Return the names that may have another value in each iteration of a loop around a line of the file."""
        found: set[str] = set()
        for loop in self.around(line):
            found |= names_in(loop.target) if isinstance(loop, ast.For) else set()
            steps = [step for step in self.steps if step.line in lines_of(loop)[1:]]
            loads = [step.name for step in steps if language_calls(ast.walk(step.added), "load")]  # another each time
            found |= {step.name for step in steps if step.moves or step.name in step.names} | set(loads)
            while more := {step.name for step in steps if step.names & found} - found:
                found |= more
        return found

    def _assigned(self) -> Iterator[Step]:
        for made in (made for made in self.assignments if made.name):
            moves = bool(self.around(made.line))
            match made.operator, made.value:
                case ast.Add(), added:
                    yield Step(made.name, added, made.line, moves, is_sure=False)
                case ast.Sub(), taken:
                    yield Step(made.name, ast.UnaryOp(ast.USub(), taken), made.line, moves, is_sure=False)
                case None, ast.BinOp(ast.Name(id=old), ast.Add(), added) if old == made.name:
                    yield Step(made.name, added, made.line, moves, is_sure=False)
                case None, added:
                    sure = not any(made.line in lines_of(node) for node in self.branches)
                    yield Step(made.name, added, made.line, moves=False, is_sure=sure)


def _from_the_last_sure(steps: Sequence[Step]) -> list[Step]:
    last = max((number for number, step in enumerate(steps) if step.is_sure), default=0)
    return list(steps[last:])
