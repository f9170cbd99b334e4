"""Find a function in the text of a file, define it from its syntax tree alone, and wrap it as Triton would.

No decorator, default or annotation of the text is evaluated: they come from the description.
"""

from __future__ import annotations

import ast
import copy
import linecache
import textwrap
from collections.abc import Iterator
from functools import lru_cache
from types import FunctionType
from typing import Any

import triton.language as tl

from tritonpuzzles.insides import ConstexprFunction, JITCallable, JITFunction
from tritonpuzzles.wire.kernels import CONSTEXPR_FUNCTION, KernelText

MAX_CHARACTERS = 1 << 20
MAX_NODES = 50_000
MAX_DEPTH = 150


class TextError(Exception):
    """A text from which a kernel cannot be built; the message is one sentence, `line` of the file if one is known."""

    def __init__(self, words: str, line: int | None = None) -> None:
        super().__init__(words)
        self.line = line


def find(text: str, name: str, line: int) -> ast.FunctionDef:
    """Return the syntax tree of a function, with the file's line numbers.

    Raises TextError if the text is not valid Python, too large or too deep, or no function of that name begins there.
    """
    if len(text) > MAX_CHARACTERS:
        raise TextError(f"the file has {len(text):,} characters; the most is {MAX_CHARACTERS:,}")
    found = [node for node in _functions(text) if node.name == name and node.lineno == line]
    if len(found) != 1:
        raise TextError(f"the file defines no function {name} on line {line}")
    check_size(found[0])
    return found[0]


def parse(text: str) -> ast.Module:
    """Parse a text; raises TextError if it is not valid Python."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else type(error).__name__
        raise TextError(f"the text does not parse: {reason}") from error


@lru_cache(maxsize=8)
def _functions(text: str) -> tuple[ast.FunctionDef, ...]:
    return tuple(node for node in ast.walk(parse(text)) if isinstance(node, ast.FunctionDef))


def check_size(function: ast.AST) -> None:
    """Raise TextError for a tree that is too large or too deep for recursive functions."""
    level, count, depth = [function], 1, 0
    while level:
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        count, depth = count + len(level), depth + 1
        if count > MAX_NODES:
            raise TextError(f"the function has more than {MAX_NODES:,} parts")
        if depth > MAX_DEPTH:
            line = next((node.lineno for node in level if isinstance(node, (ast.expr, ast.stmt))), None)
            raise TextError(f"expressions or statements stand more than {MAX_DEPTH} deep in each other", line)


def remember(file: str, text: str) -> None:
    """Make Python, Triton and error messages read a file's lines from this text, not from the disk."""
    lines = [f"{line}\n" for line in text.split("\n")]
    linecache.cache[file] = (len(text), None, lines, file)


def bare(function: ast.FunctionDef) -> ast.FunctionDef:
    """Return a function without decorators, defaults and annotations, which Python evaluates; the body is shared."""
    plain, arguments = copy.copy(function), copy.copy(function.args)
    plain.decorator_list, plain.returns, plain.args = [], None, arguments
    arguments.defaults, arguments.kw_defaults = [], [None] * len(arguments.kwonlyargs)
    arguments.posonlyargs, arguments.args, arguments.kwonlyargs = (
        [ast.copy_location(ast.arg(item.arg), item) for item in group]
        for group in (arguments.posonlyargs, arguments.args, arguments.kwonlyargs)
    )
    if arguments.vararg is not None:
        arguments.vararg = ast.copy_location(ast.arg(arguments.vararg.arg), arguments.vararg)
    return plain


