"""A kernel's text, prepared for edits: positions of its parts, kinds of its names, and the edits themselves.

Every edit keeps the line numbers, so that a recorded launch still finds its kernels.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tritonpuzzles.source import Source
from tritonpuzzles.source.functions import Function, given_to, language_calls, names_in
from tritonpuzzles.source.loops import PROGRAM

WHOLE_CALLS = frozenset(
    {"program_id", "num_programs", "arange", "cdiv", "range", "min", "max_contiguous", "multiple_of"}
)
ROUNDS = 3  # passes over a loop until the kinds of its names settle
SHOWN = 40  # characters of an expression in a sentence
COMPUTED = 0.3  # off the cost of an edit where values are computed: a wrong address mostly shows up by other signs
Piece = ast.expr | ast.stmt
SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
SIZES = ("arange", "program_id", "num_programs", "zeros", "full", "cdiv", "range")  # their arguments are no values


class NameKind(enum.Enum):
    """The kind of value that a name has."""

    POINTER = "pointer"
    NUMBER = "number"
    WHOLE = "whole"
    MASK = "mask"


def kinds_of(function: Function, given: Mapping[str, NameKind]) -> dict[str, NameKind]:
    """Return the kinds of a function's names."""
    known = dict(given)
    made = [(one.name, one.value) for one in function.assignments if one.name]
    loops = (node for node in function.nodes if isinstance(node, ast.For))
    made += [(loop.target.id, loop.iter) for loop in loops if isinstance(loop.target, ast.Name)]
    for _ in range(ROUNDS):
        for name, value in made:
            kind = _kind(value, known)
            if kind is not None and known.get(name) not in (NameKind.POINTER, NameKind.NUMBER):
                known[name] = kind
    return known


def _kind(value: ast.expr, known: Mapping[str, NameKind]) -> NameKind | None:
    match value:
        case ast.Name(name):
            return known.get(name)
        case ast.Compare() | ast.UnaryOp(ast.Not() | ast.Invert()):
            return NameKind.MASK
        case ast.Constant(number):
            return NameKind.WHOLE if isinstance(number, int) else NameKind.NUMBER
        case ast.Subscript(inner) | ast.UnaryOp(_, inner) | ast.Call(ast.Attribute(inner, "to")):
            return _kind(inner, known)
        case ast.BinOp(left, ast.Div(), right):
            return NameKind.NUMBER
        case ast.BinOp(left, _, right) | ast.Call(ast.Attribute(attr="minimum" | "maximum"), [left, right]):
            both = {_kind(left, known), _kind(right, known)}
            return next((kind for kind in NameKind if kind in both), None)
        case ast.Call(ast.Attribute(attr=name) | ast.Name(name)):
            return NameKind.WHOLE if name in WHOLE_CALLS else NameKind.NUMBER
    return None


@dataclass(frozen=True)
class Edit:
    """One change of a text."""

    line: int  # the line that is changed
    start: int  # and end: the range of bytes that is replaced
    end: int
    new: str  # the text that replaces it
    says: str  # what is wrong with the line, if the edit fixes it
    step: str  # what the learner should find out then
    cost: float  # cheap edits are tried first: frequent mistakes are cheap, edits of which there are many are expensive
    place: bool = True  # whether it may change which addresses are loaded or stored, and not only values
    order: bool = False  # whether it changes when a line runs; then a named mistake may be reported at another line

    def of(self, text: str) -> str:
        """Return the text after the change."""
        data = text.encode()
        return (data[: self.start] + self.new.encode() + data[self.end :]).decode()


