"""The paths of host code that no case takes and on which nothing is launched."""

from __future__ import annotations

import ast
import builtins
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from tritonpuzzles.source.file import Source
from tritonpuzzles.source.functions import Function, Sources, launches_in, names_in, resolved

Held = (ast.Name, ast.Subscript, ast.Attribute, ast.Dict, ast.List, ast.Tuple, ast.IfExp)  # what may hold a kernel
Node = ast.expr | ast.stmt


class Ran:
    """What ran of a file's host code in all cases together.

    Args:
        passed: lines and columns of places in it, each with those of the place after it; columns are 0 if not known.
    """

    def __init__(self, passed: Collection[tuple[int, int, int, int]]) -> None:
        self._pairs = sorted((one[:2], one[2:]) for one in passed)
        self._places = sorted(after for _, after in self._pairs)
        self._by_line = not any(column for _, column in self._places)

    def has(self, node: Node) -> bool:
        """Return whether any part of a node ran."""
        begin, end = self._span(node)
        return bisect_left(self._places, begin) < bisect_left(self._places, end)

    def leaves_out(self, branch: ast.If) -> bool:
        """Return whether a condition was true whenever it ran, for all that is known."""
        (begin, end), last = self._span(branch.test), self._span(branch.body[-1])[1]
        pairs = self._pairs[bisect_left(self._pairs, (begin,)) : bisect_left(self._pairs, (end,))]
        return bool(pairs) and all(begin <= after < last for _, after in pairs)

    def _span(self, node: Node) -> tuple[tuple[int, int], tuple[int, int]]:
        if self._by_line:
            return (node.lineno, 0), (node.end_lineno or node.lineno, 1)
        return (node.lineno, node.col_offset), (node.end_lineno or node.lineno, node.end_col_offset or 0)


def silent_paths(source: Source, functions: Iterable[Function], ran: Ran) -> Iterator[tuple[Function, ast.stmt]]:
    """Yield what no case runs of functions and what launches nothing, each with its function.

    It is a return, the first statement of a side of a branch, or an `if` without `else` whose condition is never false.
    What is for empty tensors is left out.
    """
    names = _launching(source)
    for function in (one for one in functions if _launches(one.node.body, names)):
        walk = _Walk(function.sources, names, ran)
        walk.leave(walk.through(function.node.body, _Path(False, ())))
        yield from ((function, node) for node in walk.found)


def _launching(source: Source) -> set[str]:
    """Return the names of kernels, and of all that launches or holds one."""
    owners: dict[str, set[str]] = {}
    found, waiting = set[str](), [kernel.name for kernel in source.kernels]
    for function in (one for one in source.functions if not one.is_kernel):
        waiting += [function.name] * bool(function.launches)
        for name in _named_in_calls(function.node.body):
            owners.setdefault(name, set()).add(function.name)
    for node in source.nodes:
        if isinstance(node, ast.Assign) and isinstance(node.value, Held):
            for name in _named(node.value):
                owners.setdefault(name, set()).update(names_in(*node.targets))
        elif isinstance(node, ast.ClassDef):
            for one in (one for one in node.body if isinstance(one, ast.FunctionDef)):
                owners.setdefault(one.name, set()).add(node.name)
    while waiting:
        if (name := waiting.pop()) not in found:
            found.add(name)
            waiting += owners.get(name, ())
    return found


def _named(node: ast.AST) -> set[str]:
    return {name for one in ast.walk(node) if (name := getattr(one, "id", getattr(one, "attr", "")))}


def _named_in_calls(body: Sequence[ast.AST]) -> set[str]:
    """Return the names of what is called, or passed to a call other than of Python's own functions."""
    found, waiting = set[str](), list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Call) and not (isinstance(node.func, ast.Name) and hasattr(builtins, node.func.id)):
            found |= _named(node)
        else:
            waiting += ast.iter_child_nodes(node)
    return found


def _launches(body: Sequence[ast.AST], names: Collection[str]) -> bool:
    launches = any(launches_in(ast.walk(node)) for node in body)
    return launches or not _named_in_calls(body).isdisjoint(names)


@dataclass(frozen=True)
class _Path:
    """How a statement is reached: whether any path launches before, and what the paths that do not have run instead."""

    launches: bool
    without: tuple[ast.stmt, ...] | None  # `None` if every path launches


