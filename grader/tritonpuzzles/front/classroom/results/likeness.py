"""Notes on files that are like the shipped solution, or like another student's: something to look at, never a verdict.

Equality after renaming is evidence for a long kernel and none for a short one: most right vector adds are one program.
So short files, and files with small edits, count only if they also share a learner's own comments, word for word. Of
the 77,661 pairs of files for one puzzle in this repository's corpora, right and wrong, 2 are equal and long enough.

Compared are the statements of the learner's part: names numbered, comments and docstrings removed, and the stub's
statements left out. Two files with the same statements are the same program, whatever their names. A file is read as
text and parsed by `ast`, never imported.
"""

from __future__ import annotations

import ast
import copy
import io
import sys
import tokenize
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import combinations

from tritonpuzzles.front.classroom.model import Outcome
from tritonpuzzles.front.classroom.results.book import Place
from tritonpuzzles.front.text import one_line, percent
from tritonpuzzles.results.check import Verdict
from tritonpuzzles.results.submission import MAX_SOURCE_BYTES
from tritonpuzzles.results.words import listed, plural

LIKE_SOLUTION, LIKE_ANOTHER = "like-the-solution", "like-another"
LONG = 12  # statements from which equality is evidence: more than a softmax of one tile has
NEAR, COMMENTS = 0.9, 2  # share of equal statements, and number of equal comments, that are evidence for other files
MOST_COMMENTS, MOST_STATEMENTS = 200, 1000  # of a file, so that none takes long to compare
MOST_NAMED = 4
GLOBAL = "_file"  # replaces every name that the file binds at its top level
PARAMETER = "_parameter"  # replaces the names of keyword arguments in calls of the file's own functions
LEAST_WORDS = 3  # of a comment: shorter ones are alike by chance
_BODIES = ("body", "orelse", "finalbody", "handlers", "cases")


@dataclass(frozen=True)
class Given:
    """The files of a puzzle that students were given: the stub, and the shipped solution if there is one."""

    stub: bytes
    solution: bytes | None = None


def with_likenesses(
    outcomes: Sequence[Outcome], texts: Mapping[Place, bytes], given: Mapping[int, Given]
) -> list[Outcome]:
    """Return outcomes with flags for likenesses, which replace earlier flags of that kind.

    Only passing files are compared, by their texts; an outcome whose text is missing keeps its flags. `given` is keyed
    by the puzzle's number.
    """
    noted: dict[Place, tuple[str, str]] = {}
    for number, known in given.items():
        passed = [one for one in outcomes if one.puzzle == number and one.verdict == Verdict.PASS.value]
        noted |= _noted(number, known, {one.student: one for one in passed}, texts)
    return [
        _flagged(one, noted.get((one.student, one.puzzle))) if (one.student, one.puzzle) in texts else one
        for one in outcomes
    ]


def _flagged(outcome: Outcome, note: tuple[str, str] | None) -> Outcome:
    others = tuple(flag for flag in outcome.flags if flag[0] not in (LIKE_SOLUTION, LIKE_ANOTHER))
    added = (note,) if note is not None and outcome.verdict == Verdict.PASS.value else ()
    return replace(outcome, flags=others + added)


def _noted(
    number: int, given: Given, passed: Mapping[str, Outcome], texts: Mapping[Place, bytes]
) -> dict[Place, tuple[str, str]]:
    """Return the flags of one puzzle's files. What is like the solution is not compared with other students' too."""
    parts = {student: learners_part(texts.get((student, number)), given.stub) for student in passed}
    known = {student: part for student, part in parts.items() if part is not None and part.statements}
    solution = learners_part(given.solution, given.stub)
    found: dict[Place, tuple[str, str]] = {}
    for student, part in known.items():
        if solution is not None and is_like(part, solution):
            found[student, number] = LIKE_SOLUTION, f"Like the shipped solution: {how_much(part, solution)}."
    rest = {student: part for student, part in known.items() if (student, number) not in found}
    for student, others in like_each_other(rest).items():
        apart = [other for other in others if passed[other].file != passed[student].file]  # a group hands in one file
        if apart:
            alike = how_much(rest[student], rest[apart[0]])
            found[student, number] = LIKE_ANOTHER, f"Like the file of {_names(apart)}: {alike}."
    return found


def like_each_other(parts: Mapping[str, Part]) -> dict[str, list[str]]:
    """Return for each student those whose parts are like theirs; only pairs that may be are compared."""
    found: dict[str, list[str]] = defaultdict(list)
    for one, other in sorted(_candidates(parts)):
        if is_like(parts[one], parts[other]):
            found[one].append(other)
            found[other].append(one)
    return found


def _candidates(parts: Mapping[str, Part]) -> set[tuple[str, str]]:
    """Return the pairs with equal statements, and those with enough equal comments."""
    equal: dict[tuple[str, ...], list[str]] = defaultdict(list)
    saying: dict[str, list[str]] = defaultdict(list)
    for student, part in sorted(parts.items()):
        equal[part.statements].append(student)
        for comment in sorted(part.comments)[:MOST_COMMENTS]:
            saying[comment].append(student)
    shared = Counter(pair for students in saying.values() for pair in combinations(students, 2))
    same = (pair for students in equal.values() for pair in combinations(students, 2))
    return {*same, *(pair for pair, count in shared.items() if count >= COMMENTS)}


def is_like(one: Part, other: Part) -> bool:
    """Return whether two parts are more alike than chance makes them."""
    if one.statements == other.statements and len(one.statements) >= LONG:
        return True
    return len(one.comments & other.comments) >= COMMENTS and _share(one, other) >= NEAR


def _share(one: Part, other: Part) -> float:
    if max(len(one.statements), len(other.statements)) > MOST_STATEMENTS:
        return float(one.statements == other.statements)
    return SequenceMatcher(None, one.statements, other.statements, autojunk=False).ratio()


def how_much(one: Part, other: Part) -> str:
    """Return how much two parts have in common, in words."""
    count = plural(len(one.statements), "statement")
    equal = one.statements == other.statements
    words = f"all {count}" if equal else f"{percent(_share(one, other))} of {count}"
    shared = len(one.comments & other.comments)
    comments = f", and {plural(shared, 'comment')} word for word" if shared else ""
    return f"{words} that the stub does not have are equal after renaming{comments}"


def _names(students: Iterable[str]) -> str:
    names = [one_line(student) for student in students]
    more = [f"{len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
    return listed(names[:MOST_NAMED] + more)


@dataclass(frozen=True)
class Part:
    """What a learner has written."""

    statements: tuple[str, ...]  # those that the stub does not have, in order, each without its nested statements
    comments: frozenset[str]  # those that the stub does not have


def learners_part(data: bytes | None, stub: bytes) -> Part | None:
    """Return what a file has beyond its stub; `None` without a file, or if it cannot be parsed."""
    if data is None:
        return None
    try:
        own, given = _text(data), _text(stub)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about invalid escapes in strings
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
    """Return the statements of a file; statements that differ only in names are equal."""
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
    """Numbers the names that one function binds, in their order; `tl`, `torch` and builtins keep their names."""

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
        """Keep keywords such as `mask=` of a load; replace those of the file's own kernels and helpers."""
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
    """Return the comments of a file that have enough words; if tokenizing fails, those before the error."""
    found = set()
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            words = token.string.lstrip("#").split()
            if token.type == tokenize.COMMENT and len(words) >= LEAST_WORDS:
                found.add(" ".join(words).casefold())
    except (tokenize.TokenError, SyntaxError):
        pass
    return found
