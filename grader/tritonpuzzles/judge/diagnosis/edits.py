"""Small edits of a kernel's text, each with what it says is wrong: candidates for a proof, nothing more.

Every edit keeps the numbers of the lines, so that a recorded launch still finds its kernels. None looks at what a name
is like: a variable is exchanged for any other that is in scope.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations, product
from types import MappingProxyType

from tritonpuzzles.judge.diagnosis.kinds import NameKind, kinds_of
from tritonpuzzles.source import Source
from tritonpuzzles.source.functions import Function, assignments_in

LOWEST = "-3.4028234663852886e38"  # the smallest finite float32
MINUS_INF = 'float("-inf")'
FUNCTIONS = {"max": ("sum", "min"), "sum": ("max",), "min": ("max",), "maximum": ("minimum",), "minimum": ("maximum",),
             "exp": ("exp2",), "exp2": ("exp",), "log": ("log2",), "log2": ("log",)}  # fmt: skip
OPERATORS = {ast.Add: "-*", ast.Sub: "+", ast.Mult: "/+", ast.Div: "*"}
SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
COMPARISONS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
NUMBER = "Which number must stand there?"
COMPARISON = "Which lanes does it let through, and which should it?"
BITS = "Compute in float32 there; round once, at the store."
LIKE = {"constant": 0.7, "parameter": 0.9, "variable": 1.2}  # costs of one such name for another: there are ever more
SHOWN = 40  # characters of an expression in a sentence


@dataclass(frozen=True)
class Edit:
    """One change of a text.

    Attributes:
        line: that is changed.
        start, end: bytes of the text that go.
        new: what stands there afterwards.
        says: what is wrong with the line, if the edit mends it.
        step: what to find out then.
        cost: the lower, the sooner it is tried: how often learners make the mistake, against how many edits there are.
        place: whether it may change where a kernel loads and stores, and not only what it computes.
    """

    line: int
    start: int
    end: int
    new: str
    says: str
    step: str
    cost: float
    place: bool = True

    def of(self, text: str) -> str:
        """Return the text after the change."""
        data = text.encode()
        return (data[: self.start] + self.new.encode() + data[self.end :]).decode()


def edits(source: Source, given: Mapping[str, Mapping[str, NameKind]] = MappingProxyType({})) -> list[Edit]:
    """Return the edits of all kernels of a file, without those that change nothing; none if it is no Python.

    Args:
        source: of the file.
        given: kinds of the parameters of its kernels, by kernel, as far as launches tell.
    """
    all_of_them = (edit for one in source.kernels for edit in _Kernel(source, one, given.get(one.name, {})).edits())
    found = [edit for edit in all_of_them if edit.new.encode() != source.data[edit.start : edit.end]]
    found.sort(key=lambda edit: edit.cost, reverse=True)  # of two that are the same, the likelier counts
    return list({(edit.start, edit.end, edit.new): edit for edit in found}.values())


class _Kernel:
    """One kernel, or a helper of one.

    Attributes:
        names: parameters and variables.
        idle: names that nothing reads.
        bounds: all that is compared, and the ends of ranges.
        masks: everything that a load or a store has as its mask.
    """

    def __init__(self, source: Source, function: Function, given: Mapping[str, NameKind]) -> None:
        self.function, self.data, self.span, self.text_of = function, source.data, source.span, source.text_of
        self.parameters, self.constants = function.parameters, function.constants
        self.kinds = kinds_of(function, given)
        named = [node for node in function.nodes if isinstance(node, ast.Name)]
        stored = [node.id for node in named if isinstance(node.ctx, ast.Store)]
        read = {node.id for node in named if not isinstance(node.ctx, ast.Store)}
        self.names = list(dict.fromkeys([*self.parameters, *stored]))
        self.idle = [name for name in self.names if name not in read]
        bounds = [node for node in function.nodes if isinstance(node, ast.Compare) or _is_range(node)]
        self.bounds = {node for bound in bounds for node in ast.walk(bound)}
        masks = (node.value for node in function.nodes if isinstance(node, ast.keyword) and node.arg == "mask")
        self.masks = list(dict.fromkeys(map(self.text_of, masks)))

    def role(self, name: str) -> str:
        return "constant" if name in self.constants else "parameter" if name in self.parameters else "variable"

    def shown(self, node: ast.expr) -> str:
        """Return an expression for a sentence."""
        text = " ".join(self.text_of(node).split())
        return f"`{text}`" if len(text) <= SHOWN else f"`{text[: SHOWN - 3]}...`"

    def put(self, node: ast.expr | ast.stmt, new: str, says: str, step: str, cost: float, place: bool = True) -> Edit:
        """Replace a node."""
        return Edit(node.lineno, *self.span(node), new, says, step, cost, place)

    def behind(self, node: ast.expr, new: str, says: str, step: str, cost: float) -> Edit:
        """Add an argument to a call."""
        end = self.span(node)[1] - 1
        comma = "" if self.data[:end].rstrip().endswith((b",", b"(")) else ", "
        return Edit(node.lineno, end, end, comma + new, says, step, cost)

    def edits(self) -> Iterator[Edit]:
        for statement in self.function.node.body:
            for node in ast.walk(statement):
                if isinstance(node, ast.expr):
                    yield from self.of_expression(node)
                elif isinstance(node, ast.keyword):
                    yield from self.of_keyword(node)
        for node in self.function.nodes:
            body = getattr(node, "body", None)
            if isinstance(node, ast.stmt) and isinstance(body, list):
                yield from self.of_body(node, body)

    def of_expression(self, node: ast.expr) -> Iterator[Edit]:
        match node:
            case ast.Constant(value=bool()):
                return
            case ast.Constant(value=int() | float()) | ast.UnaryOp(op=ast.USub()) | ast.Call(func=ast.Name(id="float")):
                yield from self.of_number(node)
            case ast.Call(func=ast.Attribute(value=ast.Name(id="tl"), attr=name)):
                yield from self.of_call(node, name)
            case ast.Call(func=ast.Attribute(value=value, attr="to")):
                shown = self.shown(node)
                yield self.put(node, self.text_of(value), f"{shown} takes bits away", BITS, 0.3, place=False)
            case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div()):
                yield from self.of_operation(node)
            case ast.Compare(left=left, ops=[operator], comparators=[right]) if type(operator) in COMPARISONS:
                says = f"the comparison in {self.shown(node)} is the wrong one"
                for sign in COMPARISONS.values():
                    new = f"{self.text_of(left)} {sign} {self.text_of(right)}"
                    yield self.put(node, new, says, COMPARISON, 0.9)
            case ast.Name(id=name, ctx=ast.Load()) if name in self.names:
                yield from self.of_name(node, name)

    def of_number(self, node: ast.expr) -> Iterator[Edit]:
        if not any(isinstance(part, ast.Name) and part.id != "float" for part in ast.walk(node)):
            says = f"{self.shown(node)} is the wrong number"
            for new in ("0.0", MINUS_INF, LOWEST, "1.0", "0", "1", "2"):
                yield self.put(node, new, says, NUMBER, 1.0, new.isdigit())
            for change in ("+ 1", "- 1"):
                yield self.put(node, f"({self.text_of(node)} {change})", says, NUMBER, 1.3)
        if isinstance(node, ast.UnaryOp):
            says = f"the sign of {self.shown(node)} is wrong"
            yield self.put(
                node, self.text_of(node.operand), says, "Leave the sign out, or exchange it.", 1.0, place=False
            )

    def of_call(self, node: ast.Call, name: str) -> Iterator[Edit]:
        says = f"`tl.{name}` is the wrong function"
        for other in FUNCTIONS.get(name, ()):
            yield self.put(node.func, f"tl.{other}", says, "Which function belongs in its place?", 1.0, place=False)
        if name in ("load", "store"):
            yield from self.of_access(node, name)
        if name == "where" and len(node.args) == 3:
            for kept in node.args[1:]:
                says = f"the condition in {self.shown(node)} chooses where nothing is to be chosen, or wrongly"
                yield self.put(node, self.text_of(kept), says, "For which values is the condition wrong?", 1.1)
            turned = f"tl.where({', '.join(self.text_of(node.args[i]) for i in (0, 2, 1))})"
            yield self.put(node, turned, "the two sides of tl.where are exchanged", "Exchange them.", 1.0)
        elif name in ("maximum", "minimum", "exp", "exp2", "log", "sum", "max") and node.args:
            for kept in node.args[:2]:
                says = f"`tl.{name}` is one too many in {self.shown(node)}"
                yield self.put(node, self.text_of(kept), says, "What would the line give without it?", 1.5, place=False)

    def of_access(self, node: ast.Call, name: str) -> Iterator[Edit]:
        given = {word.arg for word in node.keywords}
        masked = "mask" in given or len(node.args) > 2 - (name == "load")
        fills = ("0.0", MINUS_INF) if name == "load" else ("",)
        if masked and name == "load" and "other" not in given and len(node.args) < 3:
            for fill in fills:
                says = "the load does not say what the lanes hold that its mask switches off"
                yield self.behind(node, f"other={fill}", says, "Give other= the number that counts for nothing.", 0.6)
        if not masked:
            for mask in self.masks:
                for fill in fills:
                    new = f"mask={mask}" + (f", other={fill}" if fill else "")
                    yield self.behind(node, new, f"the tl.{name} has no mask", "Mask what lies outside.", 0.6)

    def of_keyword(self, node: ast.keyword) -> Iterator[Edit]:
        text = self.text_of(node.value)
        if node.arg == "axis" and text in ("0", "1"):
            yield self.put(
                node.value, str(1 - int(text)), "the axis is the wrong one", "Along which axis?", 0.7, place=False
            )
        elif node.arg == "mask":
            for mask in self.masks:
                yield self.put(node.value, mask, "the mask is the wrong one", "Which lanes may take part?", 0.9)

    def of_operation(self, node: ast.BinOp) -> Iterator[Edit]:
        left, right, shown = self.text_of(node.left), self.text_of(node.right), self.shown(node)
        for sign in OPERATORS[type(node.op)]:
            new = f"(({left}) {sign} ({right}))"
            yield self.put(node, new, f"the operator in {shown} is the wrong one", "Which operator belongs there?", 1.1)
        if isinstance(node.op, ast.Sub | ast.Div):
            new = f"(({right}) {SIGNS[type(node.op)]} ({left}))"
            yield self.put(node, new, f"the operands of {shown} are exchanged", "Exchange them.", 1.0)
            for function in ("tl.exp", "tl.exp2"):
                new = f"{function}(({left}) - ({right}))"
                yield self.put(
                    node, new, f"{shown} is to be an exponential of a difference", "Of which?", 1.4, place=False
                )
        for kept, gone in ((node.left, node.right), (node.right, node.left)):
            says = f"{self.shown(gone)} is one too many in {shown}"
            cost = 0.8 if node in self.bounds else 1.2
            yield self.put(node, self.text_of(kept), says, "What would the line give without it?", cost)

    def of_name(self, node: ast.Name, name: str) -> Iterator[Edit]:
        for other in self.names:
            if other != name:
                unlike = self.kinds.get(other) is not self.kinds.get(name)
                cost = 1.9 if unlike else LIKE[self.role(name)] if self.role(name) == self.role(other) else 1.5
                cost -= other in self.idle
                says, step = f"`{name}` is the wrong variable", f"Which variable belongs in the place of {name}?"
                yield self.put(node, other, says, step, cost, place=not unlike)
        yield self.put(node, f"{name}.to(tl.float32)", f"`{name}` has too few bits", BITS, 1.6, place=False)
        for other in self.names:
            if other != name and other not in self.parameters:
                for sign in "*/":
                    says = f"`{name}` lacks a factor"
                    yield self.put(
                        node, f"({name} {sign} {other})", says, "By what is it to be multiplied?", 2.0, place=False
                    )

    def of_body(self, node: ast.stmt, body: Sequence[ast.stmt]) -> Iterator[Edit]:
        plain = [one for one in body if isinstance(one, ast.Assign | ast.AugAssign)]
        for first, second in pairwise(body):
            if first in plain and second in plain:
                start, end = self.span(first)[0], self.span(second)[1]
                between = self.data[self.span(first)[1] : self.span(second)[0]].decode()
                new = self.text_of(second) + between + self.text_of(first)
                says = f"lines {first.lineno} and {second.lineno} stand in the wrong order"
                yield Edit(first.lineno, start, end, new, says, "Exchange them.", 1.1)
        for one in plain:
            if len(body) > 1:
                says = f"`{' '.join(self.text_of(one).split())[:SHOWN]}` is one too many"
                yield self.put(one, "pass", says, "What would the kernel give without it?", 1.3)
        if isinstance(node, ast.For) and plain and body[-1] in plain:
            made = list(dict.fromkeys(made.name for made in assignments_in(plain) if made.name))
            before = [name for name in self.names if name not in (*self.parameters, *made)]
            for kept, new in [*product(before, made), *permutations(made, 2)]:
                says = f"`{kept}` does not get its new value at the end of the iteration"
                text = f"{self.text_of(body[-1])}; {kept} = {new}"
                cost = 0.9 if kept in before else 1.2
                yield self.put(
                    body[-1], text, says, f"What must {kept} be when the next iteration begins?", cost, place=False
                )
        if isinstance(node, ast.If):
            for new in ("True", "False"):
                says = f"the condition {self.shown(node.test)} is the wrong one"
                yield self.put(node.test, new, says, "When must what stands below it be done?", 0.4)


def _is_range(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).endswith("range")