class _Walk:
    """Walks through a function's statements, and keeps what is silent."""

    def __init__(self, sources: Sources, names: Collection[str], ran: Ran) -> None:
        self._sources, self._names, self._ran = sources, names, ran
        self.found: list[ast.stmt] = []

    def through(self, body: Sequence[ast.stmt], path: _Path | None) -> _Path | None:
        """Return how the end of statements is reached; `None` if it is not."""
        for node in body:
            path = self._past(node, path) if path is not None else None
        return path

    def leave(self, path: _Path | None, node: ast.Return | None = None) -> None:
        """Keep what is silent on paths that leave the function, by a return or at its end."""
        if path is None or path.without is None or (node is not None and _launches([node], self._names)):
            return
        if node is not None and not path.launches and not self._ran.has(node) and not _gives_nothing(node):
            self.found.append(node)
        self.found += [one for one in path.without if one not in self.found]

    def _past(self, node: ast.stmt, path: _Path) -> _Path | None:
        match node:
            case ast.Return(ast.IfExp(test, first, second)):
                left, right = (ast.copy_location(ast.Return(one), one) for one in (first, second))
                return self._branch(ast.copy_location(ast.If(test, [left], [right]), node), path)
            case ast.Return():
                self.leave(path, node)
                return None
            case ast.Raise():
                return None
            case ast.If():
                return self._branch(node, path)
            case ast.With():
                return self.through(node.body, path)
            case ast.Try():
                ends = [self._side(one.body, path, node.body[0]) for one in node.handlers]
                joined = _joined([self.through([*node.body, *node.orelse], path), *ends])
                return self.through(node.finalbody, joined)
            case ast.Match():
                return _joined([path, *(self._side(one.body, path, node.subject) for one in node.cases)])
            case ast.For() | ast.While():
                self.through(node.body, path)
            case ast.FunctionDef() | ast.ClassDef():
                return path
        return _Path(True, None) if _launches([node], self._names) else path

    def _branch(self, node: ast.If, path: _Path) -> _Path | None:
        if _asks_for_none(node.test, self._sources):
            return self.through(node.orelse, path)
        first = self._side(node.body, path, node.test)
        if _asks_for_some(node.test, self._sources):
            return first
        if node.orelse:
            return _joined([first, self._side(node.orelse, path, node.test)])
        unseen = path.without is not None and self._ran.leaves_out(node)
        return _joined([first, _Path(path.launches, (*(path.without or ()), node)) if unseen else path])

    def _side(self, body: Sequence[ast.stmt], path: _Path, before: Node) -> _Path | None:
        """Return how the end of a side of a branch is reached, with its first statement if no case runs that."""
        end = self.through(body, path)
        if end is None or end.without is None or self._ran.has(body[0]) or not self._ran.has(before):
            return end
        return _Path(end.launches, (*end.without, body[0]))


def _joined(ends: Sequence[_Path | None]) -> _Path | None:
    """Return how a statement is reached that comes after several others."""
    there = [end for end in ends if end is not None]
    if not there:
        return None
    launches = any(end.launches for end in there)
    each = [end.without for end in there if end.without is not None]
    if not launches:  # no way matters more than another
        return _Path(False, ())
    return _Path(True, tuple(dict.fromkeys(one for without in each for one in without)) if each else None)


def _gives_nothing(node: ast.Return) -> bool:
    """Return whether a return gives None alone: of a backward pass that no gradient is asked of, as nobody calls it."""
    parts = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
    return all(part is None or (isinstance(part, ast.Constant) and part.value is None) for part in parts)


def _asks_for_none(test: ast.expr, sources: Sources) -> bool:
    """Return whether a condition only asks whether tensors are empty."""
    match test:
        case ast.BoolOp(values=values):
            return all(_asks_for_none(value, sources) for value in values)
        case ast.Compare(left, [ast.Eq() | ast.LtE()], [ast.Constant(0)]) | ast.Compare(
            left, [ast.Lt()], [ast.Constant(1)]
        ):
            return _is_size(left, sources)
        case ast.Compare(ast.Constant(0), [ast.In()], [sizes]):
            return _is_size(sizes, sources)
        case ast.UnaryOp(ast.Not(), operand):
            return _asks_for_some(operand, sources)
    return False


def _asks_for_some(test: ast.expr, sources: Sources) -> bool:
    """Return whether a condition only asks whether tensors have elements."""
    match test:
        case ast.BoolOp(values=values):
            return all(_asks_for_some(value, sources) for value in values)
        case ast.Compare(left, [ast.Gt() | ast.NotEq()], [ast.Constant(0)]):
            return _is_size(left, sources)
        case ast.UnaryOp(ast.Not(), operand):
            return _asks_for_none(operand, sources)
    return _is_size(test, sources)


def _is_size(node: ast.expr, sources: Sources) -> bool:
    """Return whether an expression is a size of a tensor, all of them, or a product of sizes."""
    node = resolved(node, sources)
    match node:
        case ast.BinOp(left, ast.Mult(), right):
            return _is_size(left, sources) and _is_size(right, sources)
        case ast.Call(ast.Attribute(ast.Name(), "numel" | "size")) | ast.Attribute(ast.Name(), "shape"):
            return True
        case ast.Subscript(sizes):
            return _is_size(sizes, sources)
    return False
