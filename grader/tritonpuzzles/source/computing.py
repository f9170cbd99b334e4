"""Where host code would let PyTorch compute, on paths that no case takes, too."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache

from tritonpuzzles.source.file import Source
from tritonpuzzles.source.functions import Function, Sources, lines_of, resolved

# methods that only a tensor has, and that compute
METHODS = re.compile(
    r"(log_)?softmax|logsumexp|matmul|b?mm|mv|b?addb?mm|exp2?|(cum)?sum|mean|prod|a?(max|min)|(div|mul|sub)_?|add_|pow"
    r"|rsqrt|sigmoid|tanh|relu|where|masked_fill_?|copy_|clamp|gather|einsum"
)
# what host code may use of PyTorch: it allocates, reshapes or describes memory, asks for a device, or wraps the call
USED = re.compile(
    r"torch\.(\w*Tensor|(bool|half|float|double|short|int|long|b?float\d\w*|u?int\d+|complex\d+)(\.\w+)?"
    r"|empty\w*|(zeros|ones|full)(_like)?|tensor|as_strided|t|transpose|permute|reshape|movedim|split|unbind|numel"
    r"|broadcast_shapes|promote_types|result_type|can_cast|[fi]info|(is|are|get|set|_check|_assert)\w*|inf|nan|pi|e"
    r"|Size|dtype|device|layout|strided|memory_format|\w+_format|channels_last|no_grad|enable_grad|inference_mode"
    r"|nn\.(Module|Parameter)|autograd\.(Function|function\.\w+)|(cuda\.)?amp\.custom_[fb]wd"
    r"|cuda\.(?!jiterator|comm|nccl|amp|graphs?\b|CUDAGraph)\w+|(library|version|compiler|_dynamo)\.\w+|backends\.[\w.]+)"
)
OPERATOR = re.compile(r"torch\.ops\.(?!aten\b|prims?\b)(\w+)\.\w+(\.default)?")
# what may call anything
BY_NAME = frozenset({"eval", "exec", "__import__", "import_module", "methodcaller", "__getattribute__"})
ON_DEVICE = frozenset({"cuda", "device", "is_cuda", "is_cpu", "type", "is_available"})  # what asks for a device alone


def computing_calls(
    source: Source, host: str, skipped: Collection[str], has_run: Callable[[ast.stmt], bool] = lambda node: False
) -> Iterator[tuple[str, int]]:
    """Yield what lets PyTorch compute in a host function and what it calls, with its line.

    Functions of some names are skipped, and what is for a machine without the device: a side of a condition that asks
    for the device alone, and that has not run.
    """
    imported = _imported(source)
    texts = (str(node.value) for node in source.nodes if isinstance(node, ast.Constant))
    own = {text.partition("::")[0] for text in texts}  # where the file may have put operators of its own
    for function in (one for one in called_by(host, source) if one.name not in skipped):
        elsewhere = _lines_for_a_device(function, has_run)
        hidden = {id(part) for node in function.nodes for part in _parts(node)}
        for node in (one for one in function.nodes if isinstance(one, ast.expr) and id(one) not in hidden):
            name = _computing(node, imported, own) if node.lineno not in elsewhere else ""
            if name:
                yield name, node.lineno


@lru_cache(maxsize=4)  # a passing file's is asked for three times
def called_by(host: str, source: Source) -> Sequence[Function]:
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


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what is no use of its own: what an attribute is taken of, and annotations."""
    match node:
        case ast.Attribute((ast.Name() | ast.Attribute()) as of):
            yield of
        case ast.Call(ast.Name("getattr"), [of, ast.Constant(), *_]):
            yield of
        case ast.arg(annotation=told) | ast.AnnAssign(annotation=told) | ast.FunctionDef(returns=told):
            yield from ast.walk(told) if told is not None else ()


def _computing(node: ast.expr, imported: Mapping[str, str], own: Collection[str]) -> str:
    """Return how an expression lets PyTorch compute; "" if it does not."""
    match node:
        case ast.BinOp(_, ast.MatMult()):
            return ast.unparse(node)
        case ast.Call(ast.Name("getattr"), [of, ast.Constant(name), *_]):
            used = ast.Attribute(of, str(name))
            return _computing(used, imported, own) or _computing(ast.Call(used, [], []), imported, own)
        case ast.Call(ast.Name("reference" | "getattr" as name), [of, *_]):
            return name if name == "reference" or ast.unparse(of) != "self" else ""
        case ast.Call(ast.Attribute(_, name) as called) if METHODS.fullmatch(name):
            return ast.unparse(called) if ast.unparse(called).partition(".")[0] not in imported else ""
        case ast.Attribute(_, last) | ast.Name(last):
            name = ast.unparse(node)
            first, dot, rest = name.partition(".")
            whole = imported.get(first, "") + dot + rest
            if last in BY_NAME or not whole.startswith("torch") or not re.fullmatch(r"torch(\.\w+)*", whole):
                return name if last in BY_NAME else ""
            operator = OPERATOR.fullmatch(whole)
            return "" if (operator[1] in own if operator else USED.fullmatch(whole)) else name
    return ""


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


def _lines_for_a_device(function: Function, has_run: Callable[[ast.stmt], bool]) -> set[int]:
    """Return the lines of sides of conditions on the device alone that have not run."""
    branches = (branch for branch in function.branches if _asks_for_device(branch.test, function.sources))
    sides = (side for branch in branches for side in (branch.body, branch.orelse) if side and not has_run(side[0]))
    return {line for side in sides for node in side for line in lines_of(node)}


def _asks_for_device(test: ast.expr, sources: Sources) -> bool:
    """Return whether a condition is a question about the device and nothing else."""
    match resolved(test, sources):
        case ast.BoolOp(values=parts):
            return all(_asks_for_device(part, sources) for part in parts)
        case ast.UnaryOp(ast.Not(), part):
            return _asks_for_device(part, sources)
        case ast.Compare(left, [ast.Eq() | ast.NotEq()], [ast.Constant()]):
            return _asks_for_device(left, sources)
        case ast.Call(ast.Attribute() as asked, []) | (ast.Attribute() as asked):
            first, *rest = ast.unparse(asked).split(".")
            return set(rest) <= ON_DEVICE and (first == "device" or bool({"cuda", "device", "is_cuda"} & set(rest)))
    return False
