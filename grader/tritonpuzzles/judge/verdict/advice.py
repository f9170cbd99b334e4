"""Find the line of a probable mistake, and the file's own names for the variables that advice mentions.

The text of a mistake has placeholders in braces, `{m} = tl.maximum({m}, tl.max({x}, {axis}))`. Each is replaced by the
file's own name if the text shows which that is, else by the name that the puzzles' texts use.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from tritonpuzzles.curriculum.mistakes import WORDS, Mistake, in_words
from tritonpuzzles.results.words import listed
from tritonpuzzles.source import Source
from tritonpuzzles.source.functions import language_calls, names_in
from tritonpuzzles.source.loops import Loop

JOINTS: dict[type[ast.operator], str] = {ast.BitAnd: "&", ast.BitOr: "|"}
LOWEST = "the lowest finite float32, -3.4028234663852886e38"  # for an online softmax: -inf - (-inf) is NaN
Assigned = Sequence[tuple[str, ast.expr]]  # pairs of a name and its value


def suggest_line(
    source: Source, patterns: Sequence[str], among: Container[int] | None = None, host: bool = False
) -> int | None:
    """Return the first line that matches the first pattern with any match; the most reliable patterns come first.

    Kernels are searched; with `host`, functions and classes that are not kernels. `among` limits the line numbers.
    """
    return next(iter(lines_like(source, patterns, among, host)), None)


def lines_like(
    source: Source, patterns: Sequence[str], among: Container[int] | None = None, host: bool = False
) -> list[int]:
    """Return all lines that match the first pattern with any match; see `suggest_line`.

    If it matches only with a constant's value in place of its name, the constant's definition is returned.
    """
    lines = [(number, line) for number, line in source.lines(host) if among is None or number in among]
    pairs = [(line, *one) for _, line in lines for one in source.constants.items()]
    spelled = [(line, re.sub(rf"\b{name}\b", constant.text, line), constant) for line, name, constant in pairs]
    defined = [(constant.line, text) for line, text, constant in spelled if text != line]
    for pattern in (spoken(pattern, source) for pattern in patterns):
        for known in (lines, defined):
            if found := [number for number, line in known if re.search(pattern, line)]:
                return list(dict.fromkeys(found))
    return []


def line_of(source: Source, mistake: Mistake) -> int | None:
    """Return the line that probably contains a mistake; its patterns may name variables in braces, as texts do.

    For a mistake of loops that stay on one tile, it is a line in the first such loop, or its `for`, or a load that does
    not move in a loop that does. Other lines come last, because correct loops may match the patterns too.
    """
    if not mistake.still:
        line = suggest_line(source, mistake.lines, host=mistake.host)
        return None if line is None else source.step_made(line)
    for loop in source.walks:
        if loop.is_still:
            return suggest_line(source, mistake.lines, range(loop.line + 1, loop.last_line + 1)) or loop.line
    staying = {line for loop in source.walks for line in loop.staying("load")}
    return suggest_line(source, mistake.lines, staying) or suggest_line(source, mistake.lines)


def rules_out(source: Source, mistake: Mistake) -> bool:
    """Return whether the text of a file's kernels shows that they do not contain a mistake.

    The mistake's `unless`, `needs` and `moving` give the conditions.
    """
    walks = source.walks
    if mistake.moving and any(loop.is_still or loop.ends_early for loop in walks):
        return True
    over_ranges = mistake.still and len(source.loops) == len(walks) > 0
    if over_ranges and not any(loop.is_still or loop.staying("load") for loop in walks):
        return True
    lines = _with_numbers(source)
    if mistake.needs is not None and not any(re.search(mistake.needs, line) for line in lines):
        return True
    which, harmless = mistake.unless or ("", "")
    found = [line for line in lines if mistake.unless and re.search(which, line)]
    return bool(found) and all(re.search(harmless, line) for line in found)


@lru_cache(maxsize=4)
def _with_numbers(source: Source) -> list[str]:
    """Return the lines of a file's kernels, with constants replaced by their values."""
    constants = source.constants
    if not constants:
        return [line for _, line in source.lines()]
    names = re.compile(rf"\b({'|'.join(map(re.escape, constants))})\b(?!\s*(?::[^=]*)?=(?!=))")
    return [names.sub(lambda found: constants[found[1]].text, line) for _, line in source.lines()]


