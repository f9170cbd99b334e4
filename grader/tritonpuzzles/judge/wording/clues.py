"""What in a launch, or in the kernel's text, explains that an access leaves its matrix."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tritonpuzzles.judge.wording.clue import Clue, begun_apart, is_along, mask_hoisted, mask_kept, moved_wrongly
from tritonpuzzles.judge.wording.launches import Launch
from tritonpuzzles.results.words import listed, plural
from tritonpuzzles.source.functions import Step
from tritonpuzzles.source.scalars import Scalars
from tritonpuzzles.source.steps import (
    Address,
    addresses,
    end_of,
    is_stride_of,
    lines_to,
    made_in,
    products,
    ranges_around,
    ranges_of,
    unused_strides,
)
from tritonpuzzles.wire.facts import BadAccess, Tensor

MANY = 8  # rows: with fewer, a program's id may equal the number of rows by chance


def clue_of(launch: Launch, fact: BadAccess, tensor: Tensor, address: Address) -> Clue | None:
    """Return what explains that a load or store leaves a matrix: too many programs, a stride, a size; or a vector."""
    programs = launch.grid[0]
    if len(tensor.shape) == 1:
        return mask_kept(launch, tensor, address) or mask_hoisted(address)
    if len(tensor.shape) != 2 or fact.element is None or _is_flat(launch, tensor):
        return None
    rows, stride = tensor.shape[0], tensor.strides[0]
    needed = any(one.shape[:1] == (programs,) for one in launch.tensors)  # as many rows as programs: this one is wrong
    first = launch.grid[1:] == (1, 1) and fact.program == rows < programs and rows >= MANY and not needed
    if first and stride and fact.element // stride == rows:
        text = f"Program {rows:,} is the first without a row: {programs:,} are launched for {plural(rows, 'row')}."
        return Clue(text, "Launch one program per row, or leave those out that have none.", launch.line, of_grid=True)
    return (
        (_passed(launch, tensor) if rows > 1 else None)
        or _written(launch, tensor, address)
        or moved_wrongly(launch, tensor, address)
        or _negative(launch, fact, address)
        or _lets_through(launch, tensor, address)
        or _turned_too_far(launch, tensor, address)
        or _rows_beyond(launch, fact, tensor, address)
        or _unused(launch, tensor, address)
        or begun_apart(launch, address)
        or _sized(launch, tensor, address)
        or _unmasked(launch, tensor, address)
        or mask_kept(launch, tensor, address)
    )


def _is_flat(launch: Launch, tensor: Tensor) -> bool:
    """Return whether a kernel gets a matrix's element count and no size of its rows: it treats it as flat."""
    numbers, follow = {*launch.numbers.values()}, tensor.strides == (tensor.shape[1], 1)
    return follow and tensor.elements in numbers and numbers.isdisjoint({*tensor.shape} - {tensor.elements})


def _passed(launch: Launch, tensor: Tensor) -> Clue | None:
    """Return what the launch passes wrong, or does not pass."""
    stem, stride = tensor.name.removesuffix("_ptr"), tensor.strides[0]
    wrong = [
        (name, value)
        for name, value in launch.numbers.items()
        if name.startswith(stem) and "stride" in name and value not in tensor.strides
    ]
    if stem and len(wrong) == 1:
        name, value = wrong[0]
        text = f"{name} is {value:,} in the launch, and the rows of {tensor.name} are {stride:,} elements apart."
        return Clue(text, f"Pass the stride of {tensor.name} as {name}.", launch.line, parameter=name)
    if launch.numbers and stride not in launch.numbers.values():
        text = f"No argument of the launch is the row stride of {tensor.name}, {stride:,}."
        step = f"Pass that stride to the kernel, and step from row to row of {tensor.name} by it."
        of_rows = next((name for name in launch.numbers if is_stride_of(name, tensor.name)), "")
        return Clue(text, step, launch.line, parameter=of_rows)
    return None


def _written(launch: Launch, tensor: Tensor, address: Address) -> Clue | None:
    """Return a wrong use of strides in the kernel's text: another tensor's stride, or one that is never used."""
    pointer, function = tensor.name, launch.function
    own = [name for name in launch.bound if is_stride_of(name, pointer)]
    unused = [name for name in unused_strides(function) if name in own]
    others = [one.name for one in launch.tensors if one.name != pointer]
    steps = address.steps
    foreign = [
        (step, name, other)
        for step in steps
        for name in sorted(step.names)
        for other in others
        if own and is_stride_of(name, other) and not step.names & set(own)
    ]
    if unused:
        text = f"The kernel never uses {listed(unused)}."
        at = foreign[0][0].line if foreign else _by_columns(launch, tensor, steps) or _handed_over(launch, pointer)
        rows = launch.bound[unused[0]] == tensor.strides[0]
        parts = "row to row" if rows else "column to column"
        return Clue(text, f"Step from {parts} of {pointer} by {unused[0]}.", at)
    if foreign:
        step, name, whose = foreign[0]
        user = next((one for one in steps if step.name and step.name in one.names), None)
        if user is not None and step.line in lines_to(function, whose):  # the step is right for the other tensor
            by = f"by {step.name}, which line {step.line} computes from {name}, a stride of {whose}"
            return Clue(f"Line {user.line} steps through {pointer} {by}.", f"Step by {listed(own)} there.", user.line)
        text = f"Line {step.line} steps through {pointer} by {name}, a stride of {whose}."
        return Clue(text, f"Step through {pointer} by {listed(own)}.", step.line)
    return None


