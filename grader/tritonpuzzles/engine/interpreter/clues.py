"""What of a launch, or of the kernel's text, explains that its kernel leaves a matrix."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tritonpuzzles.engine.interpreter.flow import Flow
from tritonpuzzles.engine.interpreter.ledger import Event
from tritonpuzzles.engine.interpreter.spelling import mask_at
from tritonpuzzles.engine.interpreter.steps import (
    RANGES,
    is_stride_of,
    made_in,
    mask_steps,
    moved_at,
    ranges_around,
    steps_to,
    unused_strides,
)
from tritonpuzzles.engine.interpreter.unbounded import is_fixed_mask, unbounded
from tritonpuzzles.results.words import listed, plural

if TYPE_CHECKING:
    from tritonpuzzles.engine.interpreter.launch import Launch
    from tritonpuzzles.engine.interpreter.regions import Region

MANY = 8  # rows: with fewer, a program has their number by chance


@dataclass(frozen=True)
class Clue:
    """What explains it, and what to do.

    Attributes:
        at_line: where it stands, if that is another line than the access.
        is_certain: a stride is wrong, whatever else is; a mask may be right, and the matrix another one.
    """

    said: str
    advice: str
    at_line: int | None = None
    is_certain: bool = True


def clue_of(launch: Launch, event: Event, region: Region, line: int, access: str) -> Clue | None:
    """Say what explains that a load or store leaves a matrix: programs behind its rows, a stride, a size."""
    tensor, programs = region.tensor, launch.grid[0]
    if tensor.dim() != 2 or event.element is None:
        return None
    rows, stride = tensor.shape[0], tensor.stride(0)
    first = launch.grid[1:] == (1, 1) and event.program == rows < programs and rows >= MANY
    if first and stride and event.element // stride == rows:
        text = f"Program {rows:,} is the first without a row: {programs:,} are launched for {plural(rows, 'row')}."
        return Clue(text, "Launch one program per row, or leave those out that have none.")
    return (
        (_passed(launch, region) if rows > 1 else None)
        or _written(launch, region, line, access)
        or _without_stride(launch, region, line, access)
        or _left_over(launch, line, access)
        or _lets_through(launch, region, line, access)
        or _too_short(launch, line, access)
        or _turned_too_far(launch, region, line, access)
        or _unused_size(launch, region)
        or _sized(launch, region, line, access)
        or _unmasked(launch, region, line, access)
    )


def _passed(launch: Launch, region: Region) -> Clue | None:
    """Return what the launch passes wrong, or does not pass."""
    stem, stride = region.name.removesuffix("_ptr"), region.tensor.stride(0)
    wrong = [
        (name, value)
        for name, value in launch.bound.items()
        if type(value) is int and name.startswith(stem) and "stride" in name and value not in region.tensor.stride()
    ]
    if stem and len(wrong) == 1:
        name, value = wrong[0]
        text = f"{name} is {value:,} in the launch, and the rows of {region.name} are {stride:,} elements apart."
        return Clue(text, f"Pass the stride of {region.name} as {name}.", launch.place[1])
    numbers = {value for value in launch.bound.values() if type(value) is int}
    if numbers and stride not in numbers:
        text = f"No argument of the launch is the row stride of {region.name}, {stride:,}."
        step = f"Pass that stride to the kernel, and step from row to row of {region.name} by it."
        return Clue(text, step, launch.place[1])
    return None


def _written(launch: Launch, region: Region, line: int, access: str) -> Clue | None:
    """Return what the kernel's text takes for a stride of a tensor: that of another, or none that it gets."""
    pointer, function = region.name, launch.function
    own = [name for name in launch.bound if is_stride_of(name, pointer)]
    unused = [name for name in unused_strides(function) if name in own]
    others = [one.name for one in launch.memory.regions if one.name != pointer]
    steps = steps_to(function, line, access)
    foreign = [
        (step, name, other)
        for step in steps
        for name in sorted(step.names)
        for other in others
        if own and is_stride_of(name, other) and not step.names & set(own)
    ]
    if unused:
        text = f"The kernel never uses {listed(unused)}."
        at = foreign[0][0].line if foreign else None
        return Clue(text, f"Step from row to row of {pointer} by {unused[0]}.", at)
    if foreign:
        step, name, whose = foreign[0]
        text = f"Line {step.line} steps through {pointer} by {name}, a stride of {whose}."
        return Clue(text, f"Step through {pointer} by {listed(own)}.", step.line)
    return None


