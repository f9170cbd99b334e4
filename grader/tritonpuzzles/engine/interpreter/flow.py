"""Which assignments of a kernel's text may reach a line of it, and what of them changes from turn to turn."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from tritonpuzzles.engine.interpreter.spelling import line_in, nodes_of

LONGEST = 60  # characters
Loop: TypeAlias = ast.For | ast.While


@dataclass(frozen=True)
class Step:
    """What a part of an address, or of a mask, is made of.

    Attributes:
        name: that it is kept in.
        added: what it is, or what moves it on, as the text has it.
        line: of the file.
        moves: it is added in each turn of a loop.
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
        return {node.id for node in ast.walk(self.added) if isinstance(node, ast.Name)}

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

    def __init__(self, function: Any) -> None:
        self._function = function
        self.nodes: list[ast.AST] = list(nodes_of(function))
        self._loops = [node for node in self.nodes if isinstance(node, (ast.For, ast.While))]

    @cached_property
    def steps(self) -> list[Step]:
        """What is assigned to names, or added to them, by line."""
        return sorted(self._assigned(), key=lambda step: step.line)

    def around(self, line: int) -> list[Loop]:
        """Return the loops around a line of the file, the outermost first."""
        return [loop for loop in self._loops if self.begins(loop) < line <= self.ends(loop)]

    def begins(self, loop: Loop) -> int:
        """Return the line of the file in which a loop begins."""
        return line_in(self._function, loop)

    def ends(self, loop: Loop) -> int:
        """Return the last line of a loop."""
        return self.begins(loop) - loop.lineno + (loop.end_lineno or loop.lineno)

    def reaching(self, name: str, line: int) -> list[Step]:
        """Return the assignments to a name whose value may be there at a line of the file."""
        steps = [step for step in self.steps if step.name == name]
        loops = self.around(line)
        for loop in reversed(loops):
            turn = [step for step in steps if self.begins(loop) < step.line < line]
            if any(step.is_sure for step in turn):
                return _from_the_last_sure(turn)
        if not loops:
            return _from_the_last_sure([step for step in steps if step.line < line])
        begin, end = self.begins(loops[0]), self.ends(loops[0])
        before = _from_the_last_sure([step for step in steps if step.line < begin])
        return before + [step for step in steps if begin < step.line <= end]

    def left_over(self, name: str, line: int) -> Loop | None:
        """Return a loop that has ended before a line of the file and has moved on what the name still holds there."""
        moved = [step.line for step in self.reaching(name, line) if step.moves]
        ended = (loop for loop in self._loops if self.ends(loop) < line)
        return next((loop for loop in ended if any(self.begins(loop) < at <= self.ends(loop) for at in moved)), None)

    def changing(self, line: int) -> set[str]:
        """Return the names that may be another in each turn of a loop around a line of the file."""
        found: set[str] = set()
        for loop in self.around(line):
            found |= (
                {node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)}
                if isinstance(loop, ast.For)
                else set()
            )
            steps = [step for step in self.steps if self.begins(loop) < step.line <= self.ends(loop)]
            found |= {step.name for step in steps if step.moves or step.name in step.names or _loads(step.added)}
            while more := {step.name for step in steps if step.names & found} - found:
                found |= more
        return found

    def _assigned(self) -> Iterator[Step]:
        inside = {id(node) for loop in self._loops for node in ast.walk(loop)}
        conditions = [node for node in self.nodes if isinstance(node, ast.If)]
        unsure = {id(node) for condition in conditions for node in ast.walk(condition)}
        for node in self.nodes:
            match node:
                case ast.AugAssign(target=ast.Name(id=name), op=ast.Add() | ast.Sub() as sign, value=value):
                    added = ast.UnaryOp(ast.USub(), value) if isinstance(sign, ast.Sub) else value
                    yield Step(name, added, line_in(self._function, node), id(node) in inside, is_sure=False)
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.BinOp(ast.Name(id=old), ast.Add(), added)) if (
                    old == name
                ):
                    yield Step(name, added, line_in(self._function, node), id(node) in inside, is_sure=False)
                case ast.Assign(targets=[ast.Name(id=name)], value=added):
                    sure = id(node) not in unsure
                    yield Step(name, added, line_in(self._function, node), moves=False, is_sure=sure)


def _from_the_last_sure(steps: Sequence[Step]) -> list[Step]:
    last = max((number for number, step in enumerate(steps) if step.is_sure), default=0)
    return list(steps[last:])


def _loads(value: ast.expr) -> bool:
    """Return whether something is read from memory, which may be another in each turn."""
    return any(isinstance(node, ast.Call) and ast.unparse(node.func) == "tl.load" for node in ast.walk(value))