class KernelText:
    """One kernel, or a helper function that a kernel calls.

    Attributes:
        names: parameters and variables, each with the line after which it is known.
        idle: names that nothing reads, but those that begin with an underscore.
        pointers: names of addresses.
        bounds: operands of comparisons, and arguments of ranges.
        values: expressions of computed values: no address, mask, size or comparison.
        made_of: for each name that is a minimum, the names that it is computed from.
        named: expressions that are assigned as a whole.
        positions: numbers that name an axis, and arguments of tl.arange.
        starts: arguments of tl.zeros and tl.full, and their parts.
        fills: values of `other=`, which loads give to masked-off lanes.
        stored: the values that stores write, not their addresses.
        factors: names that occur in the arguments of a matrix product.
        exponents: arguments of exponentials.
        masks: the mask of every load and store.
        programs: names of variables that hold a program id.
    """

    def __init__(self, source: Source, function: Function, given: Mapping[str, NameKind]) -> None:
        self.function, self.data, self.span, self.text_of = function, source.data, source.span, source.text_of
        self.parameters, self.constants = function.parameters, function.constants
        self.kinds = kinds_of(function, given)
        named = [node for node in function.nodes if isinstance(node, ast.Name)]
        made = sorted((node for node in named if isinstance(node.ctx, ast.Store)), key=lambda node: -node.lineno)
        read = {node.id for node in named if not isinstance(node.ctx, ast.Store)}
        self.names = {node.id: node.lineno for node in made} | dict.fromkeys(self.parameters, 0)
        self.idle = [name for name in self.names if name not in read and not name.startswith("_")]
        calls = (node for node in function.nodes if isinstance(node, ast.Call))
        ranges = (call for call in calls if ast.unparse(call.func).endswith("range"))
        compared = (node for node in function.nodes if isinstance(node, ast.Compare))
        self.bounds = {node for bound in (*compared, *ranges) for node in ast.walk(bound)}
        self.programs = [made.name for made in function.assignments if made.name and PROGRAM in made.text]
        self.pointers = {name for name in self.names if self.kinds.get(name) is NameKind.POINTER}
        self.accesses = function.accesses
        self.ranges = language_calls(function.nodes, "arange")
        self.values = dict.fromkeys(value for statement in function.node.body for value in _values(statement))
        axes = [node.value for node in function.nodes if isinstance(node, ast.keyword) and node.arg == "axis"]
        ends = [end for call in self.ranges for end in call.args]
        self.positions = {node for part in (*axes, *ends) for node in ast.walk(part)}
        self.made_of = {
            made.name: names_in(made.value)
            for made in function.assignments
            if isinstance(made.value, ast.Call) and called(made.value) == "minimum"
        }
        self.named = {made.value for made in function.assignments}
        begun = language_calls(function.nodes, "zeros", "full")
        self.starts = {node for call in begun for value in given_to(call) for node in ast.walk(value)}
        self.fills = {node.value for node in function.nodes if isinstance(node, ast.keyword) and node.arg == "other"}
        written = (call.args[1] for call in self.accesses if called(call) == "store" and len(call.args) > 1)
        self.stored = {node for value in written for node in ast.walk(value)}
        self.factors = {name.id for call in language_calls(function.nodes, "dot") for name in reads_in(call)}
        powers = language_calls(function.nodes, "exp", "exp2")
        self.exponents = {node for call in powers for value in call.args for node in ast.walk(value)}
        masks = (node.value for node in function.nodes if isinstance(node, ast.keyword) and node.arg == "mask")
        self.masks = list(dict.fromkeys(map(self.text_of, masks)))

    def role(self, name: str) -> str:
        return "constant" if name in self.constants else "parameter" if name in self.parameters else "variable"

    def known(self, node: Piece) -> list[str]:
        """Return the names that may replace a node: those assigned on lines before it."""
        return [name for name, line in self.names.items() if line < node.lineno]

    def kind(self, node: ast.expr) -> NameKind | None:
        """Return the kind of value that an expression has, as far as it is known."""
        return _kind(node, self.kinds)

    def may_add(self, name: str, value: ast.expr) -> bool:
        """Return whether a name may be a term or a factor of a value: neither is an address or a mask."""
        kinds = {self.kinds.get(name), self.kind(value)}
        return not kinds & {NameKind.POINTER, NameKind.MASK} and kinds != {NameKind.WHOLE, NameKind.NUMBER}

    def alike(self, one: str, other: str) -> bool:
        """Return whether two names have the same kind and the same role: constant, parameter or variable."""
        return self.kinds.get(one) is self.kinds.get(other) and self.role(one) == self.role(other)

    def shown(self, node: Piece) -> str:
        """Return an expression as a sentence quotes it, shortened."""
        text = " ".join(self.text_of(node).split())
        return f"`{text}`" if len(text) <= SHOWN else f"`{text[: SHOWN - 3]}...`"

    def put(self, node: Piece, new: str, says: str, step: str, cost: float, place: bool = True) -> Edit:
        """Replace a node; the edit is cheaper where values are computed."""
        cost -= COMPUTED * (node in self.values)
        return Edit(node.lineno, *self.span(node), new, says, step, cost, place and node not in self.stored)

    def behind(self, node: ast.expr, new: str, says: str, step: str, cost: float) -> Edit:
        """Add an argument to a call."""
        end = self.span(node)[1] - 1
        comma = "" if self.data[:end].rstrip().endswith((b",", b"(")) else ", "
        return Edit(node.lineno, end, end, comma + new, says, step, cost)

    def put_each(self, pieces: Sequence[tuple[Piece, str]], says: str, step: str, cost: float) -> Edit:
        """Replace several nodes, given in text order, each by its own text."""
        (first, text), (last, _) = pieces[0], pieces[-1]
        for (before, _), (after, new) in pairwise(pieces):
            text += self.data[self.span(before)[1] : self.span(after)[0]].decode() + new
        return Edit(first.lineno, self.span(first)[0], self.span(last)[1], text, says, step, cost)

    def replaced(self, node: Piece, others: Sequence[tuple[ast.expr, str]]) -> str:
        """Return the text of a node with some of its parts replaced."""
        start, data = self.span(node)[0], self.text_of(node).encode()
        for piece, new in sorted(others, key=lambda one: self.span(one[0]), reverse=True):
            first, end = (place - start for place in self.span(piece))
            data = data[:first] + new.encode() + data[end:]
        return data.decode()


def base(node: ast.expr) -> str:
    """Return the leftmost name of a sum or subscript; empty if it does not begin with a name."""
    while isinstance(node, ast.BinOp | ast.Subscript):
        node = node.left if isinstance(node, ast.BinOp) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def called(node: ast.Call) -> str:
    """Return the name of the function that is called."""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def reads_in(node: ast.AST) -> Iterator[ast.Name]:
    """Yield the nodes that read names."""
    return (one for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load))


def read_names(node: ast.AST) -> set[str]:
    """Return the names that are read in a node."""
    return {one.id for one in reads_in(node)}


def _values(node: ast.AST) -> Iterator[ast.expr]:
    match node:
        case ast.Compare() | ast.Constant() | ast.Name("tl"):
            return
        case ast.Call() if called(node) in SIZES:
            return
        case ast.Call() if called(node) in ("load", "store"):
            yield node
            inside: list[ast.AST] = [*node.args[1:]] if called(node) == "store" else []
        case ast.Call():
            yield node
            inside = [*([node.func.value] if isinstance(node.func, ast.Attribute) else []), *node.args]
        case ast.Subscript(value=value):
            yield node
            inside = [value]
        case _:
            if isinstance(node, ast.BinOp) or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)):
                yield node
            inside = [*ast.iter_child_nodes(node)]
    for child in inside:
        yield from _values(child)