def _without_stride(launch: Launch, region: Region, line: int, access: str) -> Clue | None:
    """Return what moves a pointer on by rows as wide as the tensor's, which lie further apart."""
    (rows, cols), apart = region.tensor.shape, region.tensor.stride(0)
    own = [name for name in launch.bound if is_stride_of(name, region.name) and launch.bound[name] == apart]
    moved = moved_at(launch.function, line, access)
    if rows < 2 or apart == cols or len(own) != 1 or moved is None or moved.names & set(own):
        return None
    by = _product(moved.added, launch.bound)
    if by is None or cols < 2 or by % cols or not by:
        return None
    text = f"Line {moved.line} moves {moved.name} on by {moved.text}, and rows of {region.name} are {own[0]} apart."
    return Clue(text, f"Move {moved.name} on by a number of rows, times {own[0]}.", moved.line)


def _product(part: ast.expr, bound: Mapping[str, Any]) -> int | None:
    """Return what a product of names and numbers is in a launch."""
    if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mult):
        left, right = _product(part.left, bound), _product(part.right, bound)
        return None if left is None or right is None else left * right
    return _number(part, bound)


def _left_over(launch: Launch, line: int, access: str) -> Clue | None:
    """Return a pointer, or an offset, that an earlier loop has moved on and that was not set back since."""
    function = launch.function
    flow = Flow(function)
    around = flow.around(line)
    for name in sorted({name for step in steps_to(function, line, access) for name in step.names}):
        earlier = flow.left_over(name, line)
        if earlier is not None and around:
            here = flow.begins(around[0])
            text = f"The loop of line {flow.begins(earlier)} has moved {name} on, and nothing sets it back."
            return Clue(text, f"Set {name} anew in front of the loop of line {here}.", here, is_certain=False)
    return None


def _lets_through(launch: Launch, region: Region, line: int, access: str) -> Clue | None:
    """Return what of a mask is true too often: one of two conditions joined by |, or a comparison with a size by <=."""
    sizes = {*region.tensor.shape, region.tensor.numel()}
    for step in mask_steps(launch.function, line, access):
        for node in ast.walk(step.added):
            match node:
                case ast.BinOp(left, ast.BitOr(), right) if all(map(_is_condition, (left, right))):
                    text = f"Line {step.line} joins conditions by |: a lane is let through where one of them holds."
                    return Clue(text, "Join them by &: both must hold.", step.line)
                case ast.Compare(_, [ast.LtE()], [ast.Name(id=name)]) if launch.bound.get(name) in sizes:
                    text = f"{ast.unparse(node)} in line {step.line} is true at {name} itself, one past the last."
                    return Clue(text, "Compare by <: counting begins at 0.", step.line)
    return None


def _too_short(launch: Launch, line: int, access: str) -> Clue | None:
    """Return what moves an address on by another number than the loop around it is in steps of."""
    flow, moved = Flow(launch.function), moved_at(launch.function, line, access)
    step = next(filter(None, map(_step_of, reversed(flow.around(line)))), None)
    if moved is None or step is None:
        return None
    by, turn = _number(moved.added, launch.bound), _number(step, launch.bound)
    if by is None or turn is None or by == turn:
        return None
    on = f"Line {moved.line} moves {moved.name} on by {moved.text}, {by:,}"
    text = f"{on}, and a turn is {ast.unparse(step)}, {turn:,}."
    return Clue(text, f"Move {moved.name} on by one turn's step.", moved.line)


def _step_of(loop: ast.For | ast.While) -> ast.expr | None:
    """Return the step of a loop over a range, where it is told."""
    match loop:
        case ast.For(iter=ast.Call(func=func, args=[_, _, step])) if ast.unparse(func) in RANGES:
            return step
    return None


def _number(part: ast.expr, bound: Mapping[str, Any]) -> int | None:
    """Return what a name or a number is in a launch, times what strides it is multiplied by."""
    if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mult):
        sides = [side for side in (part.left, part.right) if "stride" not in ast.unparse(side)]
        return _number(sides[0], bound) if len(sides) == 1 else None
    value = bound.get(part.id) if isinstance(part, ast.Name) else getattr(part, "value", None)
    return value if type(value) is int else None


def _is_condition(side: ast.expr) -> bool:
    """Return whether a side of | may be true or false: a comparison, what has a name, or such joined."""
    return not any(isinstance(node, ast.Constant) and type(node.value) is int for node in ast.walk(side))