def still_loops(source: Source) -> str:
    """Return a sentence on the loops that process the same tile in every iteration; "" if there are none."""
    still = [loop for loop in source.walks if loop.is_still]
    if not still:
        return ""
    lines = listed([str(loop.line) for loop in still])
    names = list(dict.fromkeys(loop.variable for loop in still if loop.variable != "_"))
    depends = f"depends on {listed(names)}" if names else "changes"
    return f" No address in the loop{'s' * (len(still) > 1)} of line{'s' * (len(still) > 1)} {lines} {depends}."


def chained_comparison(source: Source) -> tuple[int, str] | None:
    """Return a kernel line that joins comparisons by & or | without brackets, and a text on how Python parses it."""
    compared = [node for kernel in source.kernels for node in kernel.nodes if isinstance(node, ast.Compare)]
    middles = [middle for node in compared for middle in node.comparators[:-1]]
    for middle in sorted(middles, key=lambda middle: middle.lineno):
        joint = JOINTS.get(type(middle.op)) if isinstance(middle, ast.BinOp) else None
        if joint is not None and not source.data[: source.span(middle)[0]].rstrip().endswith(b"("):
            text = f"Line {middle.lineno} joins comparisons by {joint} without brackets."
            why = f"{joint} binds more tightly than <: a < b {joint} c < d is a < (b {joint} c) < d."
            return middle.lineno, f"{text} {why}"
    return None


def spoken(text: str, source: Source) -> str:
    """Return the text of a mistake with the names of a file."""
    return in_words(text, _names(source)) if "{" in text else text


@lru_cache(maxsize=4)
def _names(source: Source) -> Mapping[str, str]:
    nodes = [node for kernel in source.kernels for node in kernel.nodes]
    assigned = [(made.name, made.result) for kernel in source.kernels for made in kernel.assignments if made.name]
    parameters = {name for kernel in source.kernels for name in kernel.parameters}
    maxima = [call.args[0] for call in language_calls(nodes, "max") if call.args]
    of = _only(operand.id for operand in maxima if isinstance(operand, ast.Name))
    exponentials = [(name, value) for name, value in assigned if _is_exponential(value, source)]
    of_max, of_sum = (_axes(nodes, function) for function in ("max", "sum"))
    several = "axis=1" if any(map(_is_spread, nodes)) else "axis=0"  # if no reduction names an axis
    axis = max(of_max + of_sum, key=(of_max + of_sum).count, default=several)
    found = {
        **_of_the_maximum(assigned),
        "l": _only(_sums(assigned, nodes, source)),
        "acc": _only(name for name, value in assigned if _accumulates(name, value)),
        "p": _only(name for name, value in exponentials if of in names_in(value)),
        "x": of,
        "s": of,
        "axis": axis,
        "max_axis": _only(of_max),
        "sum_axis": _only(of_sum),
        "column": "[None, :]" if axis == "axis=0" else "[:, None]",
        **_of_the_tiles(assigned, parameters),
        **dict.fromkeys(("all_tiles", "all_blocks", "all_turns"), _rounded_up(source.walks, parameters)),
        **_of_the_loops([loop for loop in source.walks if loop.step != "1"], assigned, parameters),
    }
    maximum = {found.get("m", ""), found.get("m_new", "")}
    found["alpha"] = _only(name for name, value in exponentials if maximum <= names_in(value))
    found["lowest"] = LOWEST if found["alpha"] or len(maximum) > 1 else ""
    flat = {name for name, value in assigned if not any(map(_is_spread, ast.walk(value)))}
    if found["cols"] in flat:
        spread = "[:, None]" if axis == "axis=0" else "[None, :]"
        found["key_mask"] = f"{found['cols']}{spread} < {found['n'] or WORDS['n']}"
    return {key: name for key, name in found.items() if name}


def _of_the_maximum(assigned: Assigned) -> dict[str, str]:
    """Return the names of the running maximum, before and after a tile."""
    found = {}
    for new, value in assigned:
        operands = [value for call in _calls(value, "maximum") for value in call.args]
        olds = [operand.id for operand in operands if isinstance(operand, ast.Name)]
        if any(_calls(operand, "max") for operand in operands) or len(olds) == len(operands) == 2:
            old = new if new in olds else next(iter(olds), "")
            found[old, new] = {"m": old, "m_old": old if old != new else f"old {old}", "m_new": new}
    return next(iter(found.values())) if len(found) == 1 else {}


def _of_the_tiles(assigned: Assigned, parameters: set[str]) -> dict[str, str]:
    """Return the names of the program id, of the tile counts of a matrix M x N, and of a group's height."""
    spelled = [(name, ast.unparse(value)) for name, value in assigned if isinstance(value, ast.Call)]
    return {
        "pid": _only(name for name, value in assigned if value in _calls(value, "program_id")),
        "tiles_m": _only(name for name, text in spelled if text.startswith("tl.cdiv(M,")),
        "tiles_n": _only(name for name, text in spelled if text.startswith("tl.cdiv(N,")),
        "GROUP_M": _only(name for name in parameters if "GROUP" in name.upper()),
    }


