"""What the loops of a file's kernels do with their variable. They are read as text: nothing of it is run."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tritonpuzzles.judge.verdict.parsed import functions_of

ACCESSES = ("load", "store")
PROGRAM, PROGRAMS = "program_id", "num_programs"
Sources = Mapping[str, Sequence[ast.expr]]


@dataclass(frozen=True)
class Loop:
    """One `for` over a range, in a kernel.

    Attributes:
        line: of the `for`.
        variable: its name.
        begin, end, step: as the kernel spells them; "0" and "1" where it leaves them out.
        range: all three, with what a name of them stands for where it is assigned once.
        end_line: where its end gets its name, if that is one line.
        last_line: of its body.
        is_still: whether every turn loads and stores at the same addresses.
        staying: lines of the loads that every turn does at the same addresses.
        ends_early: whether it ends at a number of tiles, and moves on by more than one in a turn.
        by_program: whether the range depends on the program.
        at_program: whether it begins at the program's own number, as it is.
        rules: lines of the stores whose address depends on the program through this loop's variable alone.
        slow: of a loop in steps of the number of programs, what moves an address that is stored to by less.
    """

    line: int
    variable: str
    begin: str
    end: str
    step: str
    range: str
    end_line: int | None
    last_line: int
    is_still: bool
    staying: frozenset[int]
    ends_early: bool
    by_program: bool
    at_program: bool
    rules: frozenset[int]
    slow: Moved | None


@dataclass(frozen=True)
class Moved:
    """A name that a turn adds something to, as the kernel spells it, and in which line."""

    line: int
    name: str
    by: str


@dataclass(frozen=True)
class Storing:
    """One loop that stores, of whatever kind.

    Attributes:
        line: of the `for` or the `while`.
        stores: lines in it.
        again: those of them that every turn does at the same addresses.
        by_program: whether its range depends on the program.
    """

    line: int
    stores: frozenset[int]
    again: frozenset[int]
    by_program: bool


def storing_of(path: Path) -> list[Storing]:
    """Return the loops of all kernels of a file that store, the outer before the inner; see `loops_of`."""
    kernels = [function for is_kernel, function in functions_of(path) if is_kernel]
    return [loop for kernel in kernels for loop in _storing(kernel)]


def has_loops(path: Path) -> bool:
    """Return whether a kernel of a file has a loop."""
    kernels = (function for is_kernel, function in functions_of(path) if is_kernel)
    return any(isinstance(node, (ast.For, ast.While)) for kernel in kernels for node in ast.walk(kernel))


def loops_of(path: Path) -> list[Loop]:
    """Return the loops of all kernels of a file, by line; none of a file that cannot be read."""
    kernels = [function for is_kernel, function in functions_of(path) if is_kernel]
    helpers = frozenset(kernel.name for kernel in kernels if any(accesses_in(kernel)))
    found = (loop for kernel in kernels for loop in _loops(kernel, helpers - {kernel.name}))
    return sorted(found, key=lambda loop: loop.line)


def moves_on(path: Path) -> bool:
    """Return whether a file's kernels have loops, all over ranges, and every load and store in them moves on."""
    kernels = [function for is_kernel, function in functions_of(path) if is_kernel]
    nodes = [node for kernel in kernels for node in ast.walk(kernel)]
    found = loops_of(path)
    as_many = len(found) == sum(isinstance(node, (ast.For, ast.While)) for node in nodes) > 0
    return as_many and not any(loop.is_still or loop.staying for loop in found)


def _loops(kernel: ast.FunctionDef, helpers: frozenset[str]) -> Iterator[Loop]:
    sources = _sources(kernel)
    for node in ast.walk(kernel):
        if not isinstance(node, ast.For) or not isinstance(node.target, ast.Name):
            continue
        bounds = _bounds(node.iter)
        accesses, called = list(accesses_in(node)), list(_calls_of(node, helpers))
        if bounds is None or not (accesses or called):
            continue
        variable = node.target.id
        still, standing = (_still(node, variable, found) for found in (accesses, called))
        by_program = any(PROGRAM in reached(bound, sources) for bound in bounds)
        begin, end, step = (ast.unparse(bound) for bound in bounds)
        yield Loop(
            node.lineno,
            variable,
            begin,
            end,
            step,
            f"range({', '.join(ast.unparse(_assigned(bound, sources)) for bound in bounds)})",
            _line_of(kernel, bounds[1]),
            node.end_lineno or node.lineno,
            is_still=len(still) == len(accesses) and len(standing) == len(called),
            staying=frozenset(access.lineno for access in still if is_access(access, "load")),
            ends_early=step != "1" and not by_program and _is_count(bounds[1], sources),
            by_program=by_program,
            at_program=_is_program(bounds[0], sources),
            rules=frozenset(_ruled(node, variable, _sources_but(kernel, node))),
            slow=_slow(node, sources) if PROGRAMS in reached(bounds[2], sources) else None,
        )


def _line_of(kernel: ast.FunctionDef, bound: ast.expr) -> int | None:
    """Return the only line that gives a name its value."""
    assignments = [node for node in ast.walk(kernel) if isinstance(node, ast.Assign)]
    lines = [node.lineno for node in assignments if ast.unparse(bound) in map(ast.unparse, node.targets)]
    return lines[0] if isinstance(bound, ast.Name) and len(lines) == 1 else None


def _storing(kernel: ast.FunctionDef) -> Iterator[Storing]:
    sources = _sources(kernel)
    for node in ast.walk(kernel):
        if not isinstance(node, (ast.For, ast.While)):
            continue
        stores = [access for access in accesses_in(node) if is_access(access, "store")]
        variable = node.target.id if isinstance(node, ast.For) and isinstance(node.target, ast.Name) else ""
        again = _still(node, variable, stores)
        bound = node.iter if isinstance(node, ast.For) else node.test
        lines, same = (frozenset(store.lineno for store in found) for found in (stores, again))
        if stores:
            yield Storing(node.lineno, lines, same, PROGRAM in reached(bound, sources))


