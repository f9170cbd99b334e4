"""Explain a fault of the compiler in one plain sentence, with the learner's line and a next step."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

import triton

from tritonpuzzles.compiler import shapes
from tritonpuzzles.compiler.constructs import SYNTAX
from tritonpuzzles.compiler.faults import PASS_FAILED, Fault
from tritonpuzzles.compiler.names import (
    global_read,
    no_such_attribute,
    of_constants,
    python_helper,
    python_module,
    undefined,
)
from tritonpuzzles.compiler.phrases import ONE_TRUTH, PHRASES, TILE_ASKED
from tritonpuzzles.compiler.reason import Reason, assignment
from tritonpuzzles.compiler.source import file_of, first_line, tree
from tritonpuzzles.compiler.wording import an, clean, dtype_name, type_name
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.words import PASS_FAILS

_PTXAS = re.compile(r"^ptxas .*?(?:error|fatal) *: (.+)$", re.MULTILINE)
_OF_TWO = {"tl.max": "tl.maximum", "tl.min": "tl.minimum"}
MOST = 3.4028234663852886e38  # the largest finite float32


class _Word(str):
    """A group of a pattern, formatted as `{0:type}`, `{0:dtype}` or `{0:number}`."""

    def __format__(self, spec: str) -> str:
        if spec == "type":
            return an(type_name(self))
        if spec == "dtype":
            return dtype_name(self)
        return f"{int(self):,}" if spec == "number" else str(self)


def compile_finding(fault: Fault, kernel: Any, target: str, sizes: Mapping[str, int] | None = None) -> Finding:
    """Return the finding for a fault of a kernel that was compiled for a target, with these constexprs."""
    known = shapes.broadcast(fault) or shapes.product(fault, sizes or {})
    reason = known or next(filter(None, (look(fault, kernel) for look in _LOOKS)), Reason(clean(fault.text)))
    small = shapes.small_sizes(fault, sizes or {})
    name = fault.function.__name__
    return Finding(
        "compile-error",
        f"{name} does not compile: {reason.cause}.",
        file=reason.file or fault.file,
        line=reason.line or fault.line,
        next_step=None if reason.step is None else _with_shapes(reason.step, sizes or {}),
        details={"kernel": kernel.__name__, "target": target, "triton": clean(fault.text)}
        | ({"sizes": small} if small else {}),
    )


def _assertion(fault: Fault, kernel: Any) -> Reason | None:
    if fault.kind != "CompileTimeAssertionFailure":
        return None
    return Reason(f"tl.static_assert fails: {clean(fault.text)}" if fault.text else "tl.static_assert fails")


def _syntax(fault: Fault, kernel: Any) -> Reason | None:
    found = re.search(r"unsupported AST node type: (\w+)", fault.text)
    return Reason(*SYNTAX[found[1]]) if found and found[1] in SYNTAX else None


def _nested_function(fault: Fault, kernel: Any) -> Reason | None:
    """A `def` in a kernel; before Triton 3.8 it ends in a StopIteration that says nothing."""
    for node in ast.walk(tree(fault.function)):
        if isinstance(node, ast.FunctionDef) and node.lineno > 1:
            line, length = fault.line_of(node), (node.end_lineno or node.lineno) - node.lineno
            if line <= fault.line <= line + length:
                cause = f"a kernel cannot define a function ({node.name}) inside itself"
                return Reason(cause, "Move it to the top level of the file, with @triton.jit.", line)
    return None


def _recursion(fault: Fault, kernel: Any) -> Reason | None:
    """A function that calls itself: Triton looks for a function that it has not finished."""
    function = fault.function
    name = function.__name__
    for node in ast.walk(tree(function)) if fault.kind == "KeyError" or "recursion" in fault.text else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
            return Reason(f"{name} calls itself, and a GPU function cannot", "Use a loop.", fault.line_of(node))
    return None


def _phrase(fault: Fault, kernel: Any) -> Reason | None:
    return phrased(fault.text)


def phrased(text: str) -> Reason | None:
    """Return a message of Triton in plain words, with what to do, where it is known."""
    for pattern, cause, step in PHRASES:
        found = re.search(pattern, text)
        if found:
            words = [_Word(group) for group in found.groups() if group is not None] or [_Word("")]
            return Reason(cause.format(*words), step.format(*words))
    return None


def _with_shapes(step: str, sizes: Mapping[str, int]) -> str:
    """Return a step that speaks of a tile with its shape in the launch's constants, where they tell."""

    def shaped(found: re.Match[str]) -> str:
        named = [[name for name, size in sizes.items() if size == int(number)] for number in found[1].split(" x ")]
        if any(len(names) != 1 for names in named):
            return found[0]
        names = [name for (name,) in named]
        return f"{found[0]}, ({', '.join(names)}{',' * (len(names) == 1)})"

    return re.sub(r"tile of (\d+(?: x \d+)*)(?=:)", shaped, step)


