"""A launch as the engine has seen it, beside its kernel's text as the judge has it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tritonpuzzles.source import source_of
from tritonpuzzles.source.functions import Function
from tritonpuzzles.wire.facts import LaunchFact, Tensor

MOST_NODES = 10_000  # of a kernel's text that is looked through for each fact: others have some hundreds
_UNKNOWN = Function(next(node for node in ast.parse("def unknown(): ...").body if isinstance(node, ast.FunctionDef)))


class Launch:
    """One launch.

    Attributes:
        function: the text of its kernel; that of an empty one where it is not known.
        bound: what is passed, by parameter: whole numbers, and tensors.
        file, line: where it stands.
    """

    def __init__(self, fact: LaunchFact, function: Function) -> None:
        self.fact, self.function = fact, function
        self.kernel, self.grid, self.programs, self.tensors = fact.kernel, fact.grid, fact.programs, fact.tensors
        self.largest_tile, self.stored = fact.largest_tile, fact.stored
        self.bound: dict[str, Any] = {**fact.numbers, **{one.name: one for one in fact.tensors}}
        self.file, self.line = fact.place

    def tensor(self, name: str) -> Tensor | None:
        """Return an argument; nothing where there is none of that name."""
        return next((tensor for tensor in self.tensors if tensor.name == name), None)

    def program_ids(self, linear: int) -> tuple[int, int, int]:
        """Return the numbers (x, y, z) of a program, by its linear number from 0."""
        _, y, z = self.grid
        return linear // (y * z), linear // z % y, linear % z

    def program_text(self, linear: int) -> str:
        """Return a program's id as a learner writes it: `3`, or `(3, 0, 1)` in a grid of more dimensions."""
        ids = self.program_ids(linear)
        return str(ids[0]) if self.grid[1:] == (1, 1) else f"({', '.join(map(str, ids))})"


@dataclass(frozen=True)
class Known:
    """What the judge knows of a submission.

    Attributes:
        file: the path at which it is opened.
        call: of the host function: "softmax(x)".
        texts: of the files that its kernels stand in, by path.
    """

    file: str
    call: str
    texts: Mapping[str, str] = field(default_factory=dict)

    @property
    def without_texts(self) -> Known:
        """The same where no text can be read."""
        return replace(self, texts={})

    def launch(self, fact: LaunchFact) -> Launch:
        """Return a launch with its kernel's text."""
        functions = source_of(self.texts.get(fact.file, "").encode()).functions
        named = (one for one in functions if one.name == fact.kernel and len(one.nodes) <= MOST_NODES)
        return Launch(fact, next((one for one in named if fact.first in _first_lines(one)), _UNKNOWN))


def _first_lines(function: Function) -> range:
    """Return the lines from the first decorator of a function to its `def`."""
    node = function.node
    return range(min([node.lineno, *(one.lineno for one in node.decorator_list)]), node.lineno + 1)
