"""What explains a bad access: elements are stored twice, or a loop moves an address out of its matrix."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tritonpuzzles.judge.wording.launches import Launch
from tritonpuzzles.results.words import listed
from tritonpuzzles.source.functions import Function, Loop, Step, factors, given_to, language_calls, lines_of, names_in
from tritonpuzzles.source.spelling import asked_axes, mask_at
from tritonpuzzles.source.steps import RANGES, Address, is_stride_of, made_in, products, ranges_of
from tritonpuzzles.wire.facts import Tensor

AXES = 3
SMALLEST = 8  # smaller numbers in the text are not tile sizes


@dataclass(frozen=True)
class Clue:
    """An explanation, and what to do."""

    said: str
    advice: str
    at_line: int | None = None  # its line, if that differs from the access's
    # true for a wrong stride; false where, for example, the mask may be right and the matrix another one
    is_certain: bool = True
    of_grid: bool = False  # whether the number of programs is wrong
    parameter: str = ""  # the one that gets a wrong value in the launch


def begun_apart(launch: Launch, address: Address) -> Clue | None:
    """Return the clue that programs start at multiples of one number but take another number of rows each."""
    if (apart := address.apart(launch.bound)) is None:
        return None
    line, begins, takes = apart
    text = f"Line {line} starts at a multiple of {begins}, and covers {takes} from there."
    step = f"Begin at {takes} times the program's number: each program starts where another ends."
    return Clue(text, step, line, is_certain=False)


def overlaps(tensor: Tensor) -> Clue | None:
    """Return the clue that elements of the stored tensor share memory, as in an expanded tensor."""
    shape, strides = tensor.shape, tuple(tensor.strides)
    if not any(size > 1 and stride == 0 for size, stride in zip(shape, strides, strict=True)):
        return None
    text = f"{tensor.name} is a {shape} view with strides {strides}: where a stride is 0, elements share one address."
    return Clue(text, "Allocate it with torch.empty(shape): each element needs its own address.")


def idle_axis(launch: Launch) -> Clue | None:
    """Return the clue that the grid has several programs along an axis of which no program reads its id."""
    asked = asked_axes(launch.function)
    idle = [axis for axis in range(AXES) if launch.grid[axis] > 1 and asked and axis not in asked]
    if not idle:
        return None
    axis, count = idle[0], launch.grid[idle[0]]
    text = f"The grid has {count:,} programs along axis {axis}, and none reads tl.program_id({axis})."
    step = f"Launch a grid without that axis, or let tl.program_id({axis}) decide what a program does."
    return Clue(text, step, launch.line, of_grid=True)


def counts_one(launch: Launch) -> Clue | None:
    """Return the clue that a kernel asks how many programs there are along an axis that has one."""
    for call in language_calls(launch.function.nodes, "num_programs"):
        given, most = given_to(call), max(launch.grid)
        axis = given[0].value if given and isinstance(given[0], ast.Constant) else None if given else 0
        if isinstance(axis, int) and axis in range(AXES) and launch.grid[axis] == 1 < most:
            on = launch.grid.index(most)
            text = f"tl.num_programs({axis}) is 1: the {most:,} programs are along axis {on}."
            return Clue(text, f"Ask how many there are along axis {on}: tl.num_programs({on}).", call.lineno)
    return None


def moved_wrongly(launch: Launch, tensor: Tensor, address: Address) -> Clue | None:
    """Return the clue that the address of an access does not move by exactly one tile in each iteration."""
    moved = address.moved
    if moved is None:
        return _left_over(address)
    return (
        _without_stride(launch, tensor, moved)
        or _left_over(address)
        or _fixed(launch, moved, address.line)
        or _too_short(launch, tensor, moved, address.line)
    )


def _without_stride(launch: Launch, tensor: Tensor, moved: Step) -> Clue | None:
    """Return the clue that a pointer moves by rows of the tensor's width, although its rows are further apart."""
    (rows, cols), apart = tensor.shape, tensor.strides[0]
    own = [name for name in launch.bound if is_stride_of(name, tensor.name) and launch.bound[name] == apart]
    if rows < 2 or apart == cols or len(own) != 1 or moved.names & set(own):
        return None
    by = product(factors(moved.added), launch.bound)
    if by is None or cols < 2 or by % cols or not by:
        return None
    text = f"Line {moved.line} moves {moved.name} by {moved.text}, and rows of {tensor.name} are {own[0]} apart."
    return Clue(text, f"Move {moved.name} by a number of rows, times {own[0]}.", moved.line)


def _left_over(address: Address) -> Clue | None:
    """Return the clue that an earlier loop has moved a pointer or an offset, which was not set back correctly."""
    function, line = address.function, address.line
    around = function.around(line)
    for name in sorted({name for step in address.steps for name in step.names}):
        earlier = function.left_over(name, line)
        if earlier is not None and around:
            here, ended = around[0].lineno, earlier.end_lineno or earlier.lineno
            back = next((step for step in function.reaching(name, line) if ended < step.line < here), None)
            text = f"The loop of line {earlier.lineno} has moved {name}, and"
            if back is not None:
                advice = f"Check that this is what the loop adds, or set {name} again before the loop of line {here}."
                return Clue(f"{text} line {back.line} sets it back.", advice, back.line, is_certain=False)
            advice = f"Set {name} again before the loop of line {here}."
            return Clue(f"{text} nothing sets it back.", advice, here, is_certain=False)
    return None


