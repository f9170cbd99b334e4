"""Inspect a function that does not compile, for the words and the line that Triton's message leaves out.

Each look returns words for the row of its message, or `None` if the row does not apply.
"""

from __future__ import annotations

import ast
import difflib
import math
from collections.abc import Collection, Iterable, Iterator
from types import ModuleType
from typing import Any

import triton.language as tl

from tritonpuzzles.compiler.faults import Fault
from tritonpuzzles.compiler.source import file_of, named_values, reachable, text_of
from tritonpuzzles.compiler.wording import Look, Words, type_name
from tritonpuzzles.insides import ConstexprFunction
from tritonpuzzles.source.functions import assignments_in, lines_of, names_in, reached, sources_in

MOST = 3.4028234663852886e38  # the largest finite float32
PYTHON_MODULES = ("math", "np", "numpy", "torch")
A_SOFTMAX = "Use tl.max, tl.exp and tl.sum, which a softmax is made of."  # advice in place of tl.softmax
ON_THE_HOST = "Work it out in the host function, and pass it as a tl.constexpr."
_OF_TWO = {"tl.max": "tl.maximum", "tl.min": "tl.minimum"}


def instead(name: str, otherwise: str = "Use the functions of triton.language.") -> str:
    """Return the advice on what to use in place of a function from outside triton.language."""
    if name == "softmax":
        return A_SOFTMAX
    return f"Use tl.{name}." if hasattr(tl, name) else otherwise


def _calls(fault: Fault) -> Iterator[tuple[ast.Call, str]]:
    """Yield the calls in the node that was being compiled, each with the called expression as text."""
    return ((node, ast.unparse(node.func)) for node in fault.nodes if isinstance(node, ast.Call))


# Names


def shown_global(fault: Fault, words: Words) -> Words:
    """A Python global, `shown` as it could stand in a tl.constexpr."""
    value = fault.function.fn.__globals__.get(words["name"])
    return {"shown": repr(value) if isinstance(value, (bool, int, float)) else "..."}


def set_inside(*holders: type[ast.stmt]) -> Look:
    """Return a look for a name that is set only inside a branch or loop: `at` its line, `before` the outermost's line.

    With no kind of holder it is for a name that is set later, or outside of every branch and loop.
    """

    def look(fault: Fault, words: Words) -> Words | None:
        at = next((made.line for made in fault.own.assignments if words["name"] in made.names), None)
        if at is None:
            return None
        kinds = (ast.If, ast.For, ast.While)
        inside = [node for node in fault.own.nodes if isinstance(node, kinds) and at in lines_of(node)]
        if not inside or at >= fault.line:
            return None if holders else {"at": at}
        return {"at": at, "before": inside[0].lineno} if isinstance(inside[-1], holders) else None

    return look


def of_another_loop(fault: Fault, words: Words) -> Words | None:
    """Match a name that one loop sets anew in each iteration, `at` a line, and another loop, `here`, reads.

    A value carried from iteration to iteration, such as a running maximum, does not match: its end value may be read.
    """
    loops = [node for node in fault.own.nodes if isinstance(node, (ast.For, ast.While))]
    made = [one for one in fault.own.assignments if words["name"] in one.names]
    around = [loop for loop in loops if fault.line in lines_of(loop)]
    if not made or not around or any(one.line in lines_of(loop) for one in made for loop in around):
        return None
    loop = next((loop for loop in reversed(loops) if made[0].line in lines_of(loop)), None)
    if loop is None or loop.lineno > around[0].lineno or words["name"] in _kept(loop):
        return None
    return {"at": made[0].line, "before": loop.lineno, "here": around[-1].lineno}


def _kept(loop: ast.For | ast.While) -> set[str]:
    """Return the names that a loop computes from their own earlier values."""
    sources = sources_in(list(ast.walk(loop)))
    return {name for name, values in sources.items() if any(name in reached(value, sources) for value in values)}


def named_in(module: ModuleType) -> Look:
    """Return a look that applies if a module has the name."""
    return lambda fault, words: words if hasattr(module, words["name"]) else None


def _similar(name: str, known: Iterable[str]) -> Words | None:
    near = difflib.get_close_matches(name, sorted(known), n=1) if len(name) > 1 else []
    return {"similar": near[0]} if near else None