def check_signature(kernel: KernelText, function: ast.FunctionDef) -> None:
    """Raise TextError unless text and description have the same parameters, with defaults for the same ones."""
    arguments = function.args
    positional = (*arguments.posonlyargs, *arguments.args)
    in_order = (*positional, arguments.vararg, *arguments.kwonlyargs, arguments.kwarg)  # as in `inspect.signature`
    names = [argument.arg for argument in in_order if argument is not None]
    if names != [parameter.name for parameter in kernel.parameters]:
        raise TextError(f"its text and its description have different parameters: {', '.join(names)[:80]}")
    plain = [argument.arg for argument in positional]
    with_default = set(plain[len(plain) - len(arguments.defaults) :])
    keyword = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    with_default |= {argument.arg for argument, default in keyword if default is not None}
    if with_default != {parameter.name for parameter in kernel.parameters if parameter.default is not None}:
        raise TextError("its text and its description have defaults for different parameters")


def define(kernel: KernelText, function: ast.FunctionDef, names: dict[str, Any], defaults: dict[str, Any]) -> Any:
    """Return the `JITFunction`, or the constexpr function, that a text defines.

    Its tree is checked, and has the lines of the file; its globals, `names`, may be filled later. Raises TextError if
    Python or Triton rejects it.
    """
    tree = ast.Module(body=[bare(function)], type_ignores=[])
    try:
        exec(compile(tree, kernel.file, "exec", dont_inherit=True), names)
        made = names.pop(kernel.name)
        _complete(made, kernel, function, defaults)
        return _wrapped(made, kernel)
    except (SyntaxError, ValueError, TypeError, RecursionError, AttributeError) as error:
        raise TextError(f"Python makes no function of it: {error}") from error


def _complete(made: FunctionType, kernel: KernelText, function: ast.FunctionDef, defaults: dict[str, Any]) -> None:
    """Give a function the defaults and annotations that were described."""
    arguments = function.args
    positional = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args) if argument.arg in defaults]
    made.__defaults__ = tuple(defaults[name] for name in positional)
    keyword = [argument.arg for argument in arguments.kwonlyargs]
    made.__kwdefaults__ = {name: defaults[name] for name in keyword if name in defaults}
    made.__annotations__ = {item.name: item.annotation for item in kernel.parameters if item.annotation}


class _Frozen(ConstexprFunction):  # type: ignore[misc]
    """A constexpr function that returns no lists: Python runs it, and a kernel could keep state in a list."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it, and freeze the result: a list becomes a tuple."""
        return _frozen(super().__call__(*args, **kwargs))


def _frozen(value: Any) -> Any:
    """Return an immutable version of a value; raises TypeError if it is of another mutable type than list."""
    match value:
        case tl.constexpr():
            return tl.constexpr(_frozen(value.value))
        case tl.tuple():
            return tl.tuple(map(_frozen, value), value.type)
        case list() | tuple():
            items = map(_frozen, value)
            return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
        case bool() | int() | float() | str() | range() | None | tl.dtype() | tl.tensor() | JITCallable():
            return value
    if tl.core.is_builtin(value):
        return value
    raise TypeError(f"a constexpr function returns a {type(value).__name__}; return a number, a text or a tuple")


def _wrapped(made: FunctionType, kernel: KernelText) -> Any:
    if kernel.kind == CONSTEXPR_FUNCTION:
        return _Frozen(made)
    return JITFunction(
        made,
        do_not_specialize=[item.name for item in kernel.parameters if not item.specialized],
        do_not_specialize_on_alignment=[item.name for item in kernel.parameters if not item.aligned],
        debug=kernel.debug or None,
        noinline=kernel.noinline or None,
    )


def seen(function: Any) -> Iterator[ast.FunctionDef]:
    """Yield the trees that the compiler and the interpreter will parse from a function's source, lines as in the file.

    They differ from the tree of the file if a string spans several lines, and if someone has manipulated the source.
    Raises TextError if it is not exactly one function, or too large or too deep.
    """
    for source in (function.src, textwrap.dedent("".join(function.raw_src))):
        tree = parse(source)
        found = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
        if len(tree.body) != 1 or len(found) != 1:
            raise TextError("its lines hold more than the function")
        check_size(found[0])
        yield ast.increment_lineno(found[0], function.starting_line_number - 1)
