"""Explain a fault of the compiler in one plain sentence, with the learner's line and a next step."""

from __future__ import annotations

import ast
import builtins
import difflib
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import triton
import triton.language as tl

from tritonpuzzles.engine.compiler.constructs import SYNTAX
from tritonpuzzles.engine.compiler.faults import PASS_FAILED, Fault
from tritonpuzzles.engine.compiler.phrases import PHRASES
from tritonpuzzles.engine.compiler.source import file_of, first_line, named_values, reachable, tree
from tritonpuzzles.engine.compiler.wording import an, clean, dtype_name, type_name
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.words import PASS_FAILS

_PTXAS = re.compile(r"^ptxas .*?(?:error|fatal) *: (.+)$", re.MULTILINE)
_OF_TWO = {"tl.max": "tl.maximum", "tl.min": "tl.minimum"}
_PYTHON_MODULES = ("math", "np", "numpy", "torch")
MOST = 3.4028234663852886e38  # the largest finite float32


@dataclass(frozen=True)
class Reason:
    """Why, and what to do; `file` and `line` where they are better known than the fault's own."""

    cause: str
    step: str | None = None
    line: int | None = None
    file: str | None = None


class _Word(str):
    """A group of a pattern, formatted as `{0:type}`, `{0:dtype}` or `{0:number}`."""

    def __format__(self, spec: str) -> str:
        if spec == "type":
            return an(type_name(self))
        if spec == "dtype":
            return dtype_name(self)
        return f"{int(self):,}" if spec == "number" else str(self)