def similar(fault: Fault, words: Words) -> Words | None:
    """A typing error: the kernel has a `similar` name."""
    known = {node.id for node in fault.own.nodes if isinstance(node, ast.Name)} | set(fault.function.arg_names)
    return _similar(words["name"], known - {words["name"]})


def similar_in_language(fault: Fault, words: Words) -> Words | None:
    """A typing error: triton.language has a `similar` name."""
    return _similar(words["name"], set(dir(tl)) - {"softmax"})


def in_place_of(fault: Fault, words: Words) -> Words:
    """What to use `instead` of a name that triton does not have."""
    return {"instead": instead(words["name"])}


# Functions of Python


def referenced(is_dotted: bool) -> Look:
    """Return a look for a Python function, with or without a dot in its name, that Triton rejects up front."""

    def look(fault: Fault, words: Words) -> Words | None:
        name, line, file = next(_referenced(fault.kernel, words["said"]), ("", 0, ""))
        return {**_of_the_host(name, line), "file": file} if name and ("." in name) is is_dotted else None

    return look


def _referenced(kernel: Any, said: str) -> Iterator[tuple[str, int, str]]:
    """Yield the functions that a message refers to: name, and the line and file of their use."""
    for function in reachable(kernel):
        nodes = [node for node in text_of(function).nodes if isinstance(node, (ast.Name, ast.Attribute))]
        for name, value in named_values(function).items():
            if str(value) == said:
                yield name, next(node.lineno for node in nodes if ast.unparse(node) == name), file_of(function)
        for node in nodes:  # torch.nn.functional.softmax
            if isinstance(node, ast.Attribute) and f"<function {node.attr} at " in said:
                name = ast.unparse(node)
                if name.split(".")[0] in (*PYTHON_MODULES, "triton"):
                    yield name, node.lineno, file_of(function)


def _of_the_host(name: str, line: int) -> Words:
    decorated = A_SOFTMAX if name == "softmax" else f"Decorate {name} with @triton.jit."
    return {"name": name, "line": line, "instead": instead(name.rsplit(".", 1)[-1]), "decorated": decorated}


def of_constants(fault: Fault, words: Words) -> Words | None:
    """A call such as triton.cdiv(n, 2), of a function that takes only compile-time constants."""
    if not isinstance(fault.node, ast.Call):
        return None
    name = ast.unparse(fault.node.func)
    if not isinstance(named_values(fault.function).get(name), ConstexprFunction):
        return None
    return {"name": name, "instead": instead(name.rsplit(".", 1)[-1], ON_THE_HOST)}


def nearly_constant(fault: Fault, words: Words) -> Words | None:
    """A name in a call that would be a constant if it were annotated: of constants, or a parameter in capitals."""
    own, constants = fault.own, set(fault.sizes)
    for name in dict.fromkeys(node.id for node in fault.nodes if isinstance(node, ast.Name)):
        made = [one for one in own.assignments if one.name == name]
        if len(made) == 1 and constants & names_in(made[0].value) == names_in(made[0].value) != set():
            return {"declared": f"{name}: tl.constexpr = {made[0].text}"}
        if name in own.parameters and name not in own.constants and name.isupper():
            return {"declared": f"{name}: tl.constexpr"}
    return None


def python_call(fault: Fault, words: Words) -> Words | None:
    """A call such as math.exp(x) that Python itself rejects."""
    if fault.kind not in ("TypeError", "AttributeError", "CompilationError", "ValueError"):
        return None
    for call, name in _calls(fault):
        if isinstance(call.func, ast.Attribute) and name.split(".")[0] in PYTHON_MODULES:
            return _of_the_host(name, fault.line_of(call))
    return None


# Constructs that a kernel cannot contain


def nested_function(fault: Fault, words: Words) -> Words | None:
    """A `def` in a kernel; before Triton 3.8 it ends in a StopIteration that says nothing."""
    for function in text_of(fault.function).functions[1:]:
        if fault.line in function.lines:
            return {"name": function.name, "line": function.lines.start}
    return None


