"""Record how Triton's compiler answers each question in a kernel's source, and which functions it enters."""

from __future__ import annotations

import ast
import contextlib
from collections import defaultdict
from collections.abc import Iterator
from typing import Any
from unittest import mock

import triton.language as tl

from tritonpuzzles.compiler.answers import (
    NOWHERE,
    TOGETHER,
    Answers,
    Asked,
    Place,
    answer,
    decided_by,
    function_key,
    is_question,
    place_of,
)
from tritonpuzzles.insides import CodeGenerator, code_generator


class _Loop:
    """A loop or a comprehension: the node that begins an iteration, and the current iteration."""

    def __init__(self, node: ast.For | ast.ListComp) -> None:
        self.target = node.target.id if isinstance(node, ast.For) and isinstance(node.target, ast.Name) else None
        self.first: ast.AST = node.body[0] if isinstance(node, ast.For) else [*node.generators[0].ifs, node.elt][0]
        self.turn: int | None = None

    def begin(self, names: dict[str, Any]) -> None:
        """Begin the next iteration."""
        if self.target is None:
            self.turn = 0 if self.turn is None else self.turn + 1
        else:
            value = names.get(self.target)
            self.turn = value.value if isinstance(value, tl.constexpr) else TOGETHER


class _Hearing:
    """The compiler's position in one call: the open questions and loops around it."""

    def __init__(self, generator: Any) -> None:
        self.call = str(generator.function_name)
        self.asking, self.loops, self.decide = [NOWHERE], list[_Loop](), set[ast.AST]()

    def asked(self, place: Place | None = None) -> Asked:
        """Return the question at a place, or without one the innermost that is not answered yet."""
        turns = tuple(loop.turn for loop in self.loops if loop.turn is not None)
        return self.call, turns, self.asking[-1] if place is None else place


@contextlib.contextmanager
def listening() -> Iterator[list[Answers]]:
    """Record what Triton's compiler answers inside a `with` block; the list is filled if the block succeeds.

    The compiler visits the body of a loop that is not unrolled twice: the answers of the second visit count.
    """
    functions: dict[str, str] = {}
    given: dict[Asked, frozenset[str]] = {}
    calls: dict[Asked, set[str]] = defaultdict(set)
    hearings: dict[Any, _Hearing] = {}
    calling: list[Asked] = []
    visit, enter, mangle = CodeGenerator.visit, CodeGenerator.call_JitFunction, code_generator.mangle_fn
    heard = list[Answers]()

    def listened(generator: Any, node: Any) -> Any:
        hearing = hearings[generator] = hearings.get(generator) or _Hearing(generator)
        if hearing.loops and node is hearing.loops[-1].first:
            hearing.loops[-1].begin(generator.lscope)
        if isinstance(node, ast.FunctionDef):
            functions[hearing.call] = function_key(generator.jit_fn)
        hearing.decide.update(decided_by(node))
        place = place_of(node, 1) if is_question(node) or node in hearing.decide else None
        if isinstance(node, (ast.For, ast.ListComp)):
            hearing.loops.append(_Loop(node))
        if place is not None:
            hearing.asking.append(place)
        result = visit(generator, node)
        if isinstance(node, (ast.For, ast.ListComp)):
            hearing.loops.pop()
        if place is not None:
            hearing.asking.pop()
            found = answer(result)
            given[hearing.asked(place)] = frozenset() if found is None else frozenset({found})
        return result

    def entered(generator: Any, *arguments: Any, **named: Any) -> Any:
        calling.append(hearings[generator].asked())
        return enter(generator, *arguments, **named)

    def mangled(*arguments: Any) -> Any:
        name = mangle(*arguments)
        if calling:
            calls[calling.pop()].add(str(name))
        return name

    with (
        mock.patch.multiple(CodeGenerator, visit=listened, call_JitFunction=entered),
        mock.patch.object(code_generator, "mangle_fn", mangled),
    ):
        yield heard
    heard.append(Answers(functions, given, {asked: frozenset(found) for asked, found in calls.items()}))