def _negative(launch: Launch, fact: BadAccess, address: Address) -> Clue | None:
    """Return the clue on the program's first negative scalar, with the values that it is computed from."""
    if fact.element is None or fact.element >= 0:
        return None
    program = launch.program_ids(fact.program)
    scalars = Scalars(launch.function, launch.bound, program, launch.grid)
    for step in sorted(address.steps, key=lambda step: step.line):
        value = scalars.of(step.added, step.line)
        if step.name and value is not None and value < 0:
            numbers = launch.program_text(fact.program)
            made_of = ((name, scalars.of(ast.Name(name), step.line)) for name in sorted(step.names))
            given = ", ".join(f"{name} is {number:,}" for name, number in made_of if number is not None)
            text = f"In program {numbers}, {step.name} is {value:,}{f' ({given})' if given else ''}."
            return Clue(text, f"Work out line {step.line} by hand for program {numbers}.", step.line, is_certain=False)
    return None


def _handed_over(launch: Launch, pointer: str) -> int | None:
    """Return the only line that calls a helper with a tensor and a stride of another tensor."""
    others = [one.name for one in launch.tensors if one.name != pointer]
    lines = set()
    for node in launch.function.nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            given = {arg.id for arg in node.args if isinstance(arg, ast.Name)}
            if pointer in given and any(is_stride_of(name, other) for name in given for other in others):
                lines.add(node.lineno)
    return lines.pop() if len(lines) == 1 else None


def _by_columns(launch: Launch, tensor: Tensor, steps: Sequence[Step]) -> int | None:
    """Return the only line that multiplies by the number of columns, as if there were no gaps between rows."""
    constants = launch.function.constants
    sizes = {name for name, value in launch.numbers.items() if value == tensor.shape[1] and name not in constants}
    lines = {step.line for step in steps if any(names & sizes for names in products([step]))}
    return lines.pop() if len(lines) == 1 else None


def _lets_through(launch: Launch, tensor: Tensor, address: Address) -> Clue | None:
    """Return what makes a mask true too often: conditions joined by |, or a comparison with a size by <=."""
    sizes = {*tensor.shape, tensor.elements}
    for step in address.mask_steps:
        for node in ast.walk(step.added):
            match node:
                case ast.BinOp(left, ast.BitOr(), right) if all(map(_is_condition, (left, right))):
                    text = f"Line {step.line} joins conditions by |: a lane is on where one of them is true."
                    return Clue(text, "Join them by &: both must be true.", step.line)
                case ast.Compare(_, [ast.LtE()], [ast.Name(id=name)]) if launch.bound.get(name) in sizes:
                    text = f"{ast.unparse(node)} in line {step.line} is true at {name} itself, one past the last."
                    return Clue(text, "Compare by <: indices start at 0.", step.line)
    return None


def _is_condition(side: ast.expr) -> bool:
    """Return whether a side of | is a condition: it contains no whole-number literal."""
    return not any(isinstance(node, ast.Constant) and type(node.value) is int for node in ast.walk(side))


def _turned_too_far(launch: Launch, tensor: Tensor, address: Address) -> Clue | None:
    """Return the clue that a loop over rows ends at a number of columns, or that its columns step from row to row."""
    (rows, cols), stride = tensor.shape, tensor.strides[0]
    numbers = launch.numbers
    named = [name for name, value in numbers.items() if value == rows]
    if rows == cols or len(named) != 1:
        return None
    for at, variable, end in ranges_around(launch.function, address.line):
        if numbers.get(end) != cols or not _times_a_stride(launch, address.steps, variable, stride):
            continue
        if any(_is_a_column(steps, variable) for steps in addresses(launch.function)):
            text = (
                f"Line {address.line} multiplies {variable} by the row stride, and {variable} ends at {end}, {cols:,}."
            )
            return Clue(text, f"Multiply the rows of {tensor.name} by it, and not the columns.", address.line)
        text = f"The loop over {variable} ends at {end}, {cols:,}, and {tensor.name} has {plural(rows, 'row')}."
        return Clue(text, f"Let it end at {named[0]}.", at)
    return None


def _times_a_stride(launch: Launch, steps: Sequence[Step], name: str, stride: int) -> bool:
    """Return whether an address multiplies a name by an argument that is as large as a stride."""
    return any(name in names and stride in map(launch.numbers.get, names) for names in products(steps))


def _is_a_column(steps: Sequence[Step], name: str) -> bool:
    """Return whether an address adds a name without multiplying it."""
    return any(name in step.names for step in steps) and not any(name in names for names in products(steps))


