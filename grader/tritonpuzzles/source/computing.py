"""Where host code would let PyTorch compute, on paths that no case takes, too."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping

from tritonpuzzles.source.file import Source
from tritonpuzzles.source.functions import Function, lines_of

# names of PyTorch's functions; as methods, those that only a tensor has
METHODS = {"softmax", "log_softmax", "logsumexp", "matmul", "mm", "bmm", "exp", "sum", "cumsum"}
FUNCTIONS = METHODS | {
    "add",
    "addmm",
    "amax",
    "div",
    "einsum",
    "exp2",
    "inner",
    "max",
    "mul",
    "sub",
    "tensordot",
    "where",
}
MODULES = ("torch.nn.functional", "torch.special", "torch.linalg")  # where all functions compute
DEVICE = ("cuda", "device")  # a condition on these is a way out for a machine without a GPU


def computing_calls(source: Source, host: str, skipped: Collection[str]) -> Iterator[tuple[str, int]]:
    """Yield the name and the line of each call of PyTorch, in a host function and what it calls, that computes.

    Functions of some names are skipped, and what is done only for a device.
    """
    imported = _imported(source)
    for function in (one for one in called_by(host, source) if one.name not in skipped):
        for_device = _lines_for_a_device(function)
        for call in (node for node in function.nodes if isinstance(node, ast.Call)):
            name = _computing(call, imported) if call.lineno not in for_device else ""
            if name:
                yield name, call.lineno


def called_by(host: str, source: Source) -> list[Function]:
    """Return the host function and the functions whose names occur in it, and so on; classes lead to their methods."""
    functions = {one.node: one for one in source.functions if not one.is_kernel}
    by_name: dict[str, list[Function]] = {}
    for one in functions.values():
        by_name.setdefault(one.name, []).append(one)
    for made in (node for node in source.nodes if isinstance(node, ast.ClassDef)):
        by_name.setdefault(made.name, []).extend(functions[node] for node in made.body if node in functions)
    found, waiting = dict[ast.AST, Function](), [host]
    while waiting:  # each name once, so that a file of many functions is read in no time
        for one in by_name.pop(waiting.pop(), ()):
            if one.node not in found:
                found[one.node] = one
                waiting += [node.id for node in one.nodes if isinstance(node, ast.Name)]
                waiting += [node.attr for node in one.nodes if isinstance(node, ast.Attribute)]
    return list(found.values())


def _computing(call: ast.Call, imported: Mapping[str, str]) -> str:
    """Return the name under which a call lets PyTorch compute; "" if it does not."""
    name = ast.unparse(call.func)
    first, dot, rest = name.partition(".")
    module, _, last = (imported.get(first, first) + dot + rest).rpartition(".")
    if module in MODULES or (module == "torch" and last in FUNCTIONS):
        return name
    is_method = isinstance(call.func, ast.Attribute) and first not in imported and last in METHODS
    return name if is_method or name == "reference" else ""


def _imported(source: Source) -> dict[str, str]:
    """Return what each imported name stands for."""
    found: dict[str, str] = {}
    for node in source.nodes:
        if isinstance(node, ast.Import):
            wholes = (one.name if one.asname else one.name.partition(".")[0] for one in node.names)
            found |= {one.asname or whole: whole for one, whole in zip(node.names, wholes, strict=True)}
        elif isinstance(node, ast.ImportFrom):
            found |= {one.asname or one.name: f"{node.module}.{one.name}" for one in node.names}
    return found


def _lines_for_a_device(function: Function) -> set[int]:
    """Return the lines below conditions on a device."""
    branches = (branch for branch in function.branches if any(word in ast.unparse(branch.test) for word in DEVICE))
    return {line for branch in branches for line in lines_of(branch)}
