"""The line of the host code that makes what comes back in a wrong form. It is read as text: nothing of it is run."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.judge.verdict.parsed import module_of
from tritonpuzzles.results.check import Finding

FORMS = frozenset({"wrong-type", "wrong-shape", "wrong-dtype", "wrong-device", "wrong-memory"})
NEEDS = "needs_input_grad"
PLACES = f"ctx.{NEEDS} follows the arguments of forward: place"
OUTPUT, GRADIENT_OF = "output", "gradient_of"  # in the details of such a finding


def at_their_making(findings: Sequence[Finding], puzzle: Puzzle, path: Path) -> list[Finding]:
    """Return findings, those on the form of an output with the line that makes it, where the file's text tells.

    Args:
        findings: of one file.
        puzzle: whose outputs they speak of.
        path: of the file.
    """
    if not any(_is_open(finding) for finding in findings):
        return list(findings)
    functions = {node.name: node for node in ast.walk(module_of(path)) if isinstance(node, ast.FunctionDef)}
    return [_placed(finding, puzzle, functions) if _is_open(finding) else finding for finding in findings]


def _is_open(finding: Finding) -> bool:
    return finding.code in FORMS and finding.line is None and OUTPUT in finding.details


def _placed(finding: Finding, puzzle: Puzzle, functions: dict[str, ast.FunctionDef]) -> Finding:
    of = finding.details.get(GRADIENT_OF) or _gradient_of(finding.details[OUTPUT], puzzle)
    results = puzzle.results if puzzle.gradients else puzzle.outputs
    names = [known.name for known in (puzzle.arguments if of else results)]
    maker = functions.get("backward" if of else "forward") or functions.get(puzzle.host)
    if maker is None:
        return finding
    position = names.index(of or finding.details[OUTPUT])
    exchanged = _exchanged(maker, position, {names.index(name) for name in _followed(puzzle)}) if of else None
    if exchanged is not None and exchanged.position < len(names):
        other, flag = names[exchanged.position], exchanged.text
        text = f"{finding.message} It is made where {flag} holds, which says whether {other} needs a gradient."
        return replace(finding, message=text, line=exchanged.line, next_step=f"{PLACES} {position} is {of}'s.")
    line = _line(maker, position, alone=len(names) == 1)
    return finding if line is None else replace(finding, line=line)


def _followed(puzzle: Puzzle) -> list[str]:
    return [argument.name for argument in puzzle.arguments if argument.requires_grad]


def _gradient_of(output: str, puzzle: Puzzle) -> str | None:
    """Return the argument that an output is the gradient of, if it is one's."""
    outputs = [known.name for known in puzzle.outputs]
    return _followed(puzzle)[outputs.index(output)] if puzzle.gradients and output in outputs else None


@dataclass(frozen=True)
class _Flag:
    """A truth value of `ctx.needs_input_grad`: its place there, as what it is asked, where it is taken and asked."""

    position: int
    text: str
    line: int
    asked: int = 0


def _exchanged(backward: ast.FunctionDef, position: int, places: set[int]) -> _Flag | None:
    """Return the truth value on which a gradient is made, if it is that of another argument.

    Where the other gradients are made on their own, it is taken right, and asked at the wrong place.
    """
    flag = _asked(backward, position)
    if flag is None or flag.position == position:
        return None
    others = [(other, _asked(backward, other)) for other in places - {position}]
    right = all(asked is not None and asked.position == other for other, asked in others)
    return replace(flag, line=flag.asked) if right and others else flag


def _asked(backward: ast.FunctionDef, position: int) -> _Flag | None:
    """Return the truth value on which the gradient at a place is made."""
    last = _last_return(backward)
    if last is None or not isinstance(last.value, ast.Tuple) or position >= len(last.value.elts):
        return None
    name = ast.unparse(last.value.elts[position])
    tests = [
        node.test
        for node in ast.walk(backward)
        if isinstance(node, ast.If) and any(_assigns(statement, name) for statement in node.body)
    ]
    flag = _flag(backward, tests[0]) if len(tests) == 1 else None
    return None if flag is None else replace(flag, asked=tests[0].lineno)


def _assigns(statement: ast.stmt, name: str) -> bool:
    return isinstance(statement, ast.Assign) and name in map(ast.unparse, statement.targets)


def _flag(backward: ast.FunctionDef, test: ast.expr) -> _Flag | None:
    match test:
        case ast.Subscript(value, ast.Constant(int(position))) if ast.unparse(value).endswith(NEEDS):
            return _Flag(position, ast.unparse(test), test.lineno)
        case ast.Name(name):
            return next((flag for node in ast.walk(backward) for flag in _unpacked(node, name)), None)
    return None


def _unpacked(node: ast.AST, name: str) -> Iterator[_Flag]:
    """Yield the place that an assignment takes a name from."""
    match node:
        case ast.Assign([ast.Tuple(names)], value) if NEEDS in ast.unparse(value):
            yield from (_Flag(at, name, node.lineno) for at, one in enumerate(names) if ast.unparse(one) == name)
        case ast.Assign([ast.Name(id=target)], ast.Subscript(value, ast.Constant(int(position)))) if (
            target == name and ast.unparse(value).endswith(NEEDS)
        ):
            yield _Flag(position, name, node.lineno)


def _last_return(function: ast.FunctionDef) -> ast.Return | None:
    returns = [node for node in ast.walk(function) if isinstance(node, ast.Return) and node.value is not None]
    return max(returns, key=lambda node: node.lineno, default=None)


def _line(function: ast.FunctionDef, position: int, alone: bool) -> int | None:
    """Return the last line that gives a value to what a function returns last, or of that `return`."""
    last = _last_return(function)
    if last is None:
        return None
    value = last.value
    if isinstance(value, ast.Tuple) and not (alone and len(value.elts) > 1):
        value = value.elts[position] if position < len(value.elts) else None
    if not isinstance(value, ast.Name):
        return last.lineno
    made = [
        node.lineno
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and node.lineno < last.lineno and value.id in map(ast.unparse, node.targets)
    ]
    return max(made, default=last.lineno)
