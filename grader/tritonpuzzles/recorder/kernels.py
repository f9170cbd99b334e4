"""Describe kernels for a process that never imports the learner's file: a table that is sent with the source text.

A value that cannot be described becomes `Unknown`: the engine's compiler then reports its usual error for it.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterable
from types import ModuleType
from typing import Any

import triton.language as tl

from tritonpuzzles.compiler.source import captured
from tritonpuzzles.decoding.marks import DecodeError
from tritonpuzzles.insides import JITCallable, JITFunction
from tritonpuzzles.recorder.names import (
    Chain,
    below,
    chains,
    definition,
    dtype_name,
    is_as_written,
    language_name,
    python_name,
    replaced_in_language,
)
from tritonpuzzles.wire import values
from tritonpuzzles.wire.fields import RECORDED, Dotted, Name
from tritonpuzzles.wire.kernels import (
    CONSTEXPR_FUNCTION,
    KERNEL,
    MAX_FILES,
    MAX_KERNELS,
    Annotation,
    KernelText,
    Parameter,
)
from tritonpuzzles.wire.values import MAX_DEPTH, MAX_ITEMS, Unknown, Value, value_to_json

FEWER = "One kernel with a constexpr does the work of many that differ in a number."


class UndescribedError(Exception):
    """A kernel that cannot be described: too many, no plain `def`, too long a name; the message is one sentence."""

    def __init__(self, message: str, step: str | None = None) -> None:
        super().__init__(message)
        self.step = step


class KernelTable:
    """The kernels that a submission launches, and all that they call.

    Attributes:
        functions: the kernels themselves, by index; kept, so that their ids stay unique.
        tuned: the configurations that an autotuner has for a key: it chooses among them at the first call alone.
    """

    def __init__(self) -> None:
        self.functions: list[Any] = []
        self.tuned: dict[tuple[int, str], list[Any]] = {}
        self._index: dict[int, int] = {}
        self._described: list[KernelText | None] = []

    def add(self, function: Any) -> int:
        """Return the index of a `JITFunction` or `ConstexprFunction`; it is described at its first use.

        Raises UndescribedError if that fails; neither it nor the functions that it calls are in the table then.
        """
        known = self._index.get(id(function))
        if known is not None:
            return known
        index = self._index[id(function)] = len(self.functions)
        self.functions.append(function)
        self._described.append(None)  # so that a kernel that calls itself finds its own index
        try:
            self._described[index] = self._checked(function)
        except BaseException:
            for later in self.functions[index:]:
                del self._index[id(later)]
            del self.functions[index:], self._described[index:]
            raise
        return index

    def _checked(self, function: Any) -> KernelText:
        """Describe a kernel, and check that the engine will accept the description."""
        if len(self.functions) > MAX_KERNELS:
            raise UndescribedError(
                f"The kernels, and all that they call, are more than {MAX_KERNELS} functions.", FEWER
            )
        text = self._text(function)
        if len({text.file, *(known.file for known in self._described if known is not None)}) > MAX_FILES:
            raise UndescribedError(f"The kernels, and all that they call, stand in more than {MAX_FILES} files.", FEWER)
        try:
            RECORDED.read(KernelText, text.to_json())
        except DecodeError as error:
            raise UndescribedError(f"The kernel {text.name[:40]} cannot be described: {error.said}.") from error
        return text

    def described(self) -> list[dict[str, Any]]:
        """Return the table as JSON."""
        return [text.to_json() for text in self._described if text is not None]

    def _text(self, function: Any) -> KernelText:
        scope, tree = captured(function), definition(function)
        if tree is None:
            raise UndescribedError(f"{function.fn.__name__} is not defined by a plain `def`.")
        if not is_as_written(function):
            raise UndescribedError(f"{tree.name} is not what its file says: its text was replaced.")
        if replaced := replaced_in_language():
            raise UndescribedError(
                f"The file gives {replaced} another meaning: its kernels do not say what they compute."
            )
        used = {name: found for name, found in chains(tree).items() if name in scope and not name.startswith("__")}
        if nan := next((name for name in used if _is_nan(scope[name])), None):
            text = f"{tree.name} reads the global {nan}, which is NaN: Triton refuses a kernel whose globals change, "
            raise UndescribedError(f"{text}and NaN differs from itself.", 'Write float("nan") in the kernel.')
        return KernelText(
            file=os.path.abspath(function.fn.__code__.co_filename),
            name=tree.name,
            line=tree.lineno,
            kind=KERNEL if isinstance(function, JITFunction) else CONSTEXPR_FUNCTION,
            parameters=self._parameters(function),
            noinline=bool(getattr(function, "noinline", False)),
            debug=bool(getattr(function, "debug", False)),
            names={name: self.value(scope[name], found) for name, found in sorted(used.items())},
        )

    def _parameters(self, function: Any) -> tuple[Parameter, ...]:
        compiled = isinstance(function, JITFunction)
        return tuple(
            Parameter(
                item.name,
                _annotation(item) if compiled else "",
                None if item.default is inspect.Parameter.empty else self.value(item.default),
                not (compiled and item.do_not_specialize),
                not (compiled and item.do_not_specialize_on_alignment),
            )
            for item in (function.params if compiled else function.signature.parameters.values())
        )

    def value(self, value: Any, used: Iterable[Chain] = (), depth: int = 0) -> Value:
        """Describe the value of a name: any object, for a module with the attributes that are `used`, `depth` deep."""
        if depth >= MAX_DEPTH:
            return _unknown(value)
        if isinstance(value, tl.constexpr):
            return values.Constexpr(self.value(value.value, depth=depth + 1))
        if type(value) in (tuple, list) and len(value) <= MAX_ITEMS:
            return values.Items(tuple(self.value(item, depth=depth + 1) for item in value))
        found = _named(value) or self._part(value, used, depth)
        return found if found is not None and _is_read(Value, value_to_json(found)) else _unknown(value)

    def _part(self, value: Any, used: Iterable[Chain], depth: int) -> Value | None:
        """Describe an object from the learner's files: a kernel, a module, a NamedTuple class; `None` for others."""
        if isinstance(value, JITCallable) and inspect.isfunction(getattr(value, "fn", None)):
            return values.KernelAt(self.add(value))
        if isinstance(value, ModuleType):
            inside = {name: found for name, found in below(used).items() if name in vars(value) and name[:2] != "__"}
            attributes = {name: self.value(vars(value)[name], found, depth + 1) for name, found in inside.items()}
            return values.Module(value.__name__ if _is_read(Dotted, value.__name__) else "module", attributes)
        return _tuple_class(value)