def _is_broadcast(before: str, after: str) -> bool:
    """Return whether a tile of one column or row, (n, 1), has become square in the loop: (n,) was added to it."""
    shapes = [
        [int(size) for size in re.findall(r"\d+(?= x|$)", text.partition(" tile of ")[2])] for text in (before, after)
    ]
    (old, new) = shapes
    return len(old) == len(new) == 2 and sorted(old) == [1, max(old)] and new == [max(old)] * 2


def _loop_carried(fault: Fault, kernel: Any) -> Reason | None:
    """A value that changes its type from one iteration to the next."""
    pattern = r"Loop-carried variable (\w+) has initial type (.+) but is re-assigned to (.+) in loop"
    found = re.search(pattern, fault.text)
    if not found:
        return None
    name, before, after = found[1], type_name(found[2]), type_name(found[3])
    step = f"Start {name} as {an(after)}: tl.zeros or tl.full of that shape and dtype, before the loop."
    if " tile of " in after and before.endswith(" scalar"):
        step = (
            f"If {name} is one number, reduce the tile first, by tl.sum or tl.max. If not, {step[0].lower()}{step[1:]}"
        )
    elif _is_broadcast(before, after):
        step = f"One size along an axis has become two: give what is added to {name} keep_dims=True, or [:, None]."
    elif all(sizes := [one.partition(" tile of ")[2] for one in (before, after)]) and sizes[0] != sizes[1]:
        step = (
            f"If {name} is a tile of {sizes[0]}, something in the loop has another shape, by the axis= of a reduction, "
            f"perhaps. If it is one of {sizes[1]}, start it so."
        )
    elif after.endswith(" scalar"):
        step = f"Start {name} as {an(after)} before the loop" + (
            ", with a point in its number." if "float" in after else "."
        )
    if " tile of " in before and before.split(" ", 1)[1] == after.split(" ", 1)[1]:
        first, later = before.split()[0], after.split()[0]
        step = f"Convert what is assigned to {name} with .to(tl.{first}), or start it as {later}."
        if later == "float32":  # anything else would round the state
            step = f"Start {name} as float32: tl.zeros or tl.full with dtype=tl.float32, before the loop."
    large = _beyond_float32(fault) if "float64" in after else None
    if large is not None:
        cause = f"{large.value!r} is beyond float32, so that {name} becomes {an(after)} in the loop"
        return Reason(cause, f"The largest finite float32 is {MOST!r}.", fault.line_of(large))
    place = assignment(fault.node, name)
    line = None if place is None else fault.line_of(place)
    return Reason(f"{name} is {an(before)} before the loop and {an(after)} in it", step, line)


def _shape(fault: Fault, kernel: Any) -> Reason | None:
    """`x_ptr.shape[0]`: a pointer has an empty shape."""
    for node in ast.walk(fault.node) if fault.node is not None and "out of range" in fault.text else ():
        if isinstance(node, ast.Attribute) and node.attr == "shape":
            name = ast.unparse(node.value)
            return Reason(f"{name}.shape has no such axis; a pointer has none at all", "Pass the sizes as parameters.")
    return None


def _indexed(fault: Fault, kernel: Any) -> Reason | None:
    """`x_ptr[row]`: Triton takes it for a call from outside of a kernel."""
    nodes = ast.walk(fault.node) if fault.node is not None and "forget to add @triton.jit" in fault.text else ()
    for node in nodes:
        if isinstance(node, ast.Subscript) and ast.unparse(node.value) in fault.function.arg_names:
            name, index = ast.unparse(node.value), ast.unparse(node.slice)
            cause = f"{name} is a pointer, and a kernel has no {ast.unparse(node)}"
            return Reason(cause, f"Move the pointer and load: tl.load({name} + {index}).", fault.line_of(node))
    return None