def recursion(fault: Fault, words: Words) -> Words | None:
    """A function that calls itself: Triton looks for a function that it has not finished."""
    name = fault.function.__name__
    for node in fault.own.nodes if fault.kind == "KeyError" or "recursion" in fault.text else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
            return {"name": name, "line": node.lineno}
    return None


def returned(fault: Fault, words: Words) -> Words | None:
    """`return z` in a kernel: the front end accepts it, and a later stage fails with an unclear message."""
    for node in text_of(fault.kernel).functions[0].returns:
        value = "None" if node.value is None else ast.unparse(node.value)
        if value != "None":
            return {"value": value, "line": node.lineno, "file": file_of(fault.kernel)}
    return None


def shape(fault: Fault, words: Words) -> Words | None:
    """`x_ptr.shape[0]`: a pointer has an empty shape."""
    for node in fault.nodes:
        if isinstance(node, ast.Attribute) and node.attr == "shape":
            return {"name": ast.unparse(node.value)}
    return None


def indexed(fault: Fault, words: Words) -> Words | None:
    """`x_ptr[row]`: Triton takes it for a call from outside of a kernel."""
    for node in fault.nodes:
        if isinstance(node, ast.Subscript) and ast.unparse(node.value) in fault.function.arg_names:
            name, index = ast.unparse(node.value), ast.unparse(node.slice)
            return {"name": name, "index": index, "element": ast.unparse(node), "line": fault.line_of(node)}
    return None


def guard(fault: Fault, words: Words) -> Words | None:
    """`if offsets < n:` around loads and stores, which take the condition as their mask."""
    if not isinstance(fault.node, ast.If):
        return None
    calls = (node for part in fault.node.body for node in ast.walk(part) if isinstance(node, ast.Call))
    accesses = any(ast.unparse(call.func) in ("tl.load", "tl.store") for call in calls)
    return {"test": ast.unparse(fault.node.test)} if accesses else None


def printed(fault: Fault, words: Words) -> Words | None:
    """`print(x)`; found in the source, as Triton fails to build its own message under some versions of Python."""
    for call, name in _calls(fault):
        if name in ("print", "tl.device_print") and call.args:
            first = call.args[0]
            if not (isinstance(first, ast.JoinedStr) or isinstance(getattr(first, "value", None), str)):
                return {"value": ast.unparse(first), "line": fault.line_of(call)}
    return None


def two_values(fault: Fault, words: Words) -> Words | None:
    """`tl.max(m, x)`, where the larger of two values is meant."""
    constants = {parameter.name for parameter in fault.function.params if parameter.is_constexpr}
    for call, name in _calls(fault):
        if name in _OF_TWO and len(call.args) > 1 and not _is_axis(call.args[1], constants):
            first, second = (ast.unparse(argument) for argument in call.args[:2])
            return {"name": name, "first": first, "second": second, "meant": _OF_TWO[name], "line": fault.line_of(call)}
    return None


def _is_axis(node: ast.expr, constants: Collection[str]) -> bool:
    """Whether an argument can be the number of an axis: a whole number, or a constexpr."""
    match node:
        case ast.UnaryOp(operand=inner):
            return _is_axis(inner, constants)
        case ast.Constant(value):
            return value is None or type(value) is int
    return isinstance(node, ast.Name) and (node.id in constants or node.id.isupper())


# Types that change in a loop


def carried(fault: Fault, words: Words) -> Words:
    """The line in which a loop gives a name another type."""
    made = next((made.line for made in assignments_in(fault.nodes) if words["name"] in made.names), None)
    return {"line": None if made is None else fault.first + made - 1}


def started(fault: Fault, words: Words) -> Words:
    """The line before a loop that starts a name with too few bits; in doubt the one in the loop."""
    inside = carried(fault, words)
    made = [one.line for one in fault.own.assignments if words["name"] in one.names and one.line < fault.line]
    return {"line": made[0]} if len(made) == 1 else inside


def beyond_float32(fault: Fault, words: Words) -> Words | None:
    """The first `literal` that is finite and too large for float32: it makes everything float64."""
    for node in fault.own.nodes if "float64" in type_name(words["after"]) else ():
        if isinstance(node, ast.Constant) and isinstance(node.value, float) and MOST < node.value < math.inf:
            return {"literal": repr(node.value), "line": node.lineno}
    return None