def compile_finding(fault: Fault, kernel: Any, target: str) -> Finding:
    """Return the finding for a fault of a kernel that was compiled for a target."""
    reason = next(filter(None, (look(fault, kernel) for look in _LOOKS)), Reason(clean(fault.text)))
    name = fault.function.__name__
    return Finding(
        "compile-error",
        f"{name} does not compile: {reason.cause}.",
        file=reason.file or fault.file,
        line=reason.line or fault.line,
        next_step=reason.step,
        details={"kernel": kernel.__name__, "target": target, "triton": clean(fault.text)},
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
    for pattern, cause, step in PHRASES:
        found = re.search(pattern, fault.text)
        if found:
            words = [_Word(group) for group in found.groups() if group is not None] or [_Word("")]
            return Reason(cause.format(*words), step.format(*words))
    return None


def _loop_carried(fault: Fault, kernel: Any) -> Reason | None:
    """A value that changes its type from one iteration to the next."""
    pattern = r"Loop-carried variable (\w+) has initial type (.+) but is re-assigned to (.+) in loop"
    found = re.search(pattern, fault.text)
    if not found:
        return None
    name, before, after = found[1], type_name(found[2]), type_name(found[3])
    step = f"Start {name} as {an(after)}: tl.zeros or tl.full of that shape and dtype, before the loop."
    if " block of " in before and before.split(" ", 1)[1] == after.split(" ", 1)[1]:
        first, later = before.split()[0], after.split()[0]
        step = f"Convert what is assigned to {name} with .to(tl.{first}), or start it as {later}."
        if later == "float32":  # anything else would round the state
            step = f"Start {name} as float32: tl.zeros or tl.full with dtype=tl.float32, before the loop."
    large = _beyond_float32(fault) if "float64" in after else None
    if large is not None:
        cause = f"{large.value!r} is beyond float32, so that {name} becomes {an(after)} in the loop"
        return Reason(cause, f"The largest finite float32 is {MOST!r}.", fault.line_of(large))
    place = _assignment(fault.node, name)
    line = None if place is None else fault.line_of(place)
    return Reason(f"{name} is {an(before)} before the loop and {an(after)} in it", step, line)


def _assignment(node: ast.AST | None, name: str) -> ast.AST | None:
    """Return the first statement below a node that assigns a name."""
    for child in ast.walk(node) if node is not None else ():
        if isinstance(child, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
            targets = child.targets if isinstance(child, ast.Assign) else [child.target]
            names = {item.id for target in targets for item in ast.walk(target) if isinstance(item, ast.Name)}
            if name in names:
                return child
    return None


def _global(fault: Fault, kernel: Any) -> Reason | None:
    found = re.search(r"Cannot access global variable (\w+)", fault.text)
    if not found:
        return None
    name = found[1]
    cause = f"the kernel reads {name}, a Python global, which may change after it is compiled"
    value = fault.function.fn.__globals__.get(name)
    shown = repr(value) if isinstance(value, (bool, int, float)) else "..."
    return Reason(cause, f"Pass it as a tl.constexpr parameter, or write {name} = tl.constexpr({shown}).")


def _undefined(fault: Fault, kernel: Any) -> Reason | None:
    """A name without a value: set in one branch only, a Python builtin, or a slip of the pen."""
    found = re.match(r"(?:name )?'?(\w+)'? is not defined", fault.text)
    if fault.kind != "NameError" or not found:
        return None
    name, body = found[1], tree(fault.function)
    assigned = _assignment(body, name)
    if assigned is not None:
        return _one_branch(fault, name, body, assigned)
    if hasattr(builtins, name):
        return Reason(f"Python's {name} is not there in a kernel", "Use range or the functions of tl.")
    if name in _PYTHON_MODULES:
        return Reason(f"{name} is not defined, and a kernel has no use for it", "Use the functions of triton.language.")
    known = {node.id for node in ast.walk(body) if isinstance(node, ast.Name)} | set(fault.function.arg_names)
    step = f"Write tl.{name}." if hasattr(tl, name) else _did_you_mean(name, known - {name})
    return Reason(f"{name} is not defined", step)


def _one_branch(fault: Fault, name: str, body: ast.FunctionDef, assigned: ast.AST) -> Reason:
    """Say where a name that has no value here gets one."""
    line = fault.line_of(assigned)
    holders = [node for node in ast.walk(body) if isinstance(node, (ast.If, ast.For, ast.While))]
    inside = [node for node in holders if any(child is assigned for child in ast.walk(node))]
    if not inside or line >= fault.line:
        return Reason(f"{name} is used before it gets a value, on line {line}", "Move the assignment up.")
    kind = "branch of an `if`" if isinstance(inside[-1], ast.If) else "loop"
    before = f"ive {name} a value of the same shape and dtype before line {fault.line_of(inside[0])}."
    step = f"G{before}" if isinstance(inside[-1], ast.If) else f"Use {name} inside the loop, or g{before}"
    return Reason(f"{name} gets a value only inside a {kind}, on line {line}, and may have none here", step)


def _attribute(fault: Fault, kernel: Any) -> Reason | None:
    found = re.search(r"module 'triton\.language(?:\.\w+)*' has no attribute '(\w+)'", fault.text)
    if not found:
        return None
    return Reason(f"tl.{found[1]} does not exist", _did_you_mean(found[1], set(dir(tl)), "tl."))


def _did_you_mean(name: str, known: set[str], prefix: str = "") -> str | None:
    near = difflib.get_close_matches(name, sorted(known), n=1) if len(name) > 1 else []
    return f"Did you mean {prefix}{near[0]}?" if near else None


def _python_helper(fault: Fault, kernel: Any) -> Reason | None:
    """A function that Triton found before it compiled anything, so it gives no line."""
    found = re.match(r"Unsupported function referenced: (.*)", fault.text)
    if not found:
        return None
    for function in reachable(kernel):
        for name, value in named_values(function).items():
            if str(value) == found[1]:
                place = _use(tree(function), name)
                return _python_reason(name, first_line(function) + place.lineno - 1, file_of(function))
    return Reason("it calls an ordinary Python function", "Decorate the function with @triton.jit.")


def _use(body: ast.AST, name: str) -> Any:
    return next(
        node for node in ast.walk(body) if isinstance(node, (ast.Name, ast.Attribute)) and ast.unparse(node) == name
    )


def _python_reason(name: str, line: int | None = None, file: str | None = None) -> Reason:
    if "." not in name:
        cause = f"{name} is an ordinary Python function, and a kernel can call only @triton.jit functions"
        return Reason(cause, f"Decorate {name} with @triton.jit.", line, file)
    own = name.rsplit(".", 1)[1]
    step = f"Use tl.{own}." if hasattr(tl, own) else "Use the functions of triton.language."
    return Reason(f"{name} works on Python numbers and tensors on the host, not on a kernel's values", step, line, file)


def _python_module(fault: Fault, kernel: Any) -> Reason | None:
    """A call such as math.exp(x) that Python itself rejects."""
    if fault.kind not in ("TypeError", "AttributeError", "CompilationError", "ValueError") or fault.node is None:
        return None
    for node in ast.walk(fault.node):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name = ast.unparse(node.func)
            if name.split(".")[0] in _PYTHON_MODULES:
                return _python_reason(name, fault.line_of(node))
    return None


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
            cause = f"{name} reduces one block along an axis, and {second} is no axis"
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
    _assertion, _nested_function, _recursion, _syntax, _loop_carried, _global, _undefined, _attribute,
    _python_helper, _returned, _internal, _two_values, _python_module, _shape, _print, _indexed, _phrase,
)  # fmt: skip
