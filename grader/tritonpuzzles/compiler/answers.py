"""What is known of a kernel before it runs: each question in its text, and its answers.

A question is a call, a comparison, `and`, `or`, `not`, a condition, a loop's bound. Compiler and interpreter evaluate
the same text: where they answer differently, what was interpreted is not what a GPU runs.
"""

from __future__ import annotations

import ast
import contextlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import triton.language as tl

from tritonpuzzles.compiler.source import file_of, first_line, reachable
from tritonpuzzles.insides import CodeGenerator, JITCallable
from tritonpuzzles.results.check import Finding

LONGEST = 80  # characters of a question that is quoted
Place = tuple[str, int, int, int, int]  # function, line from its `def`, column, and where it ends


@dataclass(frozen=True)
class Answers:
    """What one of the two has come to, and what was known there.

    Attributes:
        functions: names of the functions that it has entered, without Triton's own.
        given: by question all of its answers; questions that only a running kernel answers are left out.
    """

    functions: frozenset[str]
    given: Mapping[Place, frozenset[str]]

    def to_json(self) -> dict[str, Any]:
        """Return JSON-ready data for `from_json`."""
        given = [[*place, sorted(answers)] for place, answers in sorted(self.given.items())]
        return {"functions": sorted(self.functions), "given": given}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Answers:
        """Rebuild them; raises KeyError, TypeError or ValueError if the data is no such thing."""
        given = {
            (str(name), int(line), int(column), int(end), int(after)): frozenset(map(str, answers))
            for name, line, column, end, after, answers in data["given"]
        }
        return cls(frozenset(map(str, data["functions"])), given)


def joined(several: Sequence[Answers]) -> Answers:
    """Return the answers of several runs together."""
    given: dict[Place, frozenset[str]] = {}
    for answers in several:
        given |= {place: found | given.get(place, frozenset()) for place, found in answers.given.items()}
    return Answers(frozenset().union(*(answers.functions for answers in several)), given)


def is_question(node: ast.AST) -> bool:
    """Whether a part of a text asks something, wherever it stands."""
    return isinstance(node, (ast.Call, ast.Compare, ast.BoolOp)) or (
        isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    )


def place_of(function: str, node: ast.expr, first: int) -> Place:
    """Return the name of a question; `first` is the line of `def` as the tree counts."""
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return function, node.lineno - first, node.col_offset, node.end_lineno - first, node.end_col_offset


def decided_by(node: ast.AST) -> list[ast.expr]:
    """Return what decides where a part of a text leads: a condition, or the bounds of a loop."""
    if isinstance(node, (ast.If, ast.IfExp, ast.While)):
        return [node.test]
    if isinstance(node, ast.For) and isinstance(node.iter, ast.Call):
        bounds = [*node.iter.args, *(keyword.value for keyword in node.iter.keywords)]
        return [bound for bound in bounds if not isinstance(bound, ast.Starred)]
    return []


def answer(value: Any) -> str | None:
    """Return a value in words; `None` for what is known only when the kernel runs."""
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


@contextlib.contextmanager
def listening() -> Iterator[list[Answers]]:
    """Note what Triton's compiler answers inside a `with` block; the list is filled when it has come through."""
    functions: set[str] = set()
    given: dict[Place, set[str | None]] = defaultdict(set)
    decide: set[ast.AST] = set()
    visit, heard = CodeGenerator.visit, list[Answers]()

    def listened(generator: Any, node: Any) -> Any:
        decide.update(decided_by(node))
        result = visit(generator, node)
        if isinstance(node, ast.FunctionDef):
            functions.add(generator.jit_fn.__name__)
        elif is_question(node) or node in decide:
            given[place_of(generator.jit_fn.__name__, node, 1)].add(answer(result))
        return result

    CodeGenerator.visit = listened
    try:
        yield heard
    finally:
        CodeGenerator.visit = visit
    known = {place: frozenset(map(str, answers)) for place, answers in given.items() if None not in answers}
    heard.append(Answers(frozenset(functions), known))


def difference(kernel: Any, interpreted: Answers, compiled: Answers, target: str) -> Finding | None:
    """Return where the interpreter has run another kernel than the compiler has compiled; `None` if it is the same.

    The compiler also comes where a case does not lead, so what it alone has answered is no difference.
    """
    functions = {function.__name__: function for function in reversed(reachable(kernel))}
    for place in sorted(interpreted.given.keys() & compiled.given.keys()):
        run, built = interpreted.given[place], compiled.given[place]
        if not set(map(_number, run)) <= set(map(_number, built)):
            text = (
                f"is {' or '.join(sorted(built))} for the compiler and {' or '.join(sorted(run))} for the interpreter"
            )
            return _finding(kernel, functions.get(place[0]), place, text, target)
    for name in sorted(interpreted.functions - compiled.functions):
        place, text = (name, 0, 0, 0, 0), "begins a function that the interpreter runs and the compiler leaves out"
        return _finding(kernel, functions.get(name), place, text, target)
    return None


def _finding(kernel: Any, function: Any | None, place: Place, text: str, target: str) -> Finding:
    """Say what differs; a function may be one that only a constexpr function knows, whose text is not at hand."""
    known = kernel if function is None else function
    line = first_line(known) + (0 if function is None else place[1])
    return Finding(
        "compiled-differently",
        f"{_question(function, place)} on line {line} {text}: what was checked is not what a GPU runs.",
        file=file_of(known),
        line=line,
        next_step="Write one kernel for the interpreter and for every GPU.",
        details={"kernel": kernel.__name__, "target": target},
    )


def _question(function: Any | None, place: Place) -> str:
    """Return a question as the text has it, where it is short."""
    _, line, column, end, after = place
    lines = [] if function is None else function.src.split("\n")[line : end + 1]
    asked = lines[0].encode()[column:after].decode(errors="replace") if len(lines) == 1 else ""
    return f"`{asked}`" if 0 < len(asked) <= LONGEST else "Something"
