"""What is known about a kernel before it runs: the questions in its source, and their answers.

A question is a call, a comparison, `and`, `or`, `not`, a condition, or a loop's bound. Compiler and interpreter
evaluate the same source: where their answers differ, the interpreted program is not the one that a GPU runs.
"""

from __future__ import annotations

import ast
import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import triton.language as tl

from tritonpuzzles.compiler.source import file_of, first_line, reachable, triton_folder
from tritonpuzzles.insides import JITCallable
from tritonpuzzles.results.check import Finding

LONGEST = 80  # characters of a question that is quoted
TOGETHER = -1  # the iteration of a loop that is not unrolled: the compiler visits its body once
OF_TRITON = "triton:"
Place = tuple[int, int, int, int]  # of a question: line counted from `def`, column, last line, end column
Turns = tuple[int, ...]  # the iteration of each loop and comprehension around a question
Asked = tuple[str, Turns, Place]  # a question: the call of a function that it is in, iterations, place
NOWHERE: Place = (0, 0, 0, 0)


@dataclass(frozen=True)
class Answers:
    """What the compiler or the interpreter reached and answered, separately for each call of a function."""

    # call -> the function's key, the kernel first. The compiler visits calls that compile to the same code only once;
    # the interpreter does not enter Triton's own functions
    functions: Mapping[str, str]
    given: Mapping[Asked, frozenset[str]]  # question -> all its answers; empty if known only at run time
    calls: Mapping[Asked, frozenset[str]]  # question -> the calls that it makes

    def to_json(self) -> dict[str, Any]:
        """Return JSON-ready data for `from_json`."""
        given, calls = (
            [[*asked, sorted(found)] for asked, found in sorted(by.items())] for by in (self.given, self.calls)
        )
        return {"functions": [*self.functions.items()], "given": given, "calls": calls}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Answers:
        """Rebuild answers from `to_json`; raises KeyError, TypeError or ValueError for other data."""
        given, calls = (
            {_asked(*asked): frozenset(map(str, found)) for *asked, found in data[name]} for name in ("given", "calls")
        )
        return cls({str(call): str(key) for call, key in data["functions"]}, given, calls)


def _asked(call: Any, turns: Any, place: Any) -> Asked:
    line, column, end, after = map(int, place)
    return str(call), tuple(map(int, turns)), (line, column, end, after)


def joined(several: Sequence[Answers]) -> Answers:
    """Return the answers of several runs together."""
    functions: dict[str, str] = {}
    given: dict[Asked, frozenset[str]] = {}
    calls: dict[Asked, frozenset[str]] = {}
    for answers in several:
        functions |= answers.functions
        for total, more in ((given, answers.given), (calls, answers.calls)):
            total |= {asked: found | total.get(asked, frozenset()) for asked, found in more.items()}
    return Answers(functions, given, calls)


def function_key(function: Any) -> str:
    """Return a key that distinguishes a function from others of its name, independent of its file's path."""
    whose = OF_TRITON if file_of(function).startswith(str(triton_folder())) else ""
    return f"{whose}{function.__name__}:{hashlib.sha256(function.src.encode()).hexdigest()[:16]}"


def is_question(node: ast.AST) -> bool:
    """Return whether a syntax node is a question regardless of its context."""
    return isinstance(node, (ast.Call, ast.Compare, ast.BoolOp, ast.ListComp)) or (
        isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    )


def place_of(node: ast.expr, first: int) -> Place:
    """Return the place of a question; `first` is the line of `def` in the numbering of the tree."""
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return node.lineno - first, node.col_offset, node.end_lineno - first, node.end_col_offset


def decided_by(node: ast.AST) -> list[ast.expr]:
    """Return the expressions that decide a node's control flow: a condition, or the bounds of a loop."""
    if isinstance(node, (ast.If, ast.IfExp, ast.While)):
        return [node.test]
    if isinstance(node, ast.For) and isinstance(node.iter, ast.Call):
        bounds = [*node.iter.args, *(keyword.value for keyword in node.iter.keywords)]
        return [bound for bound in bounds if not isinstance(bound, ast.Starred)]
    return []


