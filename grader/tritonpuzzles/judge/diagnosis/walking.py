"""Edits of how a kernel walks over its data: the start of offsets, the step of a loop, and what is kept or reset."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise, product

from tritonpuzzles.judge.diagnosis.kerneltext import Edit, KernelText, NameKind, base, called, reads_in
from tritonpuzzles.results.words import are, listed
from tritonpuzzles.source.functions import assignments_in, given_to, language_calls, names_in
from tritonpuzzles.source.loops import PROGRAM, steps_over_programs

MINUS_INF = 'float("-inf")'
LOWEST = "-3.4028234663852886e38"  # the lowest finite float32
DISTANCE = "Work out the distance to the program's next part."
COUNT = "tl.num_programs({axis})"


def walking(kernel: KernelText) -> Iterator[Edit]:
    """Yield the edits of offsets, steps, starts and last groups of a kernel."""
    yield from _last_groups(kernel)
    yield from _axes(kernel)
    yield from _divided(kernel)
    yield from _steps(kernel)
    for node in kernel.function.nodes:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            yield from _tiles(kernel, node)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv):
            size, step = kernel.text_of(node.right), "Check which of the two is needed."
            says = f"{kernel.shown(node)} counts tiles of {size}, not elements"
            yield kernel.put(node, f"({kernel.text_of(node)} * {size})", says, step, 0.6)
        elif isinstance(node, ast.BinOp):
            yield from _numbered(kernel, node)
        elif isinstance(node, ast.For | ast.While):
            yield from _gathered(kernel, node)
            yield from _kept(kernel, node)
        elif isinstance(node, ast.Call) and called(node) == "zeros" and node.args:
            yield from _starts(kernel, node)
        elif isinstance(node, ast.Call):
            yield from _exchanged(kernel, node)


def _tiles(kernel: KernelText, node: ast.BinOp) -> Iterator[Edit]:
    """Yield edits for a tile number that is added to offsets without being multiplied by the tile size."""
    for first, offsets in ((node.left, node.right), (node.right, node.left)):
        size = _length(kernel, offsets) or _iterations(kernel, offsets)
        for part in _parts(first) if size else ():
            yield from _tile(kernel, part, size)


def _parts(term: ast.expr) -> list[ast.expr]:
    """Return a term and, if it is a sum itself, the terms of that."""
    inner = [term.left, term.right] if isinstance(term, ast.BinOp) and isinstance(term.op, ast.Add) else []
    return [term, *(part for one in inner for part in _parts(one))]


def _tile(kernel: KernelText, part: ast.expr, size: str) -> Iterator[Edit]:
    pieces = {kernel.text_of(piece) for piece in ast.walk(part) if isinstance(piece, ast.expr)}
    if size not in pieces and not _length(kernel, part) and base(part) not in kernel.pointers:
        says = f"{kernel.shown(part)} is added to offsets of {size} numbers without being multiplied by {size}"
        step = f"Check whether {kernel.shown(part)} counts elements, or blocks of {size} elements."
        new = f"(tl.cast({kernel.text_of(part)}, tl.int64) * {size})"  # a large tensor needs 64 bits
        yield kernel.put(part, new, says, step, 0.5)


def _length(kernel: KernelText, part: ast.expr) -> str:
    """Return the length of the tl.arange that an expression is made of; "" if it is not made of one alone."""
    match part:
        case ast.Subscript(inner) | ast.Call(ast.Attribute(inner, "to")):
            return _length(kernel, inner)
        case ast.Call(args=[ast.Constant(0), end]) if called(part) == "arange":
            return kernel.text_of(end)
        case ast.Name(name):
            made = [one for one in kernel.function.assignments if one.name == name]
            return _length(kernel, made[0].value) if len(made) == 1 and not isinstance(made[0].value, ast.Name) else ""
    return ""


def _iterations(kernel: KernelText, part: ast.expr) -> str:
    """Return the iteration count of the loop whose variable an expression is; "" if it is no loop variable."""
    for node in kernel.function.nodes:
        match node, part:
            case ast.For(ast.Name(variable), ast.Call(args=[end])), ast.Name(name) if variable == name:
                return kernel.text_of(end)
    return ""


def _numbered(kernel: KernelText, node: ast.BinOp) -> Iterator[Edit]:
    """Yield edits for what is numbered from the end, and for offsets as far apart as there are programs."""
    loops = (one.target for one in kernel.function.loops if isinstance(one, ast.For))
    numbers = {*kernel.programs, *(kernel.text_of(target) for target in loops)}
    match node:
        case ast.BinOp(_, ast.Sub(), last) if PROGRAM in kernel.text_of(last) or names_in(last) & numbers:
            says = f"{kernel.shown(node)} begins one too late"
            yield kernel.put(node, f"({kernel.text_of(node)} - 1)", says, "Work out its first and its last value.", 0.5)
        case ast.BinOp(part, ast.Mult(), ast.Name(by) as size) if by in kernel.constants and _length(kernel, part):
            says = f"the offsets of {kernel.shown(node)} are {by} apart, and not as many as there are programs"
            yield kernel.put(size, COUNT.format(axis=0), says, "Work out which offsets the next program has.", 0.8)


def _exchanged(kernel: KernelText, call: ast.Call) -> Iterator[Edit]:
    """Yield edits that exchange two arguments beside each other that count something, as sizes of a grid of tiles."""
    for one, other in pairwise(call.args):
        names = [node.id for node in (one, other) if isinstance(node, ast.Name)]
        if len({*names}) == 2 and all(kernel.kinds.get(name) is NameKind.WHOLE for name in names):
            pairs = [(one, names[1]), (other, names[0])]
            says = f"`{names[0]}` and `{names[1]}` are exchanged in {kernel.shown(call)}"
            yield kernel.put(call, kernel.replaced(call, pairs), says, "Check the order of its arguments.", 0.6)


def _steps(kernel: KernelText) -> Iterator[Edit]:
    """Yield edits for a loop over a program's parts that advances by one program's part, not by that of all."""
    calls = language_calls(kernel.function.nodes, PROGRAM)
    axes = dict.fromkeys(kernel.text_of(value) for call in calls for value in given_to(call)[:1])
    for step, axis in product(steps_over_programs(kernel.function), axes):
        says = f"{kernel.shown(step)} is the part of one program, and it is the step of the loop"
        new = f"({kernel.text_of(step)}) * {COUNT.format(axis=axis)}"
        yield kernel.put(step, new, says, DISTANCE, 0.3)
    counts = language_calls(kernel.function.nodes, "num_programs")
    for node, count in product(kernel.function.nodes, dict.fromkeys(map(kernel.text_of, counts))):
        match node:
            case ast.BinOp(part, ast.Add(), ast.Constant(1) as one):
                says = (
                    f"{kernel.shown(part)} + 1 is the next program's part, and the loop steps by the number of programs"
                )
                yield kernel.put(one, count, says, DISTANCE, 0.5)


def _gathered(kernel: KernelText, loop: ast.For | ast.While) -> Iterator[Edit]:
    """Yield edits for a position that is computed in full in each iteration but added to that of the one before."""
    for node in ast.walk(loop):
        match node:
            case ast.AugAssign(ast.Name(name), ast.Add() | ast.Sub(), value) if node in loop.body:
                if kernel.kinds.get(name) not in (NameKind.POINTER, NameKind.WHOLE):
                    continue
                own = f"({name} {'+' if isinstance(node.op, ast.Add) else '-'} ({kernel.text_of(value)}))"
                later = [one for inside in loop.body for one in reads_in(inside) if one.id == name]
                later = sorted((one for one in later if one.lineno > node.lineno), key=kernel.span)
                if later:
                    says = f"`{name}` continues from its value in the iteration before"
                    step = f"Leave {name} unchanged in the loop, and give the position of an iteration another name."
                    yield kernel.put_each([(node, "pass"), *((one, own) for one in later)], says, step, 0.6)


def _kept(kernel: KernelText, loop: ast.For | ast.While) -> Iterator[Edit]:
    """Yield edits for a variable that an inner loop changes and that is not reset in each outer iteration."""
    first = loop.body[0]
    inner = [node for node in loop.body if isinstance(node, ast.For | ast.While)]
    changed = {name for one in assignments_in(one for node in inner for one in ast.walk(node)) for name in one.names}
    direct = [one for one in assignments_in(loop.body) if one.name]
    changed -= {one.name for one in direct}
    if not inner and steps_over_programs(kernel.function):  # each iteration is another part of the program
        changed = {one.name for one in direct if one.name in names_in(one.value)}
    starts = [one for one in kernel.function.assignments if changed & {*one.names} and one.line < loop.lineno]
    if starts and isinstance(first, ast.Assign | ast.AugAssign | ast.Expr):
        kept = [f"`{name}`" for one in starts for name in one.names if name in changed]
        begun = "; ".join(f"{' = '.join(one.targets)} = {kernel.text_of(one.value)}" for one in starts)
        says = f"{listed(kept)} {are(len(kept))} set before the loop of line {loop.lineno}"
        start, end = kernel.span(first)
        step = f"Set the start value in each iteration of line {loop.lineno}."
        says += ", and not again in each iteration"
        yield Edit(starts[0].line, start, end, f"{begun}; {kernel.text_of(first)}", says, step, 0.3, order=True)


def _axes(kernel: KernelText) -> Iterator[Edit]:
    """Yield an edit that exchanges the axes of the grid in the whole kernel."""
    axes = [given_to(call)[0] for call in language_calls(kernel.function.nodes, PROGRAM) if given_to(call)]
    other = {"0": "1", "1": "0"}
    if {*map(kernel.text_of, axes)} == other.keys():
        new = kernel.replaced(kernel.function.node, [(axis, other[kernel.text_of(axis)]) for axis in axes])
        says, step = "the axes of tl.program_id are exchanged", "Check what each axis of the grid counts."
        line = min(axis.lineno for axis in axes)
        yield replace(kernel.put(kernel.function.node, new, says, step, 0.3), line=line)


def _divided(kernel: KernelText) -> Iterator[Edit]:
    """Yield edits that exchange a quotient and a remainder of the same numbers."""
    divided = [node for node in kernel.function.nodes if isinstance(node, ast.BinOp)]
    for one, other in product(divided, divided):
        match one, other:
            case ast.BinOp(left, ast.FloorDiv(), right), ast.BinOp(same, ast.Mod(), by):
                number, size = kernel.text_of(left), kernel.text_of(right)
                if (number, size) == (kernel.text_of(same), kernel.text_of(by)):
                    pair = [(one, f"({number}) % ({size})"), (other, f"({number}) // ({size})")]
                    says = f"{kernel.shown(one)} and {kernel.shown(other)} are exchanged"
                    step = "Check which of them counts rows and which columns."
                    yield kernel.put_each(sorted(pair, key=lambda each: kernel.span(each[0])), says, step, 0.4)


def _last_groups(kernel: KernelText) -> Iterator[Edit]:
    """Yield edits for a last group of tiles that may be smaller, wherever the group size is used after its start."""
    made = [one for one in kernel.function.assignments if one.name and one.operator is None]
    counts = [one for one in made if isinstance(one.value, ast.Call) and called(one.value) == "cdiv"]
    starts = [(one, size) for one in made for size in kernel.constants if _is_multiple(one.value, size)]
    for start, size in starts:
        uses = [node for node in _sizes(kernel, size) if node.lineno > start.line]
        for count in counts if uses else ():
            new = f"tl.minimum({size}, {count.name} - {start.name})"
            says = f"every group has {size} here, and the last one may have fewer"
            step = f"Work out how many of {count.name} are left from {start.name} on."
            yield kernel.put_each([(use, new) for use in sorted(uses, key=kernel.span)], says, step, 0.2)


def _is_multiple(value: ast.expr, size: str) -> bool:
    return isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult) and size in names_in(value)


def _sizes(kernel: KernelText, size: str) -> list[ast.expr]:
    """Return the places where a constant is assigned to another name, or is a divisor."""
    found: list[ast.expr] = []
    for node in kernel.function.nodes:
        match node:
            case (
                ast.Assign(value=ast.Name(id=name) as use)
                | ast.BinOp(op=ast.Mod() | ast.FloorDiv(), right=ast.Name(id=name) as use)
            ) if name == size:
                found.append(use)
    return found


def _starts(kernel: KernelText, node: ast.Call) -> Iterator[Edit]:
    """Yield edits that start a block at the lowest number instead of 0, for a maximum."""
    shape, *kind = map(kernel.text_of, given_to(node))
    dtype = kind[0] if kind else "tl.float32"
    for value in (MINUS_INF, LOWEST):
        says = f"{kernel.shown(node)} starts at 0"
        new = f"tl.full({shape}, {value}, {dtype})"
        yield kernel.put(node, new, says, "Start a maximum below every number.", 0.3, place=False)
