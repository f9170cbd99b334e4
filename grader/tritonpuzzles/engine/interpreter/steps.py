"""How a kernel's own text steps through a tensor: the strides that an address is made of, and what moves it on."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tritonpuzzles.engine.interpreter.spelling import line_in, nodes_of

LONGEST = 60  # characters


@dataclass(frozen=True)
class Step:
    """What a part of an address is made of.

    Attributes:
        name: that it is kept in.
        added: what it is, or what moves it on, as the text has it.
        line: of the file.
        moves: it is added in each turn of a loop.
    """

    name: str
    added: ast.expr
    line: int
    moves: bool

    @property
    def names(self) -> set[str]:
        """The names that it is made of."""
        return {node.id for node in ast.walk(self.added) if isinstance(node, ast.Name)}

    @property
    def text(self) -> str:
        """What is added, in the file's own words; "" where that is long."""
        text = ast.unparse(self.added)
        return text if len(text) <= LONGEST else ""


def steps_to(function: Any, line: int, access: str) -> list[Step]:
    """Return what the address of a load or store is made of: its own expression, and every name's in it, and theirs.

    Args:
        function: the kernel.
        line: of the access in its file.
        access: "load" or "store"; nothing is returned where several of them stand in the line.
    """
    nodes = list(nodes_of(function))
    calls = [node for node in nodes if isinstance(node, ast.Call) and ast.unparse(node.func) == f"tl.{access}"]
    here = [call for call in calls if call.args and line_in(function, call) == line]
    if len(here) != 1:
        return []
    assigned, found = list(_assigned(function, nodes)), [Step("", here[0].args[0], line, moves=False)]
    for step in found:  # which grows
        found += [one for one in assigned if one.name in step.names and one not in found]
    return found


def moved_at(function: Any, line: int, access: str) -> Step | None:
    """Return what moves the address of an access on in each turn of a loop, where one line alone does."""
    steps = steps_to(function, line, access)
    return _nearest(steps, [step for step in steps if step.moves])


def begun_at(function: Any, line: int, access: str) -> Step | None:
    """Return what a part of an access's address begins with before the loop around it, where one alone does not at 0.

    A loop's variable begins with the loop, what a loop moves on with what it was assigned. What goes backwards is left
    out: it may begin anywhere.
    """
    steps = steps_to(function, line, access)
    names = {name for step in steps for name in step.names}
    moved = {step.name for step in steps if step.moves} - {step.name for step in steps if _is_negative(step.added)}
    starts = [step for step in _starts_around(function, line) if step.name in names]
    starts += [step for step in steps if step.name in moved and not step.moves and not _NUMBERED & step.names]
    late = [step for step in starts if step.text and ast.unparse(step.added) not in ("0", "0.0")]
    return late[0] if len(late) == 1 else None


_NUMBERED = {"tl", "triton"}  # what comes of tl.arange or tl.program_id


def _starts_around(function: Any, line: int) -> Iterator[Step]:
    """Yield where each loop over `range` around a line begins, if that is told."""
    for loop in nodes_of(function):
        match loop:
            case ast.For(target=ast.Name(id=name), iter=ast.Call(func=func, args=[start, _, *step])):
                first = line_in(function, loop)
                around = first < line <= first - loop.lineno + (loop.end_lineno or loop.lineno)
                if around and ast.unparse(func) in ("range", "tl.range") and not any(map(_is_negative, step)):
                    yield Step(name, start, first, moves=False)


def _is_negative(part: ast.expr) -> bool:
    return isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.USub)


def from_program(function: Any, line: int) -> Step | None:
    """Return the part of a store's address that comes next to what the program's number is read into."""
    steps = steps_to(function, line, "store")
    ids = {step.name for step in steps if "program_id" in ast.unparse(step.added)} - {""}
    return _nearest(steps, [step for step in steps[1:] if step.names & ids and step.name not in ids])


def _nearest(steps: list[Step], some: list[Step]) -> Step | None:
    """Return the one of some steps that stands in the access itself, or the only one that there is."""
    own = [step for step in some if step.name in steps[0].names] or some
    return own[0] if len(own) == 1 else None


def masks_of(function: Any, line: int, access: str) -> list[ast.expr]:
    """Return the mask that an access passes, and what the names in it are assigned, and those in that."""
    nodes = list(nodes_of(function))
    calls = [node for node in nodes if isinstance(node, ast.Call) and ast.unparse(node.func) == f"tl.{access}"]
    here = [call for call in calls if line_in(function, call) == line]
    given = [keyword.value for call in here for keyword in call.keywords if keyword.arg == "mask"]
    assigned, found = list(_assigned(function, nodes)), list(given)
    for mask in found:  # which grows
        names = {node.id for node in ast.walk(mask) if isinstance(node, ast.Name)}
        found += [step.added for step in assigned if step.name in names and step.added not in found]
    return found


def assignments_of(function: Any) -> list[Step]:
    """Return what a kernel's text assigns to names, or adds to them."""
    return list(_assigned(function, list(nodes_of(function))))


def ranges_around(function: Any, line: int) -> list[tuple[int, str, str]]:
    """Return the loops over `range` around a line of the file: where each stands, its variable, what name ends it."""
    found = []
    for node in nodes_of(function):
        match node:
            case ast.For(target=ast.Name(id=variable), iter=ast.Call(func=func, args=args)) if args:
                end = args[min(len(args), 2) - 1]
                last = line_in(function, node) - node.lineno + (node.end_lineno or node.lineno)
                around = line_in(function, node) < line <= last
                if around and isinstance(end, ast.Name) and ast.unparse(func) in ("range", "tl.range"):
                    found.append((line_in(function, node), variable, end.id))
    return found


def unused_strides(function: Any) -> list[str]:
    """Return the parameters that are strides by their names, and that a kernel's body never reads."""
    strides = [name for name in function.arg_names if "stride" in name]
    read = {node.id for node in nodes_of(function) if isinstance(node, ast.Name)} if strides else set()
    return [name for name in strides if read and name not in read]


def is_stride_of(name: str, pointer: str) -> bool:
    """Return whether a parameter is a stride of a tensor, by their names: `x_row_stride` or `stride_xm` of `x_ptr`."""
    stem = re.escape(pointer.removesuffix("_ptr"))
    return re.fullmatch(rf"{stem}_(\w+_)?stride\w*|stride_{stem}(\w|_\w+)?", name) is not None


def _assigned(function: Any, nodes: list[ast.AST]) -> Iterator[Step]:
    """Yield what is assigned to names, or added to them."""
    inside = {id(node) for loop in nodes if isinstance(loop, (ast.For, ast.While)) for node in ast.walk(loop)}
    for node in nodes:
        match node:
            case ast.AugAssign(target=ast.Name(id=name), op=ast.Add() | ast.Sub() as sign, value=value):
                added = ast.UnaryOp(ast.USub(), value) if isinstance(sign, ast.Sub) else value
                yield Step(name, added, line_in(function, node), id(node) in inside)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.BinOp(ast.Name(id=old), ast.Add(), added)) if (
                old == name
            ):
                yield Step(name, added, line_in(function, node), id(node) in inside)
            case ast.Assign(targets=[ast.Name(id=name)], value=added):
                yield Step(name, added, line_in(function, node), moves=False)
