"""Where host code would let PyTorch compute, on paths that no case takes, too."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

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
    for function in (one for one in _reached(host, source) if one.name not in skipped):
        for call in (node for node in function.nodes if isinstance(node, ast.Call)):
            name = _computing(call, source)
            if name and not _is_for_another_device(function, call):
                yield name, call.lineno


def _reached(host: str, source: Source) -> list[Function]:
    """Return the host function and the functions whose names occur in it, and so on; classes lead to their methods."""
    methods = {node.name: {*ast.walk(node)} for node in source.nodes if isinstance(node, ast.ClassDef)}
    named, found = {host}, list[Function]()
    while more := [
        one
        for one in source.functions
        if not one.is_kernel and one not in found
        if one.name in named or any(name in named and one.node in inside for name, inside in methods.items())
    ]:
        found += more
        nodes = [node for one in more for node in one.nodes]
        named |= {node.id for node in nodes if isinstance(node, ast.Name)}
        named |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    return found


def _computing(call: ast.Call, source: Source) -> str:
    """Return the name under which a call lets PyTorch compute; "" if it does not."""
    name, imported = ast.unparse(call.func), _imported(source)
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


def _is_for_another_device(function: Function, call: ast.Call) -> bool:
    around = (branch for branch in function.branches if call.lineno in lines_of(branch))
    return any(word in ast.unparse(branch.test) for branch in around for word in DEVICE)
