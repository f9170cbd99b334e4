"""Record the questions in a kernel's source and their answers while it is interpreted, separately for each call."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from tritonpuzzles.compiler.answers import NOWHERE, TOGETHER, Answers, Asked, Place


class _Call:
    """A call of a function: its open questions, and the current iterations of its loops."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.turns: list[int] = []
        self.asking: list[Asked] = [(name, (), NOWHERE)]


class Asking:
    """The answers to the questions in the file's functions; a rewritten kernel reports its questions and iterations."""

    def __init__(self) -> None:
        self._functions: dict[str, str] = {}
        self._given: dict[Asked, set[str]] = defaultdict(set)
        self._calls: dict[Asked, set[str]] = defaultdict(set)
        self._open: list[_Call] = []

    @property
    def answers(self) -> Answers:
        """The answers so far."""
        given, calls = ({asked: frozenset(found) for asked, found in by.items()} for by in (self._given, self._calls))
        return Answers(dict(self._functions), given, calls)

    @contextlib.contextmanager
    def within(self, function: str | None) -> Iterator[None]:
        """Run the block as a call of the function with this key; `None` if its questions are not recorded."""
        if function is None:
            yield
            return
        name = function
        if self._open:
            asked = self._open[-1].asking[-1]
            name = f"{asked[0]} {asked[1:]} {function}"
            self._calls[asked].add(name)
        self._functions[name] = function
        self._open.append(_Call(name))
        try:
            yield
        finally:
            self._open.pop()

    def ask(self, place: Place, loops: int) -> None:
        """Begin a question that is inside so many loops."""
        call = self._open[-1]
        call.asking.append((call.name, tuple(call.turns[:loops]), place))

    def answered(self, found: str | None) -> None:
        """End the question that was begun last."""
        asked = self._open[-1].asking.pop()
        if found is not None:
            self._given[asked].add(found)

    def turn(self, index: Any, loops: int) -> None:
        """Begin an iteration of a loop inside so many others; it is unrolled if its variable is a Python number."""
        turns = self._open[-1].turns
        turns[loops:] = [index if type(index) is int else TOGETHER]

    def item(self, first: bool, loops: int) -> None:
        """Begin a comprehension inside so many loops if `first`, else its next item."""
        turns = self._open[-1].turns
        turns[loops:] = [-1 if first else turns[loops] + 1]
