"""The loops of a kernel: what they run over, what they load and store, and what advances an address."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from functools import cached_property

from tritonpuzzles.source.functions import (
    Assignment,
    Function,
    Sources,
    accesses_in,
    assignments_in,
    factors,
    given_to,
    is_call,
    names_in,
    reached,
    resolved,
    sources_in,
)

PROGRAM, PROGRAMS = "program_id", "num_programs"


class Loop:
    """One `for` or `while` of a kernel. Properties of a range need `bounds`.

    Attributes:
        line, last_line: of the `for`, and of its body.
        variable: of a `for`, if it is one name.
        bounds: begin, end and step of a range; empty for any other loop. A name that is assigned once is replaced by
            its value.
        begin, end, step: the same as the kernel spells them; "0" and "1" where it omits them.
        accesses, stores: its loads and stores; the lines of its stores.
        is_walk: whether it is over a range, and loads or stores, if only through a helper.
        by_program: whether its range, or its condition, depends on the program.
    """

    def __init__(self, kernel: Function, node: ast.For | ast.While, helpers: Collection[str]) -> None:
        self.line, self.last_line = node.lineno, node.end_lineno or node.lineno
        self._kernel, self._node, self._nodes = kernel, node, list(ast.walk(node))
        over = node.iter if isinstance(node, ast.For) else node.test
        self.variable = node.target.id if isinstance(node, ast.For) and isinstance(node.target, ast.Name) else ""
        self._bounds = _bounds(over) if self.variable else ()
        self.bounds = [resolved(bound, kernel.sources) for bound in self._bounds]
        self.begin, self.end, self.step = map(ast.unparse, self._bounds or [ast.Name("")] * 3)
        self.accesses = accesses_in(self._nodes)
        self.stores = frozenset(access.lineno for access in self.accesses if is_call(access, "store"))
        self._calls = [call for call in self._nodes if isinstance(call, ast.Call) and ast.unparse(call.func) in helpers]
        self.is_walk = bool(self.bounds) and bool(self.accesses or self._calls)
        self.by_program = PROGRAM in reached(over, kernel.sources)

    def holds(self, line: int | None) -> bool:
        """Return whether a line is in its body."""
        return line is not None and self.line < line <= self.last_line

    @property
    def range(self) -> str:
        """Its range, with names replaced by their values."""
        return f"range({', '.join(map(ast.unparse, self.bounds))})"

    @property
    def end_line(self) -> int | None:
        """The line that defines the end of its range, if it is a name with one definition."""
        made = self._kernel.giving(self.end)
        return made[0].line if len(made) == 1 and made[0].name else None

    @property
    def at_program(self) -> bool:
        """Whether it begins at the program id, as it is or times the step."""
        if not self.bounds:
            return False
        begin, _, step = self.bounds
        match factors(begin):
            case [number, other] if ast.unparse(other) == ast.unparse(step):
                return _is_program(number, self._kernel.sources)
        return _is_program(begin, self._kernel.sources)

    @property
    def ends_early(self) -> bool:
        """Whether it ends at a number of tiles, but steps by more than one."""
        return self.step != "1" and not self.by_program and _is_count(self.bounds[1])

    @cached_property
    def is_still(self) -> bool:
        """Whether every iteration loads and stores at the same addresses."""
        given = [value for call in self._calls for value in given_to(call)]
        return all(map(self._stands, [*(access.args[0] for access in self.accesses), *given]))

    def staying(self, kind: str) -> frozenset[int]:
        """Return the lines of loads, or of stores, that use the same addresses in every iteration."""
        return frozenset(one.lineno for one in self.accesses if is_call(one, kind) and self._stands(one.args[0]))

    @property
    def rules(self) -> frozenset[int]:
        """The lines of stores whose address depends on the program only through the loop's variable."""
        sources = sources_in(self._kernel.nodes, [node for node in self._kernel.nodes if node is not self._node])
        stores = [(one.lineno, reached(one.args[0], sources)) for one in self.accesses if is_call(one, "store")]
        return frozenset(line for line, names in stores if self.variable in names and PROGRAM not in names)

    @property
    def slow(self) -> Assignment | None:
        """In a loop that steps by the number of programs: the first line that advances a stored-to address by less."""
        sources = self._kernel.sources
        if PROGRAMS not in reached(self._bounds[2], sources):
            return None
        stored = {name for one in self.accesses if is_call(one, "store") for name in names_in(one.args[0])}
        for made in assignments_in(self._node.body):
            by_less = made.name in stored and PROGRAMS not in reached(made.value, sources)
            if isinstance(made.operator, ast.Add) and by_less:
                return made
        return None

    def moving(self, line: int) -> Assignment | None:
        """Return the only addition, in this loop, to a name in the address of a load in a line."""
        loads = (one for one in self.accesses if one.lineno == line and is_call(one, "load"))
        names = {name for load in loads for name in names_in(load.args[0])}
        found = [made for made in assignments_in(self._nodes) if made.operator and made.name in names]
        return found[0] if len(found) == 1 else None

    def _stands(self, address: ast.expr) -> bool:
        """Return whether an address depends neither on the variable nor on what earlier iterations changed."""
        return not self._moved & reached(address, self._sources)

    @cached_property
    def _sources(self) -> Sources:
        return sources_in(self._nodes, self._nodes)

    @cached_property
    def _moved(self) -> set[str]:
        return {self.variable, *(name for name, values in self._sources.items() if name in names_in(*values))}


def steps_over_programs(function: Function) -> list[ast.expr]:
    """Return the steps of loops that depend on the program id: of a range, or added to a name that a `while` tests."""
    steps: list[ast.expr] = []
    for node in function.nodes:
        if isinstance(node, ast.While) and PROGRAM in reached(node.test, function.sources):
            tested, inside = names_in(node.test), assignments_in(ast.walk(node))
            steps += [one.value for one in inside if one.operator is not None and one.name in tested]
        elif isinstance(node, ast.For) and PROGRAM in reached(node.iter, function.sources):
            steps += node.iter.args[2:] if isinstance(node.iter, ast.Call) else []
    return steps


def loops_in(functions: Sequence[Function]) -> list[Loop]:
    """Return the loops of functions, by line: the outer before the inner."""
    helpers = {function.name for function in functions if function.accesses}
    loops = [(one, node) for one in functions for node in one.loops]
    return sorted((Loop(one, node, helpers - {one.name}) for one, node in loops), key=lambda loop: loop.line)


def _bounds(over: ast.expr) -> tuple[ast.expr, ...]:
    given = over.args if isinstance(over, ast.Call) and ast.unparse(over.func).endswith("range") else []
    begin, step = ast.Constant(0), ast.Constant(1)
    return {1: (begin, *given, step), 2: (*given, step), 3: (*given,)}.get(len(given), ())


def _is_program(begin: ast.expr, sources: Sources) -> bool:
    """Return whether an expression is a program id, in any dtype."""
    match resolved(begin, sources):
        case ast.Call(ast.Attribute(value, attribute)):
            return attribute == PROGRAM or (attribute == "to" and _is_program(value, sources))
    return False


def _is_count(end: ast.expr) -> bool:
    """Return whether an expression is a quotient, like a tile count: cdiv(n, BLOCK) or (n + BLOCK - 1) // BLOCK."""
    match end:
        case ast.Call(func):
            return ast.unparse(func).endswith("cdiv")
        case ast.BinOp(_, ast.FloorDiv()):
            return True
    return False
