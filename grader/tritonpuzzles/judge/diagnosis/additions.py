"""Edits that add what a kernel lacks: a mask, an unused size, an update in a loop, a pointer that moves on."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise, permutations, product

from tritonpuzzles.judge.diagnosis.kerneltext import Edit, KernelText, NameKind, base, called, read_names, reads_in
from tritonpuzzles.judge.diagnosis.walking import MINUS_INF
from tritonpuzzles.source.functions import assignments_in
from tritonpuzzles.source.loops import PROGRAM


def missing(kernel: KernelText) -> Iterator[Edit]:
    """Yield the edits that add something to a kernel."""
    for call in kernel.accesses:
        yield from _of_access(kernel, call)
        yield from _compared(kernel, call)
    yield from _fills(kernel)
    yield from _unused(kernel)
    yield from _rounded(kernel)
    yield from _ranges(kernel)
    yield from _beginnings(kernel)
    yield from _unlike(kernel)
    for node in kernel.function.nodes:
        yield from _begun_again(kernel, node)
        if isinstance(node, ast.If):
            yield from _tested(kernel, node.test)
        elif isinstance(node, ast.For | ast.While):
            yield from _forgotten(kernel, node)
            yield from _unmoved(kernel, node)
        elif isinstance(node, ast.Assign | ast.AugAssign | ast.Expr):
            yield from _overwritten(kernel, node)
        elif isinstance(node, ast.BinOp):
            yield from _apart(kernel, node)


def _of_access(kernel: KernelText, node: ast.Call) -> Iterator[Edit]:
    name, given = called(node), {word.arg for word in node.keywords}
    masked = "mask" in given or len(node.args) > 2 - (name == "load")
    fills = ("0.0", MINUS_INF) if name == "load" else ("",)
    if masked and name == "load" and "other" not in given and len(node.args) < 3:
        for fill in fills:
            says = "the load has no other=, so masked-off lanes have no defined value"
            yield kernel.behind(node, f"other={fill}", says, "Pass other=: a value that changes no result.", 0.6)
    if not masked:
        tensor = base(node.args[0]) if node.args else ""
        end = tensor if tensor in kernel.parameters else "the tensor"
        step = f"Pass mask= to tl.{name}: false past the end of {end}."
        for mask, fill in product(kernel.masks, fills):
            new = f"mask={mask}" + (f", other={fill}" if fill else "")
            yield kernel.behind(node, new, f"the tl.{name} has no mask", step, 0.6)


def _compared(kernel: KernelText, access: ast.Call) -> Iterator[Edit]:
    """Yield edits for a mask that compares other offsets than those of the address, of the same kind."""
    mask = next((word.value for word in access.keywords if word.arg == "mask"), None)
    if mask is None or not access.args:
        return
    made = {one.name: one.value for one in kernel.function.assignments if one.name}
    parts = [mask, *(made[name.id] for name in reads_in(mask) if name.id in made)]
    compared = [node for part in parts for node in ast.walk(part) if isinstance(node, ast.Compare)]
    reads, tested = read_names(access.args[0]), {name for node in compared for name in read_names(node)}
    for node in (name for one in compared for name in reads_in(one.left) if name.id not in reads):
        for other in sorted(reads - tested):  # in the same order in every run
            if kernel.role(other) == "variable" and kernel.alike(node.id, other) and other in kernel.known(node):
                says = f"the mask compares `{node.id}`, and the address has `{other}`"
                yield kernel.put(node, other, says, f"Check which variable belongs in place of {node.id}.", 0.4)


def _fills(kernel: KernelText) -> Iterator[Edit]:
    """Yield edits of the number in masked-off lanes; where it enters a product, only 0 is tried."""
    for statement in kernel.function.nodes:
        if not isinstance(statement, ast.Assign | ast.Return):
            continue
        inside = [*ast.walk(statement)]
        for fill, new in product(kernel.fills & {*inside}, ("0.0", MINUS_INF)):
            if new != MINUS_INF or not _made(inside) & kernel.factors:
                says = f"{kernel.shown(fill)} is the wrong value for masked-off lanes"
                yield kernel.put(fill, new, says, "Choose a value that changes no result.", 0.4, place=False)


def _unused(kernel: KernelText) -> Iterator[Edit]:
    """Yield edits that insert a variable which nothing reads into an expression, last lines first."""
    values = [*kernel.values]
    values.sort(key=lambda node: node.lineno, reverse=True)
    for node, name in product(values, kernel.idle):
        if name in kernel.known(node) and name not in kernel.pointers:
            says = f"`{name}` is never used, and it is missing in {kernel.shown(node)}"
            for sign, cost in (("*", 0.8), ("+", 0.8), ("-", 1.0), ("/", 1.0)):
                new = f"(({kernel.text_of(node)}) {sign} {name})"
                yield kernel.put(node, new, says, f"Check what {name} is needed for.", cost)


def _rounded(kernel: KernelText) -> Iterator[Edit]:
    """Yield edits that round a number up to a multiple of a constant that nothing reads."""
    idle = [name for name in kernel.idle if name in kernel.constants]
    reads = (node for statement in kernel.function.node.body for node in reads_in(statement))
    for node, size in product(reads if idle else (), idle):
        if kernel.kinds.get(node.id) in (NameKind.WHOLE, None) and node.id not in kernel.constants:
            says = f"`{size}` is never used, and `{node.id}` need not be a multiple of it"
            new = f"(tl.cdiv({node.id}, {size}) * {size})"
            yield kernel.put(node, new, says, f"Check what {size} is needed for.", 0.4)


def _ranges(kernel: KernelText) -> Iterator[Edit]:
    """Yield edits that replace a range by the offsets made of it, at one place or at all places after them."""
    ranges = kernel.ranges
    for one in kernel.function.nodes:
        match one:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.BinOp() as value):
                for text in dict.fromkeys(map(kernel.text_of, ranges)):
                    if text not in kernel.text_of(value):
                        continue
                    those = [node for node in ranges if node.lineno > one.lineno and kernel.text_of(node) == text]
                    says, step = f"`{text}` is the same in every program or iteration", "Check the offsets there."
                    for node in those:
                        yield kernel.put(node, name, says, step, 0.7)
                    if len(those) > 1:
                        yield kernel.put_each([(node, name) for node in those], says, step, 0.7)


def _beginnings(kernel: KernelText) -> Iterator[Edit]:
    """Yield edits that start a pointer where another pointer into the same tensor starts."""
    made = [one for one in kernel.function.assignments if one.name in kernel.pointers and one.operator is None]
    for one, other in permutations(made, 2):
        of_one = base(one.value) == base(other.value) in kernel.parameters and one.text != other.text
        if of_one and read_names(other.value) & kernel.names.keys() <= {*kernel.known(one.value)}:
            says = f"`{one.name}` does not start where `{other.name}` starts"
            yield kernel.put(one.value, kernel.text_of(other.value), says, "Check where its rows start.", 0.6)


def _unlike(kernel: KernelText) -> Iterator[Edit]:
    """Yield edits that address one tensor as another one is addressed, where the same expression has another name."""
    addresses = [call.args[0] for call in kernel.accesses if call.args]
    for one, other in permutations(addresses, 2):
        names = [*zip(reads_in(one), reads_in(other), strict=False)]
        if _shape(one) == _shape(other):
            for name, instead in names:
                if name.id != instead.id and instead.id in kernel.known(name) and kernel.alike(name.id, instead.id):
                    says = f"`{name.id}` is used where line {other.lineno} uses `{instead.id}`"
                    step = f"Check which variable belongs in place of {name.id}."
                    yield kernel.put(name, instead.id, says, step, 0.5 + (name.id in kernel.parameters))


def _shape(node: ast.expr) -> str:
    """Return an expression without its names."""
    return re.sub(r"id='\w+'", "", ast.dump(node))


def _forgotten(kernel: KernelText, loop: ast.For | ast.While) -> Iterator[Edit]:
    """Yield edits for a variable that is reset in each iteration, and for a maximum over one iteration only."""
    for node in ast.walk(loop):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if kernel.names[name] < loop.lineno:
                says = f"each iteration overwrites `{name}`, and its old value is lost"
                new = f"{name} += {kernel.text_of(value)}"
                yield kernel.put(node, new, says, f"Check what {name} must keep from earlier iterations.", 0.7)
            case ast.Call() if called(node) in ("max", "min"):
                for name in kernel.known(loop):
                    if kernel.role(name) == "variable":
                        says = f"{kernel.shown(node)} covers one iteration only"
                        new = f"tl.{called(node)}imum({name}, {kernel.text_of(node)})"
                        yield kernel.put(node, new, says, "Check how the earlier iterations enter it.", 1.0)


def _begun_again(kernel: KernelText, node: ast.AST) -> Iterator[Edit]:
    """Yield edits that set a position back to its start before a loop that continues where an earlier one ended."""
    body: list[ast.stmt] = getattr(node, "body", []) if isinstance(node, ast.stmt) else []
    for earlier, loop in pairwise(one for one in body if isinstance(one, ast.For | ast.While)):
        between = body[body.index(earlier) + 1 : body.index(loop)]
        moved = _added_to(earlier) & _added_to(loop) - {made.name for made in assignments_in(between)}
        for start in kernel.function.assignments:
            if start.name in moved and start.line < earlier.lineno and start.operator is None:
                begin = kernel.span(loop)[0]
                new = f"{start.name} = {kernel.text_of(start.value)}\n{' ' * loop.col_offset}"
                says = f"`{start.name}` is not set back to its start before the loop of line {loop.lineno}"
                step = f"Check where {start.name} is when that loop begins."
                yield Edit(loop.lineno, begin, begin, new, says, step, 0.4, order=True)


def _added_to(loop: ast.stmt) -> set[str]:
    return {made.name for made in assignments_in(ast.walk(loop)) if made.operator is not None}


def _tested(kernel: KernelText, test: ast.expr) -> Iterator[Edit]:
    """Yield edits of the variables that a condition compares."""
    for node in reads_in(test):
        for other in kernel.known(node) if kernel.role(node.id) == "variable" else ():
            if other != node.id and kernel.alike(node.id, other):
                says = f"`{node.id}` is the wrong variable in the condition"
                yield kernel.put(node, other, says, f"Check which variable belongs in place of {node.id}.", 0.6)


def _overwritten(kernel: KernelText, node: ast.Assign | ast.AugAssign | ast.Expr) -> Iterator[Edit]:
    """Yield edits for a maximum that replaces an earlier one and is not compared with it."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as value) if called(value) in ("max", "min"):
            if kernel.names[name] < node.lineno:
                new = f"tl.{called(value)}imum({name}, {kernel.text_of(value)})"
                says = f"the value of `{name}` from before line {node.lineno} is lost"
                step = f"Check what the new {name} must keep of the old one."
                yield replace(kernel.put(value, new, says, step, 0.7), order=True)


