"""What a file's kernels call the things that advice speaks of. They are read as text: nothing of them is run.

The text of a mistake names them in braces, `{m} = tl.maximum({m}, tl.max({x}, {axis}))`. Each becomes the file's own
name where its text tells which that is, and what stands in the puzzles' stories where it does not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from tritonpuzzles.curriculum.mistakes import WORDS, in_words
from tritonpuzzles.judge.verdict.loops import Loop, loops_of
from tritonpuzzles.judge.verdict.parsed import spelled_out

Assignment = tuple[str, ast.expr]  # a name, and what it becomes
REDUCTIONS = ("max", "sum")
EXPONENTIALS = ("tl.exp", "tl.exp2", "tl.math.exp", "tl.math.exp2")


def spoken(text: str, path: Path) -> str:
    """Return the text of a mistake in the words of a file."""
    return in_words(text, _names(path)) if "{" in text else text


def _names(path: Path) -> Mapping[str, str]:
    kernels = [function for is_kernel, function in spelled_out(path) if is_kernel]
    nodes = [node for kernel in kernels for node in ast.walk(kernel)]
    assigned = list(_assignments(nodes))
    parameters = {argument.arg for kernel in kernels for argument in (*kernel.args.args, *kernel.args.kwonlyargs)}
    maxima = [call.args[0] for call in _among(nodes, "max") if call.args]
    of = _only(operand.id for operand in maxima if isinstance(operand, ast.Name))
    axis = _axis(nodes)
    found = {
        **_of_the_maximum(assigned),
        "l": _only(_sums(assigned, nodes)),
        "acc": _only(name for name, value in assigned if _accumulates(name, value)),
        "p": _only(name for name, value in assigned if of in _ids(value) and _is_exponential(value)),
        "x": of,
        "s": of,
        "axis": axis,
        "max_axis": _passed_axis(nodes, "max"),
        "sum_axis": _passed_axis(nodes, "sum"),
        "column": "[None, :]" if axis == "axis=0" else "[:, None]",
        **_of_the_tiles(assigned, parameters),
        **dict.fromkeys(("all_tiles", "all_blocks", "all_turns"), _rounded_up(loops_of(path), parameters)),
        **_of_the_loops([loop for loop in loops_of(path) if loop.step != "1"], assigned, parameters),
    }
    found["alpha"] = _only(
        name
        for name, value in assigned
        if _is_exponential(value) and "m_new" in found and {found["m"], found["m_new"]} <= _ids(value)
    )
    flat = {name for name, value in assigned if not any(map(_is_spread, ast.walk(value)))}
    if found["cols"] in flat:
        found["key_mask"] = (
            f"{found['cols']}{'[:, None]' if axis == 'axis=0' else '[None, :]'} < {found['n'] or WORDS['n']}"
        )
    return {key: name for key, name in found.items() if name}


def _of_the_maximum(assigned: Iterable[Assignment]) -> dict[str, str]:
    """Return the running maximum's names, before and behind a tile."""
    found = {}
    for new, value in assigned:
        operands = [value for call in _calls(value, "maximum") for value in call.args]
        olds = [operand.id for operand in operands if isinstance(operand, ast.Name)]
        if any(_calls(operand, "max") for operand in operands) or len(olds) == len(operands) == 2:
            old = new if new in olds else next(iter(olds), "")
            found[old, new] = {"m": old, "m_old": old if old != new else f"old {old}", "m_new": new}
    return next(iter(found.values())) if len(found) == 1 else {}


def _of_the_tiles(assigned: Sequence[Assignment], parameters: set[str]) -> dict[str, str]:
    """Return what a program's number, the numbers of tiles of a matrix M x N and a group's height are called."""
    counts = {axis: _only(name for name, value in assigned if _is_count_of(value, axis)) for axis in "MN"}
    programs = _only(name for name, value in assigned if value in _calls(value, "program_id"))
    group = _only(name for name in parameters if "GROUP" in name.upper())
    return {"pid": programs, "tiles_m": counts["M"], "tiles_n": counts["N"], "GROUP_M": group}


def _is_count_of(value: ast.expr, size: str) -> bool:
    """Return whether a value is that of `tl.cdiv(M, BLOCK_M)`."""
    return isinstance(value, ast.Call) and ast.unparse(value.func) == "tl.cdiv" and ast.unparse(value.args[0]) == size


def _of_the_loops(loops: Iterable[Loop], assigned: Iterable[Assignment], parameters: set[str]) -> dict[str, str]:
    """Return what loops in steps of a tile call their variable, their end, their step, and the items of a tile."""
    loops = list(loops)
    start = _only(loop.variable for loop in loops)
    items = [name for name, value in assigned if _calls(value, "arange") and start in _ids(value)]
    step, end = _only(loop.step for loop in loops), _only(loop.end for loop in loops)
    cols = _only(items) if start else ""
    block, size = (step if step in parameters else ""), (end if end in parameters else "")
    return {"start": start, "cols": cols, "keys": cols, "BLOCK": block, "BLOCK_N": block, "n_cols": size, "n": size}


