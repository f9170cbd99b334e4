"""Which assignments of a kernel's text may reach a line of it, and what of them changes with the iteration."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from tritonpuzzles.source.functions import Function, assignments_in, language_calls, lines_of, names_in

LONGEST = 60  # characters
Loop: TypeAlias = ast.For | ast.While


@dataclass(frozen=True)
class Step:
    """What a part of an address, or of a mask, is made of.

    Attributes:
        name: that it is kept in.
        added: what it is, or what moves it on, as the text has it.
        line: of the file.
        moves: it is added in each iteration of a loop.
        is_sure: it is no addition, and stands under no condition: what was there before is gone.
    """

    name: str
    added: ast.expr
    line: int
    moves: bool
    is_sure: bool = True

    @property
    def names(self) -> set[str]:
        """The names that it is made of."""
        return names_in(self.added)

    @property
    def text(self) -> str:
        """What is added, in the file's own words; "" where that is long."""
        text = ast.unparse(self.added)
        return text if len(text) <= LONGEST else ""


class Flow:
    """The assignments of one kernel's text.

    Args:
        function: the kernel.
    """

    def __init__(self, function: Function) -> None:
        self.nodes = function.nodes
        self._loops = [node for node in self.nodes if isinstance(node, (ast.For, ast.While))]

    @cached_property
    def steps(self) -> list[Step]:
        """What is assigned to names, or added to them, by line."""
        return sorted(self._assigned(), key=lambda step: step.line)

    def around(self, line: int) -> list[Loop]:
        """Return the loops around a line of the file, the outermost first."""
        return [loop for loop in self._loops if line in lines_of(loop)[1:]]

    def reaching(self, name: str, line: int) -> list[Step]:
        """Return the assignments to a name whose value may be there at a line of the file."""
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
        """Return a loop that has ended before a line of the file and has moved on what the name still holds there."""
        moved = [step.line for step in self.reaching(name, line) if step.moves]
        ended = (loop for loop in self._loops if lines_of(loop).stop <= line)
        return next((loop for loop in ended if any(at in lines_of(loop)[1:] for at in moved)), None)

    def changing(self, line: int) -> set[str]:
        """Return the names that may be another in each iteration of a loop around a line of the file."""
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
        conditions = [node for node in self.nodes if isinstance(node, ast.If)]
        for made in (made for made in assignments_in(self.nodes) if made.name):
            moves = bool(self.around(made.line))
            match made.operator, made.value:
                case ast.Add(), added:
                    yield Step(made.name, added, made.line, moves, is_sure=False)
                case ast.Sub(), taken:
                    yield Step(made.name, ast.UnaryOp(ast.USub(), taken), made.line, moves, is_sure=False)
                case None, ast.BinOp(ast.Name(id=old), ast.Add(), added) if old == made.name:
                    yield Step(made.name, added, made.line, moves, is_sure=False)
                case None, added:
                    sure = not any(made.line in lines_of(node) for node in conditions)
                    yield Step(made.name, added, made.line, moves=False, is_sure=sure)


def _from_the_last_sure(steps: Sequence[Step]) -> list[Step]:
    last = max((number for number, step in enumerate(steps) if step.is_sure), default=0)
    return list(steps[last:])
