"""The line of the host code that makes what comes back in a wrong form."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.results.check import Finding
from tritonpuzzles.source import Source
from tritonpuzzles.source.functions import Function, assignments_in

FORMS = frozenset({"wrong-type", "wrong-shape", "wrong-dtype", "wrong-device", "wrong-memory"})
NEEDS = "needs_input_grad"
PLACES = f"ctx.{NEEDS} follows the arguments of forward: place"
OUTPUT, GRADIENT_OF = "output", "gradient_of"  # in the details of such a finding


def at_their_making(finding: Finding, puzzle: Puzzle, source: Source) -> Finding:
    """Return a finding on the form of an output with the line that makes it, where the file's text tells."""
    if finding.code not in FORMS or finding.line is not None or OUTPUT not in finding.details:
        return finding
    functions = {function.name: function for function in source.functions}
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
    asked: int


def _exchanged(backward: Function, position: int, places: set[int]) -> _Flag | None:
    """Return the truth value on which a gradient is made, if it is that of another argument.

    Where the other gradients are made on their own, it is taken right, and asked at the wrong place.
    """
    flag = _asked(backward, position)
    if flag is None or flag.position == position:
        return None
    others = [(other, _asked(backward, other)) for other in places - {position}]
    right = all(asked is not None and asked.position == other for other, asked in others)
    return replace(flag, line=flag.asked) if right and others else flag


def _asked(backward: Function, position: int) -> _Flag | None:
    """Return the truth value on which the gradient at a place is made."""
    last = _last_return(backward)
    elements = last.value.elts if last is not None and isinstance(last.value, ast.Tuple) else []
    name = ast.unparse(elements[position]) if position < len(elements) else ""
    made = [
        (branch.test, target)
        for branch in backward.branches
        for one in assignments_in(branch.body)
        for target in one.targets
    ]
    tests = [test for test, target in made if target == name]
    return _flag(backward, tests[0], tests[0]) if len(tests) == 1 else None


def _flag(backward: Function, test: ast.expr, taken: ast.expr) -> _Flag | None:
    """Return the truth value that a test asks, by its place or by the name that it was given."""
    match taken:
        case ast.Subscript(value, ast.Constant(int(position))) if ast.unparse(value).endswith(NEEDS):
            return _Flag(position, ast.unparse(test), taken.lineno, test.lineno)
        case ast.Name(name):
            for made in backward.assignments:
                if name in made.names and NEEDS in made.text:
                    several = _Flag(made.names.index(name), name, made.line, test.lineno)
                    return _flag(backward, test, made.value) if made.name else several
    return None


def _last_return(function: Function) -> ast.Return | None:
    returns = [node for node in function.returns if node.value is not None]
    return max(returns, key=lambda node: node.lineno, default=None)


def _line(function: Function, position: int, alone: bool) -> int | None:
    """Return the last line that gives a value to what a function returns last, or of that `return`."""
    last = _last_return(function)
    if last is None:
        return None
    value = last.value
    if isinstance(value, ast.Tuple) and not (alone and len(value.elts) > 1):
        value = value.elts[position] if position < len(value.elts) else None
    name = value.id if isinstance(value, ast.Name) else ""
    return max((made.line for made in function.giving(name) if made.line < last.lineno), default=last.lineno)