def _rounded_up(loops: Sequence[Loop], parameters: set[str]) -> str:
    """Return the range of a loop that takes a last, partial tile, too: of one that counts tiles where one does not.

    What counts tiles is multiplied by their size in the loop, so that it cannot count items in its place.
    """
    ranges = [(loop, ast.parse(loop.range, mode="eval").body) for loop in loops]
    for loop, made in ranges:
        match made:
            case ast.Call(args=[_, ast.BinOp() as count, ast.Constant(1)]):
                for size, block in _quotients(count):
                    if {size, block} <= parameters:
                        return f"range({loop.begin}, tl.cdiv({size}, {block}))"
    for loop, made in ranges:
        match made:
            case ast.Call(args=[_, end, ast.Name(step)]) if step in parameters:
                if size := _only(_ids(end) & parameters - {step}):
                    return f"range({loop.begin}, {size}, {step})"
    return ""


def _quotients(value: ast.expr) -> Iterator[tuple[str, str]]:
    """Yield what is divided, and by what, wherever two names are, rounded up or down."""
    for node in ast.walk(value):
        match node:
            case ast.BinOp(ast.Name(size), ast.FloorDiv(), ast.Name(block)):
                yield size, block
            case ast.Call(ast.Attribute(attr="cdiv"), [ast.Name(size), ast.Name(block)]):
                yield size, block


def _assignments(nodes: Iterable[ast.AST]) -> Iterator[Assignment]:
    """Yield what names become; what is added to a name in place, as a sum with it."""
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, value
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                yield name, ast.BinOp(ast.Name(name, ast.Load()), op, value)


def _sums(assigned: Sequence[Assignment], nodes: Iterable[ast.AST]) -> list[str]:
    """Return the names of a running sum, or where there is none those of sums that are taken at once."""
    taken = {name for name, value in assigned if value in _calls(value, "sum")}
    terms = taken | {name for name, value in assigned if _is_exponential(value)}
    running = [
        name
        for name, value in assigned
        if _adds(name, value)
        and not _calls(value, "dot")
        and (_calls(value, "sum") or (_ids(value) - {name}) & terms or any(map(_is_exponential, _terms(value))))
    ]
    beside = [
        one.id
        for node in nodes
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)
        for one, other in ((node.left, node.right), (node.right, node.left))
        if isinstance(one, ast.Name) and isinstance(other, ast.Name) and other.id in taken and one.id not in taken
    ]
    return running or beside or list(taken)


def _terms(value: ast.expr) -> Iterator[ast.expr]:
    """Yield the expressions in a value."""
    return (node for node in ast.walk(value) if isinstance(node, ast.expr))


def _calls(node: ast.AST, function: str) -> list[ast.Call]:
    """Return the calls of a function of the language that are, or stand in, a node."""
    return _among(ast.walk(node), function)


def _among(nodes: Iterable[ast.AST], function: str) -> list[ast.Call]:
    calls = (node for node in nodes if isinstance(node, ast.Call))
    return [call for call in calls if ast.unparse(call.func) in (f"tl.{function}", f"triton.language.{function}")]


def _ids(node: ast.AST) -> set[str]:
    return {child.id for child in ast.walk(node) if isinstance(child, ast.Name)}


def _adds(name: str, value: ast.expr) -> bool:
    return isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add) and name in _ids(value)


def _accumulates(name: str, value: ast.expr) -> bool:
    """Return whether products are added to a name."""
    return any(name in _ids(call) for call in _calls(value, "dot")) or (
        _adds(name, value) and bool(_calls(value, "dot"))
    )


def _is_exponential(value: ast.expr) -> bool:
    if isinstance(value, ast.Subscript):  # exp(...)[:, None]
        return _is_exponential(value.value)
    return isinstance(value, ast.Call) and ast.unparse(value.func) in EXPONENTIALS


def _axis(nodes: Sequence[ast.AST]) -> str:
    """Return the axis along which most reductions go, as it is passed; of tiles of two axes 1 where none says."""
    passed = [axis for function in REDUCTIONS for axis in _axes(nodes, function)]
    if passed:
        return f"axis={max(passed, key=passed.count)}"
    return "axis=1" if any(map(_is_spread, nodes)) else "axis=0"


def _passed_axis(nodes: Sequence[ast.AST], function: str) -> str:
    axis = _only(_axes(nodes, function))
    return f"axis={axis}" if axis else ""


def _axes(nodes: Sequence[ast.AST], function: str) -> list[str]:
    """Return the axes that a reduction is passed, call by call."""
    return [
        ast.unparse(axis)
        for call in _among(nodes, function)
        for axis in (*call.args[1:2], *(keyword.value for keyword in call.keywords if keyword.arg == "axis"))
    ]


def _is_spread(node: ast.AST) -> bool:
    """Return whether something gives a block another axis: `rows[:, None]`."""
    return isinstance(node, ast.Subscript) and "None" in ast.unparse(node.slice)


def _only(names: Iterable[str]) -> str:
    """Return the only one of some names; nothing where there are several."""
    found = set(names)
    return found.pop() if len(found) == 1 else ""