def _is_read(hint: Any, data: Any) -> bool:
    """Return whether the engine will accept the data."""
    try:
        RECORDED.read(hint, data)
    except DecodeError:
        return False
    return True


def _annotation(parameter: Any) -> str:
    if parameter.is_constexpr:
        return "constexpr"
    return str(parameter.annotation) if _is_read(Annotation, parameter.annotation) else ""


def _is_nan(value: Any) -> bool:
    plain = getattr(value, "value", value)
    return isinstance(plain, float) and plain != plain


def _named(value: Any) -> Value | None:
    """Describe an object of Triton or Python, a number or a text; `None` for others."""
    if value is None or type(value) in (bool, int, float, str):
        return values.Constant(value)
    for kind, name_of in ((values.Dtype, dtype_name), (values.Language, language_name), (values.Python, python_name)):
        if (name := name_of(value)) is not None:
            return kind(name)
    return None


def _tuple_class(value: Any) -> Value | None:
    """Describe a NamedTuple class that has fields and nothing else."""
    if not (isinstance(value, type) and value.__bases__ == (tuple,) and hasattr(value, "_fields")):
        return None
    fields: tuple[str, ...] = value._fields
    extra = {name for name in vars(value) if not name.startswith("_")} - set(fields)
    defaults = getattr(value, "_field_defaults", {})
    return None if extra or defaults else values.TupleClass(value.__name__, fields)


def _unknown(value: Any) -> Unknown:
    kind, name = type(value).__name__, getattr(value, "__name__", "")
    if isinstance(value, type) or not _is_read(Name, kind):
        kind = "type" if isinstance(value, type) else "object"
    return Unknown(kind, name if _is_read(Name, name) else "", callable(value))
