"""Small edits of a kernel's text, each with a sentence on what is wrong: candidates that a replay must still prove.

Edits do not look at how a name is spelled: a variable is replaced by any other of its kind that is known there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, pairwise, permutations, product
from types import MappingProxyType

from tritonpuzzles.judge.diagnosis.additions import missing
from tritonpuzzles.judge.diagnosis.kerneltext import COMPUTED, SHOWN, SIGNS, Edit, KernelText, NameKind, reads_in
from tritonpuzzles.judge.diagnosis.values import of_values
from tritonpuzzles.judge.diagnosis.walking import LOWEST, MINUS_INF, walking
from tritonpuzzles.source import Source
from tritonpuzzles.source.functions import assignments_in, operands, reached

FUNCTIONS = {"max": ("sum", "min"), "sum": ("max",), "min": ("max",), "maximum": ("minimum",), "minimum": ("maximum",),
             "exp": ("exp2",), "exp2": ("exp",), "log": ("log2",), "log2": ("log",), "sqrt": ("rsqrt",),
             "rsqrt": ("sqrt",)}  # fmt: skip
OPERATORS = {ast.Add: "-*", ast.Sub: "+", ast.Mult: "/+", ast.Div: "*"}
COMPARISONS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
NUMBER = "Check which number belongs there."
COMPARISON = "Check for which lanes it is true, and for which it should be."
WHOLE = ("tl.int", "tl.uint")
WIDER = "Check whether the values fit into that type."
BITS = "Compute in float32 there; round once, at the store."
BOUND = 0.3  # subtracted from the cost of another size in a comparison: there are few
MADE_OF = 0.7  # subtracted where the other one is computed from the size, as the end of a program's part
LIKE = {"constant": 0.7, "parameter": 0.9, "variable": 1.2}  # costs of one such name for another: rare kinds first


def edits(source: Source, given: Mapping[str, Mapping[str, NameKind]] = MappingProxyType({})) -> list[Edit]:
    """Return the edits of all kernels of a file, without those that change nothing; none if it is not Python.

    `given` maps kernels to the kinds of their parameters, as far as the launches show them.
    """
    all_of_them = (edit for one in source.kernels for edit in _Kernel(source, one, given.get(one.name, {})).edits())
    found = [edit for edit in all_of_them if edit.new.encode() != source.data[edit.start : edit.end]]
    found.sort(key=lambda edit: edit.cost, reverse=True)  # of two edits with the same text, the cheaper one is kept
    return list({(edit.start, edit.end, edit.new): edit for edit in found}.values())


class _Kernel(KernelText):
    """The edits of one kernel."""

    def edits(self) -> Iterator[Edit]:
        for statement in self.function.node.body:
            for node in ast.walk(statement):
                if isinstance(node, ast.expr):
                    yield from self.of_expression(node)
                elif isinstance(node, ast.keyword):
                    yield from self.of_keyword(node)
                elif isinstance(node, ast.Assign | ast.AugAssign | ast.Expr):
                    yield from self.of_statement(node)
        for node in self.function.nodes:
            body = getattr(node, "body", None)
            if isinstance(node, ast.stmt) and isinstance(body, list):
                yield from self.of_body(node, body)
        yield from missing(self)
        yield from of_values(self)
        yield from walking(self)

    def of_expression(self, node: ast.expr) -> Iterator[Edit]:
        match node:
            case ast.Constant(value=bool()):
                return
            case ast.Constant(value=int() | float()) | ast.UnaryOp(op=ast.USub()) | ast.Call(func=ast.Name(id="float")):
                yield from self.of_number(node)
            case ast.Call(func=ast.Attribute(value=ast.Name(id="tl"), attr=name)):
                yield from self.of_call(node, name)
            case ast.Call(func=ast.Name(id="min" | "max" as name)):
                other = {"min": "max", "max": "min"}[name]
                says = f"`{name}` is the wrong function in {self.shown(node)}"
                yield self.put(node.func, other, says, "Check whether it must be the smaller or the larger.", 0.3)
            case ast.Call(func=ast.Attribute(value=value, attr="to")):
                step = WIDER if any(whole in self.text_of(node) for whole in WHOLE) else BITS
                says = f"{self.shown(node)} loses bits"
                yield self.put(node, self.text_of(value), says, step, 0.3, place=False)
            case ast.Attribute(attr="element_ty") if node in self.named | self.starts:
                yield self.put(node, "tl.float32", f"{self.shown(node)} has too few bits", BITS, -0.1, place=False)
            case ast.BinOp(op=ast.FloorDiv()):
                says = f"{self.shown(node)} drops the remainder of the division"
                for less in ("", *(f" - {name}" for name in self.programs if name in self.known(node))):
                    new = f"tl.cdiv({self.text_of(node.left)}{less}, {self.text_of(node.right)})"
                    yield self.put(node, new, says, "Check whether the remainder must count.", 0.6)
            case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div()):
                yield from self.of_operation(node)
            case ast.Compare(left=left, ops=[operator], comparators=[right]) if type(operator) in COMPARISONS:
                says = f"the comparison in {self.shown(node)} is wrong"
                for sign in COMPARISONS.values():
                    new = f"{self.text_of(left)} {sign} {self.text_of(right)}"
                    cost = 0.6 if sign[0] == COMPARISONS[type(operator)][0] else 1.3
                    yield self.put(node, new, says, COMPARISON, cost)
                if "inf" in self.text_of(right):
                    new, step = f"{self.text_of(left)} != {self.text_of(right)}", "Check its result for NaN."
                    yield self.put(node, new, says, step, 0.4)
            case ast.Name(id=name, ctx=ast.Load()) if name in self.names:
                yield from self.of_name(node, name)
            case ast.Subscript(value=value, slice=ast.Tuple(elts=[one, other])) if _is_spread(one) != _is_spread(other):
                new = f"{self.text_of(value)}[{self.text_of(other)}, {self.text_of(one)}]"
                says = f"{self.shown(node)} is along the wrong axis"
                yield self.put(node, new, says, "Check which axis of the tile it belongs to.", 0.7, place=False)

    def of_number(self, node: ast.expr) -> Iterator[Edit]:
        if node in self.positions or node in self.fills:
            return
        if not any(isinstance(part, ast.Name) and part.id != "float" for part in ast.walk(node)):
            says = f"{self.shown(node)} is the wrong number"
            whole = isinstance(node, ast.Constant) and isinstance(node.value, int)
            for new in ("0", "1", "2", MINUS_INF) if whole else ("0.0", "1.0", MINUS_INF, LOWEST, "2.0"):
                turned = new == MINUS_INF and not isinstance(node, ast.Constant)  # it is float("inf")
                yield self.put(node, new, says, NUMBER, 0.4 if turned else 1.0, new.isdigit())
            for name in filter(self.idle.__contains__, self.known(node)):
                says = f"`{name}` is never used, and a number is in its place"
                yield self.put(node, name, says, f"Check what {name} is needed for.", 0.4)
            for change in ("+ 1", "- 1"):
                yield self.put(node, f"({self.text_of(node)} {change})", says, NUMBER, 1.3)
        if isinstance(node, ast.UnaryOp):
            says, step = f"the sign of {self.shown(node)} is wrong", "Remove the sign, or change it."
            yield self.put(node, self.text_of(node.operand), says, step, 1.0, place=False)

    def of_call(self, node: ast.Call, name: str) -> Iterator[Edit]:
        says = f"`tl.{name}` is the wrong function"
        for other in FUNCTIONS.get(name, ()):
            yield self.put(node.func, f"tl.{other}", says, "Check which function belongs there.", 0.6, place=False)
        if name == "where" and len(node.args) == 3:
            for kept in node.args[1:]:
                says = f"the condition in {self.shown(node)} is wrong, or not needed"
                yield self.put(node, self.text_of(kept), says, "Check for which values the condition is wrong.", 1.1)
            turned = f"tl.where({', '.join(self.text_of(node.args[i]) for i in (0, 2, 1))})"
            yield self.put(node, turned, "the two sides of tl.where are exchanged", "Exchange them.", 1.0)
            for fill in node.args[1:]:
                if isinstance(fill, ast.Constant):
                    says = f"{self.shown(fill)} is the wrong value for lanes that tl.where leaves out"
                    yield self.put(fill, MINUS_INF, says, "Choose a value that changes no result.", 0.4, place=False)
        elif name in ("reshape", "view") and node.args:
            says = f"`tl.{name}` keeps the order of the elements, and exchanges no axes"
            new, step = f"tl.trans({self.text_of(node.args[0])})", "Use a function that exchanges axes."
            yield self.put(node, new, says, step, 0.7, place=False)
        elif name in ("maximum", "minimum", "exp", "exp2", "log", "sum", "max", "trans") and node.args:
            if name in ("maximum", "minimum") and len(node.args) == 2:
                new, says = " + ".join(f"({self.text_of(one)})" for one in node.args), f"`tl.{name}` adds nothing"
                yield self.put(node, f"({new})", says, "Check whether the sum of both belongs there.", 1.3, place=False)
            for kept in node.args[:2]:
                says = f"`tl.{name}` should not be in {self.shown(node)}"
                cost = 0.5 if node in self.bounds else 1.5
                yield self.put(node, self.text_of(kept), says, "Work out the line without it.", cost)

    def of_keyword(self, node: ast.keyword) -> Iterator[Edit]:
        text = self.text_of(node.value)
        if node.arg == "axis" and text in ("0", "1"):
            says = "the axis is wrong"
            yield self.put(node.value, str(1 - int(text)), says, "Check which axis it must use.", 0.7, place=False)
        elif node.arg == "mask":
            for mask in self.masks:
                step = f"Check that `{text}` tests the indices that the offsets use."
                yield self.put(node.value, mask, "the mask is wrong", step, 0.9)

    def of_operation(self, node: ast.BinOp) -> Iterator[Edit]:
        left, right, shown = self.text_of(node.left), self.text_of(node.right), self.shown(node)
        kind = self.kind(node)
        for sign in OPERATORS[type(node.op)] if kind is not NameKind.POINTER or isinstance(node.op, ast.Sub) else "":
            new = f"(({left}) {sign} ({right}))"
            yield self.put(node, new, f"the operator in {shown} is wrong", "Check which operator belongs there.", 1.0)
        if isinstance(node.op, ast.Sub | ast.Div):
            new = f"(({right}) {SIGNS[type(node.op)]} ({left}))"
            yield self.put(node, new, f"the operands of {shown} are exchanged", "Exchange them.", 0.9)
            for function in ("tl.exp", "tl.exp2") if kind in (NameKind.NUMBER, None) else ():
                new = f"{function}(({left}) - ({right}))"
                says, step = f"{shown} should be the exponential of a difference", "Check which difference."
                yield self.put(node, new, says, step, 1.4 if node in self.exponents else 0.9, place=False)
        match node:
            case ast.BinOp(left=ast.Call(args=[inside], keywords=[]) as call):
                new = self.replaced(call, [(inside, f"({self.text_of(inside)}) {SIGNS[type(node.op)]} ({right})")])
                says = f"{self.shown(node.right)} is outside of {self.shown(call)}"
                yield self.put(node, new, says, "Check whether it belongs inside.", 1.0, place=False)
        for kept, gone in ((node.left, node.right), (node.right, node.left)):
            says = f"{self.shown(gone)} should not be in {shown}"
            cost = 0.8 if node in self.bounds or isinstance(gone, ast.Constant) else 1.2
            yield self.put(node, self.text_of(kept), says, "Work out the line without it.", cost)

    def of_name(self, node: ast.Name, name: str) -> Iterator[Edit]:
        for other in self.known(node):
            unlike, both = self.kinds.get(other) is not self.kinds.get(name), {self.role(name), self.role(other)}
            if unlike and name in self.pointers:
                continue
            cost = LIKE[self.role(name)] if len(both) == 1 else 1.3 if "variable" in both else 1.1
            cost = 1.9 if unlike else min(cost, 0.7) if name in self.pointers else cost
            cost -= other in self.idle
            cost -= BOUND * (node in self.bounds and both == {"parameter"})
            cost -= MADE_OF * (node in self.bounds and not unlike and name in self.made_of.get(other, ()))
            says, step = f"`{name}` is the wrong variable", f"Check which variable belongs in place of {name}."
            yield self.put(node, other, says, step, cost, place=not unlike or other in self.idle)
        if node in self.values and self.kinds.get(name) in (NameKind.NUMBER, None):
            yield self.put(node, f"{name}.to(tl.float32)", f"`{name}` has too few bits", BITS, 1.6, place=False)
            if name in self.parameters:
                says = f"`{name}` is used in place of its complement to 1, or the reverse"
                yield self.put(node, f"(1 - {name})", says, f"Check which share {name} is.", 1.0, place=False)

    def of_statement(self, node: ast.Assign | ast.AugAssign | ast.Expr) -> Iterator[Edit]:
        """Yield edits that exchange two names in a statement."""
        read = [one for one in reads_in(node) if one.id in self.names]
        names = dict.fromkeys(one.id for one in read)
        for one, other in combinations(names, 2):
            instead = {one: other, other: one}
            new = self.replaced(node, [(name, instead[name.id]) for name in read if name.id in instead])
            if self.alike(one, other) and _form(ast.parse(new)) != _form(ast.parse(self.text_of(node))):
                says = f"`{one}` and `{other}` are exchanged"
                cost = 0.9 - COMPUTED * (node.value in self.values)
                yield self.put(node, new, says, "Check where each of them belongs.", cost)

    def exchanged(self, first: ast.Assign | ast.AugAssign, second: ast.Assign | ast.AugAssign) -> Edit:
        """Return an edit for two lines in the wrong order, or a second line that needs what the first overwrites."""
        turned = (first, self.text_of(second)), (second, self.text_of(first))
        match first:
            case ast.Assign(targets=[ast.Name(id=one)]) if self.goes_on(first, one) and self.reads(second, one):
                says = f"it needs the value that `{one}` had before line {first.lineno}"
                edit = self.put_each(turned, says, f"Keep both values of {one}.", 0.6)
                lines = {name.lineno for name in reads_in(self.function.node) if name.id == one}
                used = bool(lines - {first.lineno, second.lineno})  # else the first line would have no effect
                return replace(edit, line=second.lineno, order=used, cost=0.6 if used else 1.1)
        says = f"lines {first.lineno} and {second.lineno} are in the wrong order"
        return self.put_each(turned, says, "Exchange them.", 1.1)

    def of_order(self, loop: ast.stmt, plain: Sequence[ast.Assign | ast.AugAssign]) -> Iterator[Edit]:
        """Yield edits for a variable that is updated before all lines of the iteration have read its old value."""
        for number, one in enumerate(plain):
            match one:
                case (
                    ast.Assign(targets=[ast.Name(id=name)], value=ast.Name()) | ast.AugAssign(target=ast.Name(id=name))
                ) if name in self.known(loop):
                    reader = next((after for after in plain[number + 1 :] if self.reads(after, name)), None)
                    if reader is None:
                        continue
                    says = f"`{name}` gets its new value before line {reader.lineno} has read the old one"
                    step = f"Check up to which line the old {name} is needed."
                    last = plain[-1], f"{self.text_of(plain[-1])}; {self.text_of(one)}"
                    yield replace(self.put_each([(one, "pass"), last], says, step, 0.5), order=True)

    def reads(self, statement: ast.Assign | ast.AugAssign, name: str) -> bool:
        """Return whether a statement computes its value from a variable."""
        return name in map(self.text_of, reads_in(statement.value))

    def goes_on(self, statement: ast.Assign, name: str) -> bool:
        """Return whether a statement computes a variable's new value from its old one, directly or not."""
        return self.names[name] < statement.lineno and name in reached(statement.value, self.function.sources)

    def of_body(self, node: ast.stmt, body: Sequence[ast.stmt]) -> Iterator[Edit]:
        plain = [one for one in body if isinstance(one, ast.Assign | ast.AugAssign)]
        for first, second in pairwise(body):
            if first in plain and second in plain:
                yield self.exchanged(first, second)
        if isinstance(node, ast.For | ast.While) and body[-1] in plain:
            yield from self.of_order(node, plain)
        for one in plain:
            if len(body) > 1:
                says = f"`{' '.join(self.text_of(one).split())[:SHOWN]}` should not be there"
                yield self.put(one, "pass", says, "Work out what the kernel computes without it.", 1.3)
        if isinstance(node, ast.For) and plain and body[-1] in plain:
            assigned = [one for one in assignments_in(plain) if one.name]
            made = list(dict.fromkeys(one.name for one in assigned))
            follows = {(name.id, one.name) for one in assigned for name in reads_in(one.value)}  # (operand, result)
            read = {name.id for one in body for name in reads_in(one)}
            before = [name for name in self.known(node) if name in read and name not in (*self.parameters, *made)]
            for kept, new in [*product(before, made), *permutations(made, 2)]:
                if not self.alike(kept, new):
                    continue
                says = f"`{kept}` does not get its new value at the end of the iteration"
                step = f"Check what {kept} must be when the next iteration starts."
                text = f"{self.text_of(body[-1])}; {kept} = {new}"
                cost = 1.2 if kept in made else 0.5 if (kept, new) in follows else 0.9
                yield self.put(body[-1], text, says, step, cost, place=False)
        if isinstance(node, ast.If):
            passed = isinstance(node.test, ast.Name) and node.test.id in self.parameters  # decided by the launch
            for new in ("True", "False"):
                says = f"the condition {self.shown(node.test)} is wrong"
                yield self.put(node.test, new, says, "Check when the lines below it must run.", 0.4 if passed else 0.0)


def _is_spread(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _form(node: object) -> object:
    """Return what an expression computes, with the operands of sums and products in one canonical order."""
    if isinstance(node, list):
        return [_form(one) for one in node]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mult):
        return type(node.op), sorted(repr(_form(one)) for one in operands(node, type(node.op)))
    return (type(node), [_form(value) for _, value in ast.iter_fields(node)]) if isinstance(node, ast.AST) else node