def _rows_beyond(launch: Launch, fact: BadAccess, tensor: Tensor, address: Address) -> Clue | None:
    """Return the clue that a loop over rows takes a program past the last row."""
    rows, stride = tensor.shape[0], tensor.strides[0]
    strides = {name for name, value in launch.numbers.items() if value == stride and is_stride_of(name, tensor.name)}
    steps, turning = address.steps, launch.function.changing(address.line)
    by_rows = [names for names in products(steps) if names & strides]
    if any(names & set(ranges_of(launch.function)) for names in by_rows):  # an iteration takes a tile of rows
        return None
    by_row = any(names & turning for names in by_rows) or any(step.moves and step.names & strides for step in steps)
    ends = [(loop, end) for loop in launch.function.around(address.line) if (end := end_of(loop)) is not None]
    if not by_row or len(ends) != 1 or fact.element is None or fact.element < rows * stride:
        return None
    ((loop, end),) = ends
    scalars = Scalars(launch.function, launch.bound, launch.program_ids(fact.program), launch.grid)
    at, program = loop.lineno, launch.program_text(fact.program)
    if scalars.of(end, at) == rows:  # as it should
        return None
    made = made_in(launch.function, at, end.id) if isinstance(end, ast.Name) else None
    text = f"The loop of line {at} ends at {ast.unparse(end)}{f', of line {made}' if made else ''}."
    step = f"Work out how many iterations of program {program} have a row, and let the loop end there."
    return Clue(text, step, made or at, is_certain=False)


def _unused(launch: Launch, tensor: Tensor, address: Address) -> Clue | None:
    """Return the clue that the kernel gets a size of a tensor, or its row stride, and never reads it."""
    read = {node.id for node in launch.function.nodes if isinstance(node, ast.Name)}
    numbers, constants = launch.numbers, {*launch.function.constants}
    unused = [name for name in numbers.keys() - read - constants if "stride" not in name]
    named = [name for name in unused if numbers[name] in tensor.shape]
    if not read or len(named) != 1:
        return None
    (name,), steps = named, address.steps
    twins = {other for other in numbers.keys() & read if numbers[other] == numbers[name]}
    factors = {other for names in products(steps) for other in names}
    if numbers[name] == tensor.strides[0] and twins and not twins & factors:  # it has the size, by another name
        lines = {one.line for one in steps if any(names & numbers.keys() - constants for names in products([one]))}
        text = f"The kernel never uses {name}, the row stride of {tensor.name}."
        return Clue(text, f"Step from row to row of {tensor.name} by {name}.", lines.pop() if len(lines) == 1 else None)
    return Clue(f"The kernel never uses {name}.", f"Check which mask must compare with {name}.", is_certain=False)


def _sized(launch: Launch, tensor: Tensor, address: Address) -> Clue | None:
    """Return the clue that a mask compares with, or offsets wrap around at, a number that is no size of the tensor."""
    shape = tensor.shape
    numbers = {name: value for name, value in launch.numbers.items() if "stride" not in name}
    sizes = {name for name, value in numbers.items() if value in shape}
    others = {name for name, value in numbers.items() if value > 1 and value != tensor.elements} - sizes
    others -= set(launch.function.constants)
    wrapped: list[tuple[int, str]] = []
    compared: list[tuple[int, str]] = []
    for step in address.steps:
        for node in ast.walk(step.added):
            match node:
                case ast.BinOp(_, ast.Mod(), ast.Name(name)) if name in others:
                    wrapped.append((step.line, name))
    for step in address.mask_steps:
        for node in ast.walk(step.added):
            match node:
                case ast.Compare(_, _, [ast.Name(name), *_]) if name in others:
                    compared.append((step.line, name))
    if len({name for _, name in (*wrapped, *compared)}) != 1:
        return None
    at, name = (wrapped or compared)[0]
    if not sizes:  # the kernel gets no size: the launch passes something else
        text = f"{name} is {numbers[name]:,} in the launch, and {tensor.name} is {shape[0]:,} x {shape[1]:,}."
        advice = f"Pass the size of {tensor.name} that the mask needs as {name}."
        return Clue(text, advice, launch.line, is_certain=False, parameter=name)
    verb = f"Line {at} wraps offsets around at" if wrapped else "The mask compares with"
    text = f"{verb} {name}, {numbers[name]:,}, and {tensor.name} is {shape[0]:,} x {shape[1]:,}."
    return Clue(text, f"Use the size of {tensor.name} along that axis.", at, is_certain=False)


def _unmasked(launch: Launch, tensor: Tensor, address: Address) -> Clue | None:
    """Return the clue that the mask ignores a range of the address."""
    name, moved = address.unbounded(launch.bound, tensor.shape), address.moved
    if not name:
        return None
    moves = moved is not None and is_along(name, moved, launch, tensor, address.steps)
    size = "the rest of" if moves else "the size of"
    when = f" in each iteration, unless something moves {moved.name} too far" if moved is not None and moves else ""
    advice = f"Bound {name} in the mask too, by {size} {tensor.name} along its axis{when}."
    return Clue(f"The mask does not test {name}.", advice, is_certain=False)