def _bounds(iterated: ast.expr) -> tuple[ast.expr, ast.expr, ast.expr] | None:
    if not isinstance(iterated, ast.Call) or not ast.unparse(iterated.func).endswith("range"):
        return None
    given, zero, one = iterated.args, ast.Constant(0), ast.Constant(1)
    match given:
        case [end]:
            return zero, end, one
        case [begin, end]:
            return begin, end, one
        case [begin, end, step]:
            return begin, end, step
    return None


def accesses_in(node: ast.AST) -> Iterator[ast.Call]:
    """Yield the calls of tl.load and tl.store in a node."""
    for call in ast.walk(node):
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.args):
            continue
        if call.func.attr in ACCESSES and ast.unparse(call.func.value) in ("tl", "triton.language"):
            yield call


def _calls_of(node: ast.AST, helpers: frozenset[str]) -> Iterator[ast.Call]:
    """Yield the calls of functions that load or store, as accesses to all that they get."""
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in helpers:
            given = ast.Tuple([*call.args, *(keyword.value for keyword in call.keywords)])
            yield ast.copy_location(ast.Call(call.func, [given], []), call)


def _still(loop: ast.For | ast.While, variable: str, accesses: Sequence[ast.Call]) -> list[ast.Call]:
    """Return the accesses of a loop whose address neither depends on its variable nor on what a turn before changed."""
    sources = _sources(loop, with_ranges=True)
    moved = {variable, *(name for name, values in sources.items() if any(_carries(name, value) for value in values))}
    return [access for access in accesses if not moved & reached(access.args[0], sources)]


def is_access(access: ast.Call, kind: str) -> bool:
    """Return whether an access is a "load" or a "store"."""
    return isinstance(access.func, ast.Attribute) and access.func.attr == kind


def _carries(name: str, value: ast.expr) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(value))


def _is_program(begin: ast.expr, sources: Sources) -> bool:
    """Return whether something is a program's number, in whichever dtype."""
    begin = _assigned(begin, sources)
    if isinstance(begin, ast.Call) and isinstance(begin.func, ast.Attribute):
        return begin.func.attr == PROGRAM or (begin.func.attr == "to" and _is_program(begin.func.value, sources))
    return False


def _is_count(end: ast.expr, sources: Sources) -> bool:
    """Return whether something is a quotient, as a number of tiles is: cdiv(n, BLOCK) or (n + BLOCK - 1) // BLOCK."""
    end = _assigned(end, sources)
    if isinstance(end, ast.Call):
        return ast.unparse(end.func).endswith("cdiv")
    return isinstance(end, ast.BinOp) and isinstance(end.op, ast.FloorDiv)


def _assigned(value: ast.expr, sources: Sources) -> ast.expr:
    """Return what a name stands for, if it is assigned once and not by way of itself."""
    seen = set()
    while isinstance(value, ast.Name) and value.id not in seen and len(sources.get(value.id, ())) == 1:
        seen.add(value.id)
        value = sources[value.id][0]
    return value


def _ruled(loop: ast.For, variable: str, sources: Sources) -> Iterator[int]:
    """Yield the lines of stores that depend on the variable, and on the program in no other way."""
    for call in accesses_in(loop):
        if is_access(call, "store"):
            names = reached(call.args[0], sources)
            if variable in names and PROGRAM not in names:
                yield call.lineno


def _slow(loop: ast.For, sources: Sources) -> Moved | None:
    """Return the first addition of a turn to an address that is stored to which knows nothing of other programs."""
    stored = {name for call in accesses_in(loop) if is_access(call, "store") for name in reached(call.args[0], {})}
    for node in loop.body:
        match node:
            case ast.AugAssign(ast.Name(name), ast.Add(), by) if name in stored and PROGRAMS not in reached(
                by, sources
            ):
                return Moved(node.lineno, name, ast.unparse(by))
    return None


def _sources(node: ast.AST, with_ranges: bool = False) -> dict[str, list[ast.expr]]:
    """Return what is assigned to each name; to a name that is also changed in place, the name too."""
    found: dict[str, list[ast.expr]] = {}
    for child in ast.walk(node):
        if isinstance(child, ast.Assign):
            names = [name for target in child.targets for name in ast.walk(target) if isinstance(name, ast.Name)]
            for name in names:
                found.setdefault(name.id, []).append(child.value)
        elif isinstance(child, ast.AugAssign) and isinstance(child.target, ast.Name):
            found.setdefault(child.target.id, []).extend([child.value, ast.Name(child.target.id)])
        elif with_ranges and isinstance(child, ast.For) and isinstance(child.target, ast.Name):
            found.setdefault(child.target.id, []).append(child.iter)
    return found


def _sources_but(kernel: ast.FunctionDef, loop: ast.For) -> Sources:
    """Return what is assigned to each name, by all loops of a kernel but one, too."""
    found = _sources(kernel, with_ranges=True)
    return {name: [value for value in values if value is not loop.iter] for name, values in found.items()}


def reached(expression: ast.expr, sources: Sources) -> set[str]:
    """Return all names that an expression depends on, and the attributes that it calls, as `program_id`."""
    found: set[str] = set()
    waiting = [expression]
    while waiting:
        for node in ast.walk(waiting.pop()):
            if isinstance(node, ast.Attribute):
                found.add(node.attr)
            elif isinstance(node, ast.Name) and node.id not in found:
                found.add(node.id)
                waiting += sources.get(node.id, ())
    return found