def _unmoved(kernel: KernelText, loop: ast.For | ast.While) -> Iterator[Edit]:
    """Yield edits for a pointer that does not move, or moves unlike another pointer in the same loop."""
    inside = [*ast.walk(loop)]
    moves = [node for node in inside if isinstance(node, ast.AugAssign) and base(node.target) in kernel.pointers]
    moved = {base(node.target) for node in moves}
    for one, other in permutations(moves, 2):
        if base(one.target) != base(other.target):
            says = f"`{base(one.target)}` does not move as `{base(other.target)}` does"
            for new in _moves(kernel, other.value, base(one.target)):
                step = f"Count the elements from one tile of {base(one.target)} to the next, with its strides."
                yield kernel.put(one.value, new, says, step, 0.7)
    used = [call for call in kernel.accesses if call in inside]
    stays = dict.fromkeys(
        base(call.args[0]) for call in used if not read_names(call.args[0]) & {*moved, *_made(inside)}
    )
    for pointer, node in product(stays, moves):
        for move in _moves(kernel, node.value, pointer):
            new = f"{kernel.text_of(node)}; {pointer} += {move}"
            says = f"`{pointer}` does not move in the loop"
            yield kernel.put(node, new, says, f"Work out by how much {pointer} must move.", 0.6)


def _moves(kernel: KernelText, step: ast.expr, pointer: str) -> list[str]:
    """Return another pointer's step unchanged, and with a name replaced by a parameter that the pointer starts with.

    If it starts with none, each parameter that is no pointer is tried.
    """
    numbers = [name for name in kernel.parameters if name not in kernel.pointers]
    starts = [one.value for one in kernel.function.assignments if one.name == pointer and not one.operator]
    own = [name for name in numbers if starts and name in read_names(starts[0])]
    others = [(name, other) for name in reads_in(step) for other in own or numbers]
    return [kernel.text_of(step), *(kernel.replaced(step, [one]) for one in others)]


def _apart(kernel: KernelText, node: ast.BinOp) -> Iterator[Edit]:
    """Yield edits for programs that start one tile apart although each of them processes several tiles."""
    match node:
        case ast.BinOp(left, ast.Mult(), ast.Name(by)) if by in kernel.constants:
            numbered = PROGRAM in ast.unparse(left) or read_names(left) & {*kernel.programs}
            for other in kernel.constants if numbered else ():
                if other != by and kernel.alike(other, by):
                    says, step = f"{kernel.shown(node)} lacks a factor", "Work out how far apart programs start."
                    yield kernel.put(node, f"({kernel.text_of(node)} * {other})", says, step, 0.6)


def _made(nodes: list[ast.AST]) -> set[str]:
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