def _of_the_loops(loops: Sequence[Loop], assigned: Assigned, parameters: set[str]) -> dict[str, str]:
    """Return the names of variable, end, step and tile items in loops that step by a tile."""
    start = _only(loop.variable for loop in loops)
    items = [name for name, value in assigned if _calls(value, "arange") and start in names_in(value)]
    step, end = _only(loop.step for loop in loops), _only(loop.end for loop in loops)
    cols = _only(items) if start else ""
    block, size = (step if step in parameters else ""), (end if end in parameters else "")
    return {"start": start, "cols": cols, "keys": cols, "BLOCK": block, "BLOCK_N": block, "n_cols": size, "n": size}


def _rounded_up(loops: Sequence[Loop], parameters: set[str]) -> str:
    """Return the range of a loop that includes a last, partial tile; of a loop that counts tiles, if there is one.

    A variable that counts tiles is multiplied by their size in the loop, so it must not count items instead.
    """
    for loop in loops:
        _, end, step = loop.bounds
        for size, block in _quotients(end) if isinstance(end, ast.BinOp) and ast.unparse(step) == "1" else ():
            if {size, block} <= parameters:
                return f"range({loop.begin}, tl.cdiv({size}, {block}))"
    for loop in loops:
        _, end, step = loop.bounds
        size = _only(names_in(end) & parameters - names_in(step))
        if size and isinstance(step, ast.Name) and step.id in parameters:
            return f"range({loop.begin}, {size}, {step.id})"
    return ""


def _quotients(value: ast.expr) -> Iterator[tuple[str, str]]:
    """Yield (dividend, divisor) of each division of two names, rounded up or down."""
    for node in ast.walk(value):
        match node:
            case ast.BinOp(ast.Name(size), ast.FloorDiv(), ast.Name(block)):
                yield size, block
            case ast.Call(ast.Attribute(attr="cdiv"), [ast.Name(size), ast.Name(block)]):
                yield size, block


def _sums(assigned: Assigned, nodes: Iterable[ast.AST], source: Source) -> list[str]:
    """Return the names of running sums; if there are none, of sums over a whole block."""
    taken = {name for name, value in assigned if value in _calls(value, "sum")}
    terms = taken | {name for name, value in assigned if _is_exponential(value, source)}
    running = [
        name
        for name, value in assigned
        if _adds(name, value) and not _calls(value, "dot")
        if _calls(value, "sum")
        or (names_in(value) - {name}) & terms
        or any(map(source.is_exponential, ast.walk(value)))
    ]
    beside = [
        one.id
        for node in nodes
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)
        for one, other in ((node.left, node.right), (node.right, node.left))
        if isinstance(one, ast.Name) and isinstance(other, ast.Name) and other.id in taken and one.id not in taken
    ]
    return running or beside or list(taken)


def _calls(node: ast.AST, function: str) -> list[ast.Call]:
    """Return the calls of a Triton function in a node, the node itself included."""
    return language_calls(ast.walk(node), function)


def _adds(name: str, value: ast.expr) -> bool:
    return isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add) and name in names_in(value)


def _accumulates(name: str, value: ast.expr) -> bool:
    """Return whether dot products are accumulated in a variable."""
    products = _calls(value, "dot")
    return name in names_in(*products) or (_adds(name, value) and bool(products))


def _is_exponential(value: ast.expr, source: Source) -> bool:
    while isinstance(value, ast.Subscript):  # exp(...)[:, None]
        value = value.value
    return source.is_exponential(value)


def _axes(nodes: Sequence[ast.AST], function: str) -> list[str]:
    """Return the axes that a reduction is passed, call by call."""
    return [
        f"axis={ast.unparse(axis)}"
        for call in language_calls(nodes, function)
        for axis in (*call.args[1:2], *(keyword.value for keyword in call.keywords if keyword.arg == "axis"))
    ]


def _is_spread(node: ast.AST) -> bool:
    """Return whether an expression adds an axis to a block: `rows[:, None]`."""
    return isinstance(node, ast.Subscript) and "None" in ast.unparse(node.slice)


def _only(names: Iterable[str]) -> str:
    """Return the only name; "" unless there is exactly one."""
    found = set(names)
    return found.pop() if len(found) == 1 else ""
