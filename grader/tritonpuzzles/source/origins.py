"""Where the host code makes a constant of a launch: followed through names, objects and functions of the file."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from tritonpuzzles.source.functions import Assignment, Function, assignments_in

Made = tuple[int, ast.expr]  # a value, and the line that makes it
DEEPEST = 8  # steps back


class Origins:
    """The values of a file outside of its kernels.

    Args:
        functions: of the file, without kernels.
        nodes: all of the file.
    """

    def __init__(self, functions: Sequence[Function], nodes: Sequence[ast.AST]) -> None:
        self._functions, self._nodes = {one.name: one for one in functions}, nodes
        scopes = [node for node in nodes if isinstance(node, (ast.Module, ast.ClassDef))]
        self._outside = [one for scope in scopes for one in assignments_in(scope.body)]

    def lines(self, name: str, value: object = None) -> set[int]:
        """Return the lines that make a constant; where a function returns one of several, those of the known value."""
        given = [made for made in self._given(name, value) if not self._is_of_input(made)]
        return {line for made in given for line, _ in self._back(made, value, DEEPEST)}

    def grid_lines(self, grid: ast.expr) -> set[int]:
        """Return the lines that make a grid: inline, assigned to a name, or returned by a function."""
        return {line for line, _ in self._back((grid.lineno, grid), None, DEEPEST)}

    def behind(self, value: ast.expr) -> Iterator[Assignment]:
        """Yield the assignments that a value depends on: those to each name and attribute in it, and in these."""
        waiting, seen = [value], set[int]()
        while waiting:
            inner = waiting.pop()
            for made in (made for node in ast.walk(inner) for made in self._assigned(node, inner.lineno)):
                if id(made) not in seen:
                    seen.add(id(made))
                    yield made
                    waiting.append(made.value)

    def _given(self, name: str, value: object) -> Iterator[Made]:
        """Yield what is passed under a name: a keyword, or a key of a table; of a tuner's, only the known value."""
        tuned = {id(inner) for node in self._nodes if _is_config(node) for inner in ast.walk(node)}
        for node in self._nodes:
            match node:
                case ast.Dict(keys, values):
                    pairs = zip(keys, values, strict=True)
                    found = [value for key, value in pairs if isinstance(key, ast.Constant) and key.value == name]
                case ast.keyword(arg, given) if arg == name:
                    found = [given]
                case _:
                    continue
            yield from ((given.lineno, given) for given in found if id(node) not in tuned or _is(given, value))
        for function in self._functions.values():
            yield from ((one.line, _part(one, name)) for one in _assigning(function.assignments, name))

    def _back(self, made: Made, value: object, deep: int) -> list[Made]:
        """Return what makes a value, followed back while the file shows where it comes from."""
        line, given = made
        if isinstance(given, ast.Tuple) and len(given.elts) == 1 and self._assigned(given.elts[0], line):
            given = given.elts[0]
        returned = self._returned(given)
        found = returned or [(one.line, _part(one, ast.unparse(given))) for one in self._assigned(given, line)]
        found = [one for one in found if not _is_shape(one[1])]
        ends = [end for one in found for end in self._back(one, value, deep - 1)] if deep else found
        if returned and len({line for line, _ in ends}) > 1:
            return [one for one in ends if _is(one[1], value)] or [made]
        return ends or [made]

    def _is_of_input(self, made: Made) -> bool:
        """Return whether a value is the size of a tensor, which the host code does not choose."""
        line, given = made
        return any(_is_shape(_part(one, ast.unparse(given))) for one in self._assigned(given, line))

    def _assigned(self, given: ast.AST, line: int) -> list[Assignment]:
        """Return the assignments to a name, as a line sees it, or to an attribute; to a parameter none."""
        function = next((one for one in reversed(self._functions.values()) if line in one.body), None)
        match given:
            case ast.Name(name):
                inside = [] if function is None else _assigning(function.assignments, name)
                is_parameter = function is not None and name in function.parameters
                return inside or ([] if is_parameter else _assigning(self._outside, name))
            case ast.Attribute(attr=attr):
                inside = [one for function in self._functions.values() for one in function.assignments]
                plain = (one for one in (*self._outside, *inside) if one.operator is None and len(one.targets) == 1)
                return [one for one in plain if one.targets[0].rpartition(".")[2] == attr]
        return []

    def _returned(self, given: ast.expr) -> list[Made]:
        """Return what a function of the file returns, to a call or a mention of it, or to a place in a tuple."""
        match given:
            case (
                ast.Call(ast.Attribute(attr="partial") | ast.Name("partial"), [ast.Name(name), *_])
                | ast.Call(ast.Name(name))
                | ast.Name(name)
            ) if name in self._functions:
                return [(one.lineno, one.value) for one in self._functions[name].returns if one.value is not None]
            case ast.Subscript(ast.Call(ast.Name(name)), ast.Constant(int(place))) if name in self._functions:
                values = [one.value for one in self._functions[name].returns]
                return [
                    (one.lineno, one.elts[place])
                    for one in values
                    if isinstance(one, ast.Tuple) and place < len(one.elts)
                ]
        return []


def _assigning(assignments: Iterable[Assignment], name: str) -> list[Assignment]:
    """Return the plain assignments to a name, alone or in a tuple."""
    return [one for one in assignments if one.operator is None and name in one.names]


def _part(made: Assignment, name: str) -> ast.expr:
    """Return what an assignment gives to one of its targets: the value, or its part at the name's place in a tuple."""
    if len(made.names) < 2 or name not in made.names:
        return made.value
    place = made.names.index(name)
    if isinstance(made.value, ast.Tuple) and place < len(made.value.elts):
        return made.value.elts[place]
    return ast.Subscript(made.value, ast.Constant(place))


def _is_shape(given: ast.expr) -> bool:
    return isinstance(given, ast.Subscript) and isinstance(given.value, ast.Attribute) and given.value.attr == "shape"


def _is(given: ast.expr, value: object) -> bool:
    """Return whether an expression is a constant of a value."""
    return isinstance(given, ast.Constant) and given.value == value


def _is_config(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "Config"