def _turned_too_far(launch: Launch, region: Region, line: int, access: str) -> Clue | None:
    """Return the loop over rows that ends at a number of columns."""
    (rows, cols), stride = region.tensor.shape, region.tensor.stride(0)
    numbers = {name: value for name, value in launch.bound.items() if type(value) is int}
    named = [name for name, value in numbers.items() if value == rows]
    if rows == cols or len(named) != 1:
        return None
    products = [
        {node.id for node in ast.walk(product) if isinstance(node, ast.Name)}
        for step in steps_to(launch.function, line, access)
        for product in ast.walk(step.added)
        if isinstance(product, ast.BinOp) and isinstance(product.op, ast.Mult)
    ]
    for at, variable, end in ranges_around(launch.function, line):
        steps = any(variable in names and any(numbers.get(name) == stride for name in names) for names in products)
        if steps and numbers.get(end) == cols:
            text = f"The loop over {variable} ends at {end}, {cols:,}, and {region.name} has {plural(rows, 'row')}."
            return Clue(text, f"Let it end at {named[0]}.", at)
    return None


def _unused_size(launch: Launch, region: Region) -> Clue | None:
    """Return the size of a tensor that the kernel gets and never reads."""
    function = launch.function
    read = {node.id for node in Flow(function).nodes if isinstance(node, ast.Name)}
    constants = {parameter.name for parameter in function.params if parameter.is_constexpr}
    unused = [
        name
        for name, value in launch.bound.items()
        if type(value) is int and value in region.tensor.shape and "stride" not in name and name not in read | constants
    ]
    if not read or len(unused) != 1:
        return None
    text = f"The kernel never uses {unused[0]}."
    return Clue(text, f"Which mask should compare with {unused[0]}?", is_certain=False)


def _sized(launch: Launch, region: Region, line: int, access: str) -> Clue | None:
    """Return the number that a mask compares with, or that offsets wrap around at, and that is no size of a tensor."""
    shape, function = tuple(region.tensor.shape), launch.function
    numbers = {name: value for name, value in launch.bound.items() if type(value) is int and "stride" not in name}
    sizes = {name for name, value in numbers.items() if value in shape}
    others = {name for name, value in numbers.items() if value > 1 and value != region.tensor.numel()} - sizes
    others -= {parameter.name for parameter in function.params if parameter.is_constexpr}
    steps = steps_to(function, line, access)
    wrapped = [(step.line, name) for step in steps for name in _bounds(step.added, ast.Mod) if name in others]
    compared = [
        (line, name)
        for step in mask_steps(function, line, access)
        for name in _bounds(step.added, ast.Compare)
        if name in others
    ]
    if not sizes or len({name for _, name in (*wrapped, *compared)}) != 1:
        return None
    at, name = (wrapped or compared)[0]
    verb = f"Line {at} wraps offsets around at" if wrapped else "The mask compares with"
    text = f"{verb} {name}, {numbers[name]:,}, and {region.name} is {shape[0]:,} x {shape[1]:,}."
    return Clue(text, f"Take the size of {region.name} along that axis.", at, is_certain=False)


def _unmasked(launch: Launch, region: Region, line: int, access: str) -> Clue | None:
    """Return what the mask says nothing of: a range of the address, or that the address moves on in each turn."""
    function, shape = launch.function, tuple(region.tensor.shape)
    name, moved = unbounded(function, line, access, launch.bound, shape), moved_at(function, line, access)
    if name:
        size = "what is left of" if moved else "the size of"
        advice = (
            f"Bound {name} in the mask too, by {size} {region.name} along its axis{' in each turn' if moved else ''}."
        )
        return Clue(f"The mask says nothing of {name}.", advice, is_certain=False)
    if moved is None or not is_fixed_mask(function, line, access):
        return None
    by = f" by {moved.text}" if moved.text else ""
    text = f"The mask is the same in every turn, and line {moved.line} moves {moved.name} on{by}."
    advice = "If that is one turn's step, let the mask compare with what is left in a turn."
    return Clue(text, advice, made_in(function, line, mask_at(function, line)), is_certain=False)


def _bounds(part: ast.expr, kind: type[ast.Mod] | type[ast.Compare]) -> list[str]:
    """Return the names on the right of comparisons or remainders."""
    nodes = list(ast.walk(part))
    if kind is ast.Mod:
        found: list[ast.expr] = [
            node.right for node in nodes if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod)
        ]
    else:
        found = [node.comparators[0] for node in nodes if isinstance(node, ast.Compare)]
    return [node.id for node in found if isinstance(node, ast.Name)]
