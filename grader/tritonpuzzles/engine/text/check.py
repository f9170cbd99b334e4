"""Check the text of a kernel before any of it runs: it may contain only the language of kernels.

The interpreter runs it as Python, and the compiler evaluates attributes, calls and operators on compile-time values.
So both get only names that were described, harmless attributes, and numbers of limited size.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

from tritonpuzzles.compiler.explain import phrased
from tritonpuzzles.compiler.phrases import SYNTAX_REJECTED
from tritonpuzzles.compiler.wording import Reason
from tritonpuzzles.engine.text.constants import TooLargeError, check_constant, check_operation, number
from tritonpuzzles.engine.text.language import (
    ALLOWED,
    BUILTINS,
    BY_NAME,
    CHANGING,
    MISSING,
    ForbiddenError,
    can_be_built,
    language_classes,
    may_ask,
)
from tritonpuzzles.engine.text.names import Scope, is_unknown
from tritonpuzzles.wire.facts import Said
from tritonpuzzles.wire.kernels import KERNEL, KernelText
from tritonpuzzles.wire.values import KernelAt, Module, Unknown

ENGINE_NAMES = "_tp"  # prefix of the names that the interpreter adds to a kernel
_RUN = (
    *(ast.FunctionDef, ast.arguments, ast.arg, ast.keyword, ast.Return, ast.Assign, ast.AugAssign, ast.AnnAssign),
    *(ast.For, ast.While, ast.If, ast.Expr, ast.Pass, ast.Assert, ast.Break, ast.Continue, ast.Raise),
    *(ast.BoolOp, ast.NamedExpr, ast.BinOp, ast.UnaryOp, ast.IfExp, ast.Compare, ast.Call, ast.Lambda),
    *(ast.Dict, ast.Set, ast.List, ast.Tuple, ast.ListComp, ast.SetComp, ast.DictComp, ast.comprehension),
    *(ast.FormattedValue, ast.JoinedStr, ast.Constant, ast.Attribute, ast.Subscript, ast.Slice, ast.Starred, ast.Name),
    *(ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop),
)


@dataclass(frozen=True)
class Problem:
    """One thing that a text may not contain.

    If it is `unsafe`, it must not be passed to the compiler either, which evaluates attributes, calls and operators of
    constants. Any other is rejected by the compiler itself, with a better message.
    """

    line: int  # of the file
    cause: str  # why, to follow "k cannot be run: "
    step: str | None = None  # what to do about it
    unsafe: bool = False

    def fact(self, kernel: KernelText) -> Said:
        """Return it as a fact with a message for the learner."""
        code = "unsupported-operation" if self.unsafe else "compile-error"
        text = f"{kernel.name} cannot be run: {self.cause}."
        return Said(code, text, file=kernel.file, line=self.line, next_step=self.step)


def problems(function: ast.FunctionDef, kernel: KernelText) -> list[Problem]:
    """Return the problems of a kernel's text, unsafe ones first.

    In a constexpr function every problem is unsafe: Python runs it, and the compiler does not check it. The tree has
    the lines of the file.
    """
    found = list(_Check(function, kernel).all())
    if kernel.kind != KERNEL:
        found = [replace(problem, unsafe=True) for problem in found]
    return sorted(found, key=lambda problem: (not problem.unsafe, problem.line))


class _Check:
    """The check of one text."""

    def __init__(self, function: ast.FunctionDef, kernel: KernelText) -> None:
        self.function, self.scope = function, Scope(kernel, function)
        self.has_lists = kernel.kind != KERNEL
        signature = filter(None, (function.args, function.returns))
        self.signature = {id(node) for part in signature for node in ast.walk(part)}
        nodes = list(ast.walk(function))
        self.alone = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        self.owners = {id(node.value): node for node in nodes if isinstance(node, ast.Attribute)}
        self.callers = {id(node.func): node for node in nodes if isinstance(node, ast.Call)}

    def all(self) -> Iterator[Problem]:
        for name in filter(_reserved, self.scope.described):
            yield self._unsafe(self.function, f"the name {name} is reserved")
        for name in sorted(self.scope.fields):
            if not may_ask(name):
                yield self._unsafe(self.function, f"its NamedTuple has a field {name}, which other values have too")
        for node in ast.walk(self.function):
            try:
                yield from self._node(node)
            except (ForbiddenError, TooLargeError) as error:
                yield self._unsafe(node, str(error))

    def _node(self, node: ast.AST) -> Iterator[Problem]:
        if not isinstance(node, _RUN):
            part = type(node).__name__
            known = phrased(f"{SYNTAX_REJECTED}{part}") or Reason(f"a kernel cannot use `{part}`")
            yield Problem(self._line(node), known.cause, known.step)
        match node:
            case ast.Name():
                yield from self._name(node)
            case ast.Attribute():
                yield from self._attribute(node)
            case ast.Call():
                yield from self._call(node)
            case ast.Subscript():
                yield from self._subscript(node)
            case ast.ListComp() if not self.has_lists:
                yield from self._comprehension(node)
            case ast.Constant():
                yield from self._constant(node)
            case ast.BinOp():
                check_operation(node)
                number(node)
                if isinstance(node.op, ast.Mod) and _is_text(node.left):
                    yield Problem(self._line(node), "a kernel cannot format a text", None)
            case ast.arg(arg=name) | ast.FunctionDef(name=name) if _reserved(name):
                yield self._unsafe(node, f"the name {name} is reserved")
            case ast.FunctionDef(decorator_list=[_, *_]):
                yield Problem(self._line(node), "a kernel cannot define a function inside itself")
            case ast.FormattedValue(format_spec=spec) if spec is not None:
                yield Problem(self._line(node), "an f-string in a kernel cannot say how to format")
            case ast.keyword(arg=name) if name is None:
                yield Problem(self._line(node), "a kernel cannot unpack with `**`", "Write the arguments out.")
            case ast.keyword(arg=str(name)) if name.startswith("_"):
                yield self._unsafe(node, f"the argument {name} is Triton's own")

    # Names and attributes

    def _name(self, node: ast.Name) -> Iterator[Problem]:
        name, described = node.id, node.id in self.scope.described
        if _reserved(name):
            yield self._unsafe(node, f"the name {name} is reserved")
        elif name in BY_NAME:
            yield from self._by_name(node)
        elif name == "list" and not self.has_lists:
            yield self._unsafe(node, "a kernel cannot build a list", "Use variables or a tuple.")
        elif described and self.scope.is_module(name):
            yield from self._module(node)
        elif described:
            yield from self._value(node, name, self.scope.follow(name, ())[0])
        elif name not in self.scope.own and hasattr(builtins, name) and name not in BUILTINS:
            cause = f"Python's {name} is not there in a kernel"
            yield Problem(self._line(node), cause, "Use range or the functions of tl.")

    def _by_name(self, node: ast.Name) -> Iterator[Problem]:
        call = self.callers.get(id(node))
        plain = call is not None and not call.keywords and not any(isinstance(item, ast.Starred) for item in call.args)
        asked = call.args[1] if call is not None and plain and len(call.args) in (2, 3) else None
        if not (isinstance(asked, ast.Constant) and isinstance(asked.value, str) and asked.value in ALLOWED):
            step = "Write the attribute with a dot."
            yield self._unsafe(node, f"{node.id} asks for an attribute that a kernel's values do not have", step)

    def _module(self, node: ast.Name) -> Iterator[Problem]:
        owner = self.owners.get(id(node))
        if node.id in self.scope.own:
            yield self._unsafe(node, f"{node.id} is a module and a variable too", "Give the variable another name.")
        elif owner is None:
            yield self._unsafe(node, f"the module {node.id} is used as a value", f"Name what you need: {node.id}.load")

    def _attribute(self, node: ast.Attribute) -> Iterator[Problem]:
        if not isinstance(node.ctx, ast.Load):
            yield Problem(self._line(node), "a kernel cannot assign to an attribute", "Use a variable.")
        root, chain = _dotted(node)
        if isinstance(root, ast.Name) and (self.scope.is_module(root.id) or self._is_unknown(root.id)):
            if id(node) not in self.owners:  # check the whole chain, once
                yield from self._path(node, *self.scope.follow(root.id, chain), ".".join((root.id, *chain)))
        elif node.attr in CHANGING:
            if not self.has_lists:
                cause = f"a list in a kernel cannot be changed ({node.attr})"
                yield Problem(self._line(node), cause, "Use a tile (tl.zeros) or one variable for each element.")
        elif not may_ask(node.attr):
            yield self._no_attribute(node, node.attr)

    def _no_attribute(self, node: ast.AST, name: str) -> Problem:
        return self._unsafe(node, f"a value in a kernel has no `{name}`", "Use a function of tl.")

    def _is_unknown(self, name: str) -> bool:
        return name not in self.scope.own and isinstance(self.scope.described.get(name), Unknown)

    def _path(self, node: ast.Attribute, value: Any, rest: tuple[str, ...], name: str) -> Iterator[Problem]:
        """Check a dotted name that begins with a module or with an `Unknown`."""
        private = any(part.startswith("_") for part in rest)
        if private or (isinstance(value, (Module, ModuleType)) and id(node) not in self.owners):
            yield self._unsafe(node, f"{name} is nothing that a kernel can use")
        elif value is not MISSING:
            yield from self._value(node, name, value)
            odd = [part for part in rest if not may_ask(part)]
            if odd and not isinstance(value, Unknown):
                yield self._no_attribute(node, odd[0])

    def _value(self, node: ast.expr, name: str, value: Any) -> Iterator[Problem]:
        """Check the value of a name at one of its uses."""
        call = self.callers.get(id(node))
        if is_unknown(value) and id(node) not in self.signature:
            kind = value.type if isinstance(value, Unknown) else "value"
            step = "A kernel can use constants (tl.constexpr) and @triton.jit functions."
            yield Problem(self._line(node), f"it uses {name}, a {kind} of the file's", step)
        elif call is not None and isinstance(value, type) and value in language_classes() and not can_be_built(value):
            yield self._unsafe(node, f"a kernel cannot make a {name} itself")

    # Calls, elements, constants

    def _call(self, node: ast.Call) -> Iterator[Problem]:
        if isinstance(node.func, ast.Subscript):
            yield self._unsafe(node, "a kernel cannot launch a kernel", "Call it without the brackets.")
        elif not isinstance(node.func, (ast.Name, ast.Attribute, ast.Lambda)):
            yield self._unsafe(node, "it calls something that has no name", "Call a function by its name.")

    def _subscript(self, node: ast.Subscript) -> Iterator[Problem]:
        root, chain = _dotted(node.value)
        if isinstance(root, ast.Name) and root.id in self.scope.described and root.id not in self.scope.own:
            value, _ = self.scope.follow(root.id, chain)
            if isinstance(value, KernelAt) or callable(value):
                yield self._unsafe(node, "a kernel cannot launch a kernel", "Call it without the brackets.")

    def _comprehension(self, node: ast.ListComp) -> Iterator[Problem]:
        """Check that the variables of a comprehension are not used elsewhere: in the compiler they survive it."""
        inside = {id(part) for part in ast.walk(node)}
        own = {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
        others = (part for part in ast.walk(self.function) if id(part) not in inside)
        used = {getattr(part, "id", getattr(part, "arg", None)) for part in others}
        for name in sorted(own & used):
            yield self._unsafe(node, f"it uses {name}, the variable of a comprehension, elsewhere too", "Rename it.")

    def _constant(self, node: ast.Constant) -> Iterator[Problem]:
        check_constant(node, alone=id(node) in self.alone)
        if isinstance(node.value, (bytes, complex)):
            yield Problem(self._line(node), f"a kernel has no use for a {type(node.value).__name__}")

    def _line(self, node: ast.AST) -> int:
        return int(getattr(node, "lineno", self.function.lineno))

    def _unsafe(self, node: ast.AST, cause: str, step: str | None = None) -> Problem:
        return Problem(self._line(node), cause, step, unsafe=True)


def _reserved(name: str) -> bool:
    return name.startswith(("__", ENGINE_NAMES))


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)))


def _dotted(node: ast.expr) -> tuple[ast.expr, tuple[str, ...]]:
    """Return the root of a dotted name, and the chain of its attributes."""
    chain: list[str] = []
    while isinstance(node, ast.Attribute):
        chain.append(node.attr)
        node = node.value
    return node, tuple(reversed(chain))