def _guard(fault: Fault, kernel: Any) -> Reason | None:
    """`if offsets < n:` around loads and stores, which take the condition as their mask."""
    if TILE_ASKED not in fault.text or not isinstance(fault.node, ast.If):
        return None
    calls = (node for part in fault.node.body for node in ast.walk(part) if isinstance(node, ast.Call))
    if not any(ast.unparse(call.func) in ("tl.load", "tl.store") for call in calls):
        return None
    test = ast.unparse(fault.node.test)
    return Reason(ONE_TRUTH, f"Give the condition to each load and store, in place of the `if`: mask={test}.")


def _beyond_float32(fault: Fault) -> ast.Constant | None:
    """Return the first literal of a function that is finite and too large for float32: it makes everything float64."""
    for node in ast.walk(tree(fault.function)):
        if isinstance(node, ast.Constant) and isinstance(node.value, float) and MOST < node.value < math.inf:
            return node
    return None


def _print(fault: Fault, kernel: Any) -> Reason | None:
    """`print(x)`; by its source, for Triton fails to build its own message under some versions of Python."""
    for node in ast.walk(fault.node) if fault.node is not None else ():
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("print", "tl.device_print") and node.args:
            first = node.args[0]
            if not (isinstance(first, ast.JoinedStr) or isinstance(getattr(first, "value", None), str)):
                value = ast.unparse(first)
                cause = "the first argument of print in a kernel must be a text, and it is a value"
                return Reason(cause, f'Write tl.device_print("{value}", {value}).', fault.line_of(node))
    return None


def _internal(fault: Fault, kernel: Any) -> Reason | None:
    """The learner's code passed, and a later stage of the compiler failed."""
    if PASS_FAILED in fault.text:
        cause = f"a pass of Triton {triton.__version__}'s compiler fails without a reason, a fault of the compiler's"
        return Reason(cause, PASS_FAILS)
    if fault.kind == "PTXASError":
        said = _PTXAS.search(fault.text)
        if said:
            return Reason(f"ptxas, which assembles what Triton made of it, says: {said[1].strip().rstrip('.')}")
        return Reason("ptxas rejects what Triton made of it", "Try other tile sizes, fewer stages or more warps.")
    return None


def _returned(fault: Fault, kernel: Any) -> Reason | None:
    """`return z` in a kernel: the compiler passes it, and a later stage fails in words of its own."""
    if "tt.return" not in fault.text and "return operand" not in fault.text and PASS_FAILED not in fault.text:
        return None
    for node in ast.walk(tree(kernel)):
        if isinstance(node, ast.Return) and not (node.value is None or ast.unparse(node.value) == "None"):
            value, line = ast.unparse(node.value), first_line(kernel) + node.lineno - 1
            cause = f"a launch gives nothing back, and the kernel returns {value}"
            return Reason(cause, f"Store it: tl.store(pointer + offsets, {value}, mask=...).", line, file_of(kernel))
    return None


def _two_values(fault: Fault, kernel: Any) -> Reason | None:
    """`tl.max(m, x)`, where the larger of two values is meant."""
    for node in ast.walk(fault.node) if fault.node is not None else ():
        name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
        if name in _OF_TWO and isinstance(node, ast.Call) and len(node.args) > 1 and not _is_axis(node.args[1], fault):
            first, second = (ast.unparse(argument) for argument in node.args[:2])
            cause = f"{name} reduces one tile along an axis, and {second} is no axis"
            return Reason(cause, f"Write {_OF_TWO[name]}({first}, {second}).", fault.line_of(node))
    return None


def _is_axis(node: ast.expr, fault: Fault) -> bool:
    """Whether an argument can be the number of an axis: a whole number, or a constexpr."""
    if isinstance(node, ast.UnaryOp):
        return _is_axis(node.operand, fault)
    if isinstance(node, ast.Constant):
        return node.value is None or type(node.value) is int
    constants = {parameter.name for parameter in fault.function.params if parameter.is_constexpr}
    return isinstance(node, ast.Name) and (node.id in constants or node.id.isupper())


_LOOKS: tuple[Callable[[Fault, Any], Reason | None], ...] = (
    _assertion, _nested_function, _recursion, _syntax, _loop_carried, global_read, undefined, no_such_attribute,
    python_helper, of_constants, _returned, _internal, _two_values, python_module, _shape, _print, _indexed, _guard,
    _phrase,
)  # fmt: skip
