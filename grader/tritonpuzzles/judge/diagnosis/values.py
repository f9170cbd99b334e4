"""Edits of computed values: a term, a factor, a root or a mask that is missing, and what a factor applies to."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import permutations, product

from tritonpuzzles.judge.diagnosis.kerneltext import SIGNS, Edit, KernelText, NameKind, called, read_names, reads_in

RELATIVE = "Check what each term is relative to."
POWERS, REDUCTIONS = ("exp", "exp2"), ("max", "min", "sum")


def of_values(kernel: KernelText) -> Iterator[Edit]:
    """Yield the edits of what a kernel computes."""
    places = {name for one in kernel.function.nodes for name in _places_in_a_tile(one)}
    for node in kernel.function.nodes:
        if isinstance(node, ast.Assign | ast.AugAssign | ast.Expr):
            yield from _terms(kernel, node)
        elif isinstance(node, ast.Name):
            yield from _factors(kernel, node)
            yield from _counted_on(kernel, node, places)
        elif isinstance(node, ast.Call) and node.args and node in kernel.values:
            yield from _of_call(kernel, node)
        elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Call):
            yield from _reduced(kernel, node, node.value)
        elif isinstance(node, ast.BinOp):
            yield from _merged(kernel, node)
            yield from _sizes(kernel, node)
            if node in kernel.values and kernel.kind(node) in (NameKind.NUMBER, None):
                yield from _grouped(kernel, node)
                yield from _of_quotient(kernel, node)


def _terms(kernel: KernelText, node: ast.Assign | ast.AugAssign | ast.Expr) -> Iterator[Edit]:
    value, stored = node.value, False
    if isinstance(value, ast.Call) and called(value) == "store" and len(value.args) > 1:
        value, stored = value.args[1], True
    read = read_names(value)
    others = [name for name in kernel.known(node) if kernel.role(name) == "variable" and name not in read]
    for name, sign in product(others if value in kernel.values else (), "+-"):
        if kernel.may_add(name, value):
            says = f"{kernel.shown(value)} lacks a term"
            new = f"(({kernel.text_of(value)}) {sign} {name})"
            cost = 1.0 if stored else 1.6
            yield kernel.put(value, new, says, "Check what must be added or subtracted.", cost, place=False)


def _factors(kernel: KernelText, node: ast.Name) -> Iterator[Edit]:
    if node in kernel.values and node.id in kernel.names and node.id not in kernel.pointers:
        for other, sign in product(kernel.known(node), "*/"):
            if kernel.role(other) == "variable" and other != node.id and kernel.may_add(other, node):
                says, step = f"`{node.id}` lacks a factor", "Check what it must be multiplied or divided by."
                yield kernel.put(node, f"({node.id} {sign} {other})", says, step, 2.0, place=False)


def _merged(kernel: KernelText, node: ast.BinOp) -> Iterator[Edit]:
    """Yield edits for two sums, each relative to its own maximum, that are added without one or both factors."""
    if node not in kernel.values:
        return
    match node:
        case ast.BinOp(ast.Name(left), ast.Add(), ast.Name(right)):
            made = kernel.function.assignments
            calls = [(one.name, one.value) for one in made if isinstance(one.value, ast.Call)]
            powers = {name for name, call in calls if called(call) in ("exp", "exp2")}
            known = [name for name in kernel.known(node) if name in powers]
            for one, other in permutations(known, 2):
                says = f"the terms of {kernel.shown(node)} lack their factors"
                new = f"({left} * {one} + {right} * {other})"
                yield kernel.put(node, new, says, RELATIVE, 0.8, place=False)
        case ast.BinOp(ast.BinOp(op=ast.Mult()) as term, ast.Add(), ast.Name(bare) as lacks) | ast.BinOp(
            ast.Name(bare) as lacks, ast.Add(), ast.BinOp(op=ast.Mult()) as term
        ):
            for factor in (term.left, term.right):
                for name, other in product(reads_in(factor), kernel.known(node)):
                    if isinstance(factor, ast.Call) and kernel.alike(name.id, other) and other not in read_names(node):
                        says = f"`{bare}` lacks the factor that {kernel.shown(term)} has"
                        new = f"({bare} * {kernel.replaced(factor, [(name, other)])})"
                        yield kernel.put(lacks, new, says, RELATIVE, 0.8, place=False)


def _grouped(kernel: KernelText, node: ast.BinOp) -> Iterator[Edit]:
    """Yield edits for a factor or divisor of a whole sum that belongs to one of its terms, or the reverse."""
    match node:
        case ast.BinOp(ast.BinOp(one, ast.Add() | ast.Sub() as sign, other) as whole, ast.Mult() | ast.Div() as by, of):
            parts, step = (one, other, of), "Check to which of them it belongs."
            says = f"{kernel.shown(of)} applies to both terms of {kernel.shown(whole)}"
            forms: tuple[str, ...] = "(({0}) {by} ({2}) {sign} ({1}))", "(({0}) {sign} ({1}) {by} ({2}))"
        case ast.BinOp(one, ast.Add() | ast.Sub() as sign, ast.BinOp(other, ast.Mult() | ast.Div() as by, of)):
            parts, step = (one, other, of), "Check whether it belongs to both terms."
            says = f"{kernel.shown(of)} applies to {kernel.shown(other)} alone"
            forms = ("(({0} {sign} ({1})) {by} ({2}))",)
        case _:
            return
    for form in forms:
        new = form.format(*map(kernel.text_of, parts), sign=SIGNS[type(sign)], by=SIGNS[type(by)])
        yield kernel.put(node, new, says, step, 1.0, place=False)


def _sizes(kernel: KernelText, node: ast.BinOp) -> Iterator[Edit]:
    """Yield edits that put a size which is passed in place of a product of sizes in a value: of what a tile pads."""
    names, whole = read_names(node), [name for name, kind in kernel.kinds.items() if kind is NameKind.WHOLE]
    constant = names <= {*whole} and names & {*kernel.constants}
    if isinstance(node.op, ast.Mult) and constant and node in kernel.values:
        for size in (name for name in whole if kernel.role(name) == "parameter" and name not in names):
            says = f"{kernel.shown(node)} is the wrong size"
            yield kernel.put(node, size, says, "Check which size belongs there.", 1.0, place=False)


def _reduced(kernel: KernelText, node: ast.Subscript, call: ast.Call) -> Iterator[Edit]:
    """Yield edits for a reduction along one axis of a tile that must be one of the whole tile."""
    if called(call) in REDUCTIONS and call.args:
        says, new = f"{kernel.shown(call)} is along one axis only", f"tl.{called(call)}({kernel.text_of(call.args[0])})"
        yield kernel.put(node, new, says, "Check which elements it must cover: a tile has two axes.", 0.9, place=False)


def _of_call(kernel: KernelText, node: ast.Call) -> Iterator[Edit]:
    """Yield edits for an exponential of the opposite, and for a sum that counts masked-off lanes."""
    name, given = called(node), node.args[0]
    text, shown = kernel.text_of(given), kernel.shown(given)
    if name in POWERS and not isinstance(given, ast.UnaryOp):
        yield kernel.put(given, f"-({text})", f"the sign of {shown} is wrong", "Check its sign.", 0.9, place=False)
    elif name == "sum" and not isinstance(given, ast.Call):
        for mask in kernel.masks:
            new, says = f"tl.where({mask}, {text}, 0.0)", f"masked-off lanes enter {kernel.shown(node)}"
            yield kernel.put(given, new, says, f"Work out what {shown} is in those lanes.", 1.0, place=False)


def _of_quotient(kernel: KernelText, node: ast.BinOp) -> Iterator[Edit]:
    """Yield edits for a divisor that lacks its root, and for a number in place of a value."""
    match node:
        case ast.BinOp(_, ast.Div(), divisor) if not isinstance(divisor, ast.Constant):
            new, says = f"tl.sqrt({kernel.text_of(divisor)})", f"{kernel.shown(divisor)} lacks its square root"
            yield kernel.put(divisor, new, says, "Check what the value is divided by.", 1.0, place=False)
        case ast.BinOp(ast.Constant(value=float() | 1) as number, ast.Div(), _):
            for name in kernel.known(node):
                if kernel.kinds.get(name) is NameKind.NUMBER and name not in read_names(node):
                    says = f"{kernel.shown(number)} stands in place of a value"
                    yield kernel.put(number, name, says, "Check what is divided there.", 1.0, place=False)


def _places_in_a_tile(node: ast.AST) -> list[str]:
    """Return the names that an assignment gives to places in a tile, as an argmax finds them."""
    match node:
        case ast.Assign([ast.Name(name)], ast.Call() as call) if called(call) in ("argmax", "argmin"):
            return [name]
        case ast.Assign([ast.Tuple([_, ast.Name(name)])], ast.Call() as call) if called(call) in ("max", "min"):
            return [name]
    return []


def _counted_on(kernel: KernelText, node: ast.Name, places: set[str]) -> Iterator[Edit]:
    """Yield edits that count a place in a tile on from where the tile starts."""
    loops = [loop for loop in kernel.function.nodes if isinstance(loop, ast.For) and isinstance(loop.target, ast.Name)]
    if node.id in places and node in kernel.values:
        for start in (loop.target for loop in loops if loop.lineno < node.lineno <= (loop.end_lineno or 0)):
            says = f"`{node.id}` counts from the start of its tile"
            new = f"({kernel.text_of(start)} + {node.id})"
            yield kernel.put(node, new, says, "Add what lies before the tile.", 0.8, place=False)
