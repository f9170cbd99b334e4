"""Names that a kernel has no use for or no value of: globals, slips of the pen, functions of Python's own."""

from __future__ import annotations

import ast
import builtins
import difflib
import re
from typing import Any

import triton.language as tl

from tritonpuzzles.compiler.faults import Fault
from tritonpuzzles.compiler.reason import Reason, assignment
from tritonpuzzles.compiler.source import file_of, first_line, named_values, reachable, tree
from tritonpuzzles.insides import ConstexprFunction

PYTHON_MODULES = ("math", "np", "numpy", "torch")
NUMBERS = ("inf", "nan")
WHOLE = {"softmax": "Use tl.max, tl.exp and tl.sum, which a softmax is made of."}  # what to advise in place of tl's own
ON_THE_HOST = "Work it out in the host function, and pass it as a tl.constexpr."


def global_read(fault: Fault, kernel: Any) -> Reason | None:
    """A Python global that is no constexpr."""
    found = re.search(r"Cannot access global variable (\w+)", fault.text)
    if not found:
        return None
    name = found[1]
    cause = f"the kernel reads {name}, a Python global, which may change after it is compiled"
    value = fault.function.fn.__globals__.get(name)
    shown = repr(value) if isinstance(value, (bool, int, float)) else "..."
    return Reason(cause, f"Pass it as a tl.constexpr parameter, or write {name} = tl.constexpr({shown}).")


def undefined(fault: Fault, kernel: Any) -> Reason | None:
    """A name without a value: set in one branch only, a Python builtin, or a slip of the pen."""
    found = re.match(r"(?:name )?'?(\w+)'? is not defined", fault.text)
    if fault.kind != "NameError" or not found:
        return None
    name, body = found[1], tree(fault.function)
    assigned = assignment(body, name)
    if assigned is not None:
        return _one_branch(fault, name, body, assigned)
    if hasattr(builtins, name):
        return Reason(f"Python's {name} is not there in a kernel", "Use range or the functions of tl.")
    if name in PYTHON_MODULES:
        return Reason(f"{name} is not defined, and a kernel has no use for it", "Use the functions of triton.language.")
    if name in NUMBERS:
        return Reason(f"{name} is not defined", f'Write float("{name}").')
    known = {node.id for node in ast.walk(body) if isinstance(node, ast.Name)} | set(fault.function.arg_names)
    own = WHOLE.get(name, f"Write tl.{name}.") if hasattr(tl, name) else None
    step = own or _did_you_mean(name, known - {name})
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


def no_such_attribute(fault: Fault, kernel: Any) -> Reason | None:
    """A function that triton.language has not, or triton itself."""
    found = re.search(r"module 'triton(\.language(?:\.\w+)*)?' has no attribute '(\w+)'", fault.text)
    if not found:
        return None
    if found[1] is None:
        return Reason(f"triton.{found[2]} does not exist", _instead(found[2]))
    return Reason(f"tl.{found[2]} does not exist", _did_you_mean(found[2], set(dir(tl)) - WHOLE.keys(), "tl."))


def _instead(name: str, otherwise: str = "Use the functions of triton.language.") -> str:
    """Say what a kernel uses in place of a function that is not triton.language's."""
    return WHOLE.get(name) or (f"Use tl.{name}." if hasattr(tl, name) else otherwise)


def _did_you_mean(name: str, known: set[str], prefix: str = "") -> str | None:
    near = difflib.get_close_matches(name, sorted(known), n=1) if len(name) > 1 else []
    return f"Did you mean {prefix}{near[0]}?" if near else None


def python_helper(fault: Fault, kernel: Any) -> Reason | None:
    """A function that Triton found before it compiled anything, so it gives no line."""
    found = re.match(r"Unsupported function referenced: (.*)", fault.text)
    if not found:
        return None
    for function in reachable(kernel):
        for name, value in named_values(function).items():
            if str(value) == found[1]:
                place = _use(tree(function), name)
                return _python_reason(name, first_line(function) + place.lineno - 1, file_of(function))
        for node in ast.walk(tree(function)):  # torch.nn.functional.softmax
            if isinstance(node, ast.Attribute) and f"<function {node.attr} at " in found[1]:
                name = ast.unparse(node)
                if name.split(".")[0] in (*PYTHON_MODULES, "triton"):
                    return _python_reason(name, first_line(function) + node.lineno - 1, file_of(function))
    return Reason("it calls an ordinary Python function", "Decorate the function with @triton.jit.")


def _use(body: ast.AST, name: str) -> Any:
    return next(
        node for node in ast.walk(body) if isinstance(node, (ast.Name, ast.Attribute)) and ast.unparse(node) == name
    )


def _python_reason(name: str, line: int | None = None, file: str | None = None) -> Reason:
    if "." not in name:
        cause = f"{name} is an ordinary Python function, and a kernel can call only @triton.jit functions"
        return Reason(cause, WHOLE.get(name, f"Decorate {name} with @triton.jit."), line, file)
    step = _instead(name.rsplit(".", 1)[1])
    return Reason(f"{name} works on Python numbers and tensors on the host, not on a kernel's values", step, line, file)


def of_constants(fault: Fault, kernel: Any) -> Reason | None:
    """A function such as triton.cdiv, which a kernel may call with what is known when it is compiled."""
    if "forget to add @triton.jit" not in fault.text or not isinstance(fault.node, ast.Call):
        return None
    name = ast.unparse(fault.node.func)
    if not isinstance(named_values(fault.function).get(name), ConstexprFunction):
        return None
    cause = f"{name} takes numbers that are known when the kernel is compiled, and gets one that is not"
    return Reason(cause, _instead(name.rsplit(".", 1)[-1], ON_THE_HOST))


def python_module(fault: Fault, kernel: Any) -> Reason | None:
    """A call such as math.exp(x) that Python itself rejects."""
    if fault.kind not in ("TypeError", "AttributeError", "CompilationError", "ValueError") or fault.node is None:
        return None
    for node in ast.walk(fault.node):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name = ast.unparse(node.func)
            if name.split(".")[0] in PYTHON_MODULES:
                return _python_reason(name, fault.line_of(node))
    return None
