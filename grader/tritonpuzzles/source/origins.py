"""Where the host code makes a constant of a launch: followed through names, objects and functions of the file."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from tritonpuzzles.source.functions import Assignment, Function, assignments_in

DEEPEST, SEVERAL = 5, 3  # steps back, and assignments that are followed: with more, no line is the one
MOST = 200  # assignments behind a value
Made = tuple[int, ast.expr]  # a value, and the line that makes it


class Origins:
    """The values of a file outside of its kernels: in its other functions, and in all of its nodes."""

    def __init__(self, functions: Sequence[Function], nodes: Sequence[ast.AST]) -> None:
        self._all, self._functions, self._nodes = functions, {one.name: one for one in functions}, nodes
        scopes = [node for node in nodes if isinstance(node, (ast.Module, ast.ClassDef))]
        outside = [one for scope in scopes for one in assignments_in(scope.body)]
        self._outside, self._inside = _by_name(outside), [_by_name(one.assignments) for one in functions]
        self._fields = {scope.name: _fields(scope) for scope in scopes if isinstance(scope, ast.ClassDef)}
        self._by_attribute: dict[str, list[Assignment]] = {}
        for one in (*outside, *(made for function in functions for made in function.assignments)):
            if one.operator is None and len(one.targets) == 1:
                self._by_attribute.setdefault(one.targets[0].rpartition(".")[2], []).append(one)

    def lines(self, name: str, value: object = None) -> set[int]:
        """Return the lines that make a constant; where a function returns one of several, those of the known value."""
        given = [made for made in self._given(name, value) if not self._is_of_input(made)]
        return {line for made in given for line, _ in self._back(made, value, set())}

    def grid_lines(self, grid: ast.expr) -> set[int]:
        """Return the lines that make a grid: inline, assigned to a name, or returned by a function."""
        return {line for line, _ in self._back((grid.lineno, grid), None, set())}

    def behind(self, value: ast.expr) -> Iterator[Assignment]:
        """Yield the assignments that a value depends on: those to each name and attribute in it, and in these."""
        waiting, seen = [value], set[int]()
        while waiting and len(seen) < MOST:
            inner = waiting.pop()
            for made in (made for node in ast.walk(inner) for made in self._assigned(node, inner.lineno)):
                if id(made) not in seen:
                    seen.add(id(made))
                    yield made
                    waiting.append(made.value)

    def _given(self, name: str, value: object) -> Iterator[Made]:
        """Yield what is passed under a name: a keyword, a key of a table, a field; no constant of another value."""
        tuned = {id(inner) for node in self._nodes if is_config(node) for inner in ast.walk(node)}
        for node in self._nodes:
            match node:
                case ast.Dict(keys, values):
                    pairs = zip(keys, values, strict=True)
                    found = [value for key, value in pairs if isinstance(key, ast.Constant) and key.value == name]
                case ast.keyword(arg, given) if arg == name:
                    found = [given]
                case ast.Call(ast.Name(made), arguments) if name in self._fields.get(made, ()):
                    found = arguments[self._fields[made].index(name) :][:1]
                case _:
                    continue
            if value is None:
                found = [] if id(node) in tuned else found
            else:
                found = [one for one in found if _is(one, value) or not isinstance(one, ast.Constant)]
            yield from ((one.lineno, one) for one in found)
        for inside in self._inside:
            yield from ((one.line, _part(one, name)) for one in inside.get(name, ()))

    def _back(self, made: Made, value: object, seen: set[Made], deep: int = DEEPEST) -> list[Made]:
        """Return what makes a value, followed back while the file shows where it comes from, each step once."""
        line, given = made
        seen.add(made)
        if isinstance(given, ast.Tuple) and len(given.elts) == 1 and self._assigned(given.elts[0], line):
            given = given.elts[0]
        if limits := self._limits(made, value, seen, deep):
            return limits
        returned = self._returned(given)
        found = returned or [(one.line, _part(one, ast.unparse(given))) for one in self._assigned(given, line)]
        found = [one for one in found if deep and len(found) <= SEVERAL and not _is_shape(one[1])]
        ends = [end for one in found if one not in seen for end in self._back(one, value, seen, deep - 1)]
        if returned and len({line for line, _ in ends}) > 1:
            return [one for one in ends if _is(one[1], value)] or [made]
        return ends or [made]

    def _limits(self, made: Made, value: object, seen: set[Made], deep: int) -> list[Made]:
        """Return the constants of a known value among the names that a `min` or `max` chooses from."""
        line, given = made
        match given:
            case ast.Call(ast.Name("min" | "max"), arguments) if deep and len(arguments) <= SEVERAL:
                named = [(line, one) for one in arguments if isinstance(one, ast.Name)]
                ends = [end for one in named if one not in seen for end in self._back(one, value, seen, deep - 1)]
                return [end for end in ends if value is not None and _is(end[1], value)]
        return []

    def _is_of_input(self, made: Made) -> bool:
        """Return whether a value is the size of a tensor, which the host code does not choose."""
        line, given = made
        return any(_is_shape(_part(one, ast.unparse(given))) for one in self._assigned(given, line))

    def _assigned(self, given: ast.AST, line: int) -> Sequence[Assignment]:
        """Return the assignments to a name, as a line sees it, or to an attribute; to a parameter none."""
        match given:
            case ast.Name(name):
                scopes = zip(reversed(self._all), reversed(self._inside), strict=True)
                function, inside = next(((one, made) for one, made in scopes if line in one.body), (None, {}))
                is_parameter = function is not None and name in function.parameters
                return inside.get(name, ()) or (() if is_parameter else self._outside.get(name, ()))
            case ast.Attribute(attr=attr):
                return self._by_attribute.get(attr, ())
        return ()

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


def _fields(made: ast.ClassDef) -> list[str]:
    """Return the annotated names of a class, as a dataclass takes them in order."""
    targets = (one.target for one in made.body if isinstance(one, ast.AnnAssign))
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _by_name(assignments: Iterable[Assignment]) -> dict[str, list[Assignment]]:
    """Return the plain assignments to each name, alone or in a tuple."""
    found: dict[str, list[Assignment]] = {}
    for one in (one for one in assignments if one.operator is None):
        for name in dict.fromkeys(one.names):
            found.setdefault(name, []).append(one)
    return found


def _part(made: Assignment, name: str) -> ast.expr:
    """Return what an assignment gives to one of its targets; of a call that gives several, the part at its place."""
    given = made.given(name)
    if given is not made.value or len(made.names) < 2 or name not in made.names:
        return given
    return ast.Subscript(given, ast.Constant(made.names.index(name)))


def _is_shape(given: ast.expr) -> bool:
    return isinstance(given, ast.Subscript) and isinstance(given.value, ast.Attribute) and given.value.attr == "shape"


def _is(given: ast.expr, value: object) -> bool:
    """Return whether an expression is a constant of a value."""
    return isinstance(given, ast.Constant) and given.value == value


def is_config(node: ast.AST) -> bool:
    """Return whether a node makes a configuration of an autotuner."""
    return isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "Config"