def answer(value: Any) -> str | None:
    """Return a value as text; `None` for one that is known only when the kernel runs."""
    match value:
        case tl.constexpr():
            return answer(value.value)
        case tl.tuple() | tuple():
            items = [answer(item) for item in value]
            return None if None in items else f"({', '.join(map(str, items))})"
        case np.generic():
            return answer(value.item())
        case tl.dtype() if not value.is_block():
            return str(value)
        case JITCallable():
            return str(value.__name__)
        case None | str() | bool() | int() | float():
            return repr(value)
    return None


def _number(text: str) -> str:
    """Return an answer as it is compared: 1.0, 1 and True are the same to static code."""
    if text in ("True", "False"):
        return str(int(text == "True"))
    return text.removesuffix(".0")


def difference(kernel: Any, interpreted: Answers, compiled: Answers, target: str) -> Finding | None:
    """Return a finding if the interpreter ran another program than the compiler compiled, else `None`.

    The compiler also visits code that a case does not reach, so a question that it alone answered is no difference.
    """
    functions = {function_key(function): function for function in reversed(reachable(kernel))}
    same, asked = _followed(interpreted, compiled)
    if asked is not None:
        function = functions.get(interpreted.functions[asked[0]])
        return _finding(kernel, function, asked[2], "calls another function for the compiler", target)
    for (call, turns, place), run in sorted(interpreted.given.items()):
        known = (compiled.given.get((each, turns, place)) for each in same[call])
        found = [answers for answers in known if answers is not None]
        built = frozenset[str]().union(*found)
        if all(found) and found and not set(map(_number, run)) <= set(map(_number, built)):
            compiler, interpreter = (" or ".join(sorted(answers)) for answers in (built, run))
            text = f"is {compiler} for the compiler and {interpreter} for the interpreter"
            return _finding(kernel, functions.get(interpreted.functions[call]), place, text, target)
    for key in sorted({*interpreted.functions.values()} - {*compiled.functions.values()}):
        text = "begins a function that the interpreter runs and the compiler leaves out"
        return _finding(kernel, functions.get(key), NOWHERE, text, target)
    return None


def _followed(interpreted: Answers, compiled: Answers) -> tuple[Mapping[str, frozenset[str]], Asked | None]:
    """Map each interpreted call to the compiled calls that it may be; return the first call that differs, if any.

    A call made inside one of Triton's own functions may be any compiled call of the same callee.
    """
    asked_by = {call: asked for asked, calls in interpreted.calls.items() for call in calls}
    any_of: dict[str, frozenset[str]] = defaultdict(frozenset)
    for call, key in compiled.functions.items():
        any_of[key] |= {call}
    same: dict[str, frozenset[str]] = {}
    for call, key in interpreted.functions.items():
        found = frozenset(list(compiled.functions)[:1])
        if (asked := asked_by.get(call)) is not None:
            caller, turns, place = asked
            found = frozenset().union(*(compiled.calls.get((each, turns, place), ()) for each in same[caller]))
        same[call] = found & any_of[key] or any_of[key]
        own = not any(compiled.functions[each].startswith(OF_TRITON) for each in found)
        if asked is not None and found and own and not found & any_of[key]:
            return same, asked
    return same, None


def _finding(kernel: Any, function: Any | None, place: Place, text: str, target: str) -> Finding:
    """Return the finding of a difference; `function` is `None`, source unknown, if only a constexpr one uses it."""
    begin, column, end, after = place
    known = kernel if function is None else function
    lines = [] if function is None else function.src.split("\n")[begin : end + 1]
    asked = lines[0].encode()[column:after].decode(errors="replace") if len(lines) == 1 else ""
    question = f"`{asked}`" if 0 < len(asked) <= LONGEST else "Something"
    line = first_line(known) + (0 if function is None else begin)
    return Finding(
        "compiled-differently",
        f"{question} on line {line} {text}: what was checked is not what a GPU runs.",
        file=file_of(known),
        line=line,
        next_step="Write one kernel for the interpreter and for every GPU.",
        details={"kernel": kernel.__name__, "target": target},
    )
