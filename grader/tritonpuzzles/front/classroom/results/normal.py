"""The learner's part of a file as bare statements: names numbered, comments and docstrings gone, the stub's left out.

Two files with the same statements are the same program, whatever their authors call things. A file is read as text and
parsed by `ast`, never imported.
"""

from __future__ import annotations

import ast
import copy
import io
import sys
import tokenize
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from tritonpuzzles.results.submission import MAX_SOURCE_BYTES

GLOBAL = "_file"  # in place of every name that the file binds at its top
PARAMETER = "_parameter"  # in place of the names by which a call of the file's own functions hands something over
LEAST_WORDS = 3  # of a comment: shorter ones are alike by chance
_BODIES = ("body", "orelse", "finalbody", "handlers", "cases")


@dataclass(frozen=True)
class Part:
    """What a learner has written.

    Attributes:
        statements: that the stub does not have, each without what stands inside it, in order.
        comments: that the stub does not have.
    """

    statements: tuple[str, ...]
    comments: frozenset[str]


def learners_part(data: bytes, stub: bytes) -> Part | None:
    """Return what a file has beside its stub; `None` where Python cannot parse it, or it is built too deep."""
    try:
        own, given = _text(data), _text(stub)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a backslash in some string
            there = set(_normal(ast.parse(given)))
            statements = tuple(found for found in _normal(ast.parse(own)) if found not in there)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    return Part(statements, frozenset(_comments(own) - _comments(given)))


def _text(data: bytes) -> str:
    if len(data) > MAX_SOURCE_BYTES:
        raise ValueError(f"{len(data):,} bytes")
    return data.decode("utf-8-sig").replace("\r\n", "\n")


def _normal(tree: ast.Module) -> list[str]:
    """Return the statements of a file; what is alike but for names is equal."""
    top = _bound(tree.body)
    return [found for node in tree.body for found in _Renamed(node, top).statements(node)]


def _bound(body: list[ast.stmt]) -> set[str]:
    """Return the names that a file's own statements bind at its top; imported ones mean the same in every file."""
    functions = {node.name for node in body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    return functions | {
        target.id
        for node in body
        if isinstance(node, (ast.Assign, ast.AnnAssign))
        for target in ast.walk(node)
        if isinstance(target, ast.Name) and isinstance(target.ctx, ast.Store)
    }


class _Renamed(ast.NodeTransformer):
    """Gives the names that one function binds numbers in their order; `tl`, `torch` and builtins keep theirs."""

    def __init__(self, function: ast.stmt, top: set[str]) -> None:
        self._names = dict.fromkeys(top, GLOBAL)
        for node in ast.walk(function):
            match node:
                case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                    self._names.setdefault(name, f"_{len(self._names) - len(top)}")

    def statements(self, node: ast.stmt) -> Iterator[str]:
        """Yield a statement and those inside it, as they stand; docstrings and `pass` do nothing."""
        if not isinstance(node, ast.Pass) and not _is_string(node):
            yield sys.intern(ast.dump(self.visit(copy.deepcopy(_bare(node)))))  # most are in many files
        for name in _BODIES:
            for inner in getattr(node, name, ()):
                nested = [inner] if isinstance(inner, ast.stmt) else inner.body  # else an `except` or a `case`
                yield from (found for one in nested for found in self.statements(one))

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self._names.get(node.id, node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.arg, node.annotation = self._names.get(node.arg, node.arg), None
        return node

    def visit_Call(self, node: ast.Call) -> ast.Call:
        """Leave `mask=` of a load as it is; the parameters of the file's own kernels and helpers may be renamed."""
        own = isinstance(node.func, ast.Subscript) or self._names.get(getattr(node.func, "id", "")) == GLOBAL
        for keyword in node.keywords if own else ():
            keyword.arg = PARAMETER
        self.generic_visit(node)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        node.name, node.returns = GLOBAL, None
        return node


def _is_string(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _bare(node: ast.stmt) -> ast.stmt:
    """Return a statement without those inside it."""
    found = copy.copy(node)
    for name in _BODIES:
        if isinstance(getattr(found, name, None), list):
            setattr(found, name, [])
    return found


def _comments(text: str) -> set[str]:
    """Return the comments of a file that say something; all that were read where the rest cannot be."""
    found = set()
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            words = token.string.lstrip("#").split()
            if token.type == tokenize.COMMENT and len(words) >= LEAST_WORDS:
                found.add(" ".join(words).casefold())
    except (tokenize.TokenError, SyntaxError):
        pass
    return found