def loop_left_over(function: Function, line: int) -> Clue | None:
    """Return the clue that the loop around a line continues from the end of an earlier one."""
    for loop in function.around(line):
        for name in sorted(names_in(loop.test)) if isinstance(loop, ast.While) else ():
            earlier = function.left_over(name, loop.lineno)
            if earlier is not None:
                text = f"The loop of line {earlier.lineno} has moved {name}, and nothing sets it back."
                return Clue(text, f"Set {name} again before the loop of line {loop.lineno}.", loop.lineno)
    return None


def _fixed(launch: Launch, moved: Step, line: int) -> Clue | None:
    """Return the clue that an address moves by a literal number, while the loop counts by a size with another value."""
    given = [part.value for part in factors(moved.added) if isinstance(part, ast.Constant)]
    numbers = [number for number in given if isinstance(number, int)]
    around = launch.function.around(line)
    counted = names_in(*(loop.iter if isinstance(loop, ast.For) else loop.test for loop in around))
    sizes = [(name, launch.numbers[name]) for name in launch.function.constants if name in counted & {*launch.numbers}]
    if len(numbers) != 1 or len(sizes) != 1 or numbers[0] < SMALLEST or sizes[0][1] == numbers[0]:
        return None
    ((name, size),) = sizes
    text = f"Line {moved.line} moves {moved.name} by {moved.text} in each iteration, and {name} is {size:,} here."
    return Clue(text, f"Write {name} in place of {numbers[0]} there.", moved.line)


def _too_short(launch: Launch, tensor: Tensor, moved: Step, line: int) -> Clue | None:
    """Return the clue that an address moves by another number than the step of the loop around it."""
    step = next(filter(None, map(_step_of, reversed(launch.function.around(line)))), None)
    if step is None:
        return None
    rows = [factor for factor in factors(moved.added) if not is_stride(factor, launch.bound, tensor)]
    by, turn = product(rows, launch.bound), product(factors(step), launch.bound)
    if by is None or turn is None or by == turn:
        return None
    on = f"Line {moved.line} moves {moved.name} by {moved.text}, {by:,}"
    text = f"{on}, and the step of the loop is {ast.unparse(step)}, {turn:,}."
    return Clue(text, f"Move {moved.name} by the step of the loop.", moved.line)


def _step_of(loop: Loop) -> ast.expr | None:
    """Return the step of a loop over a range, if it is written."""
    match loop:
        case ast.For(iter=ast.Call(func=func, args=[_, _, step])) if ast.unparse(func) in RANGES:
            return step
    return None


def is_stride(part: ast.expr, bound: Mapping[str, Any], tensor: Tensor) -> bool:
    """Return whether a name is a stride: by its spelling, or by the value that the launch passes."""
    name = part.id if isinstance(part, ast.Name) else ""
    return "stride" in name or bound.get(name) in tensor.strides


def is_along(name: str, moved: Step, launch: Launch, tensor: Tensor, steps: Sequence[Step]) -> bool:
    """Return whether an address moves along the axis of a range: both are multiplied by the same stride."""
    beside = {other for names in products(steps) if name in names for other in names}
    strides = {other for other in beside | moved.names if is_stride(ast.Name(other), launch.bound, tensor)}
    return beside & strides == moved.names & strides


def product(parts: Sequence[ast.expr], bound: Mapping[str, Any]) -> int | None:
    """Return the product of numbers and names, with the launch's values; `None` if a factor is neither."""
    values = [bound.get(one.id) if isinstance(one, ast.Name) else getattr(one, "value", None) for one in parts]
    numbers = [value for value in values if type(value) is int]
    return math.prod(numbers) if numbers and len(numbers) == len(values) else None


def mask_kept(launch: Launch, tensor: Tensor, address: Address) -> Clue | None:
    """Return the clue that the mask stays the same while the address moves in each iteration."""
    function, line, moved = address.function, address.line, address.moved
    if moved is None or not address.has_fixed_mask:
        return None
    masked = names_in(*(step.added for step in address.mask_steps)) & set(ranges_of(function))
    if not any(is_along(name, moved, launch, tensor, address.steps) for name in masked):  # it bounds another axis
        return None
    by = f" by {moved.text}" if moved.text else ""
    text = f"The mask is the same in every iteration, and line {moved.line} moves {moved.name}{by}."
    advice = "If that is the step of the loop, let the mask compare with what is left in each iteration."
    passed = names_in(*(step.added for step in address.mask_steps if not step.name))
    at = [made_in(function, line, name) for name in passed]
    inside = [one for one in at if one is not None and any(one in lines_of(loop) for loop in function.around(line))]
    where = inside[0] if len(inside) == 1 else made_in(function, line, mask_at(function, line))
    return Clue(text, advice, where, is_certain=False)


def mask_hoisted(address: Address) -> Clue | None:
    """Return the clue that a vector's mask is computed before the loop whose iterations have other offsets."""
    function, line = address.function, address.line
    moving = function.changing(line) & {name for step in address.steps for name in step.names}
    if not moving or not address.has_fixed_mask:
        return None
    text = f"The mask is the same in every iteration, and the offsets depend on {listed(sorted(moving))}."
    at = made_in(function, line, mask_at(function, line))
    return Clue(text, "Compute the mask from the offsets of each iteration.", at, is_certain=False)
