"""Patch `triton.language` to use the engine inside a `with` block, and restore it afterwards.

The list of replacements is made once; each calls the current engine. Only `triton.language` and two methods of
`JITFunction` are patched, and all is restored: a kernel can be compiled right after the block.
"""

from __future__ import annotations

import contextlib
import inspect
import sys
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import triton.language as tl

from tritonpuzzles.engine.interpreter import device_library
from tritonpuzzles.engine.interpreter.errors import StaticAssertError
from tritonpuzzles.engine.interpreter.reductions import reduce, scan
from tritonpuzzles.engine.interpreter.values import Handle, kernel_tuple, plain

# The code generator keeps references to functions of the language: import it before they are patched.
from tritonpuzzles.insides import CodeGenerator, JITFunction  # noqa: F401

if TYPE_CHECKING:
    from tritonpuzzles.engine.interpreter.launch import Launch

_MISSING = object()
Patch = tuple[Any, str, Any]
_current: list[Launch] = []
_is_patched = False


def engine() -> Launch:
    """Return the launch that is being interpreted."""
    return _current[-1]


@contextlib.contextmanager
def patched() -> Iterator[None]:
    """Make `triton.language` work on NumPy arrays while the block runs; nested blocks have no effect.

    Use it around many launches: patching takes longer than a small launch.
    """
    global _is_patched
    if _is_patched:
        yield
        return
    saved = [(owner, name, vars(owner).get(name, _MISSING)) for owner, name, _ in patches()]
    try:
        _is_patched = True
        for owner, name, value in patches():
            setattr(owner, name, value)
        yield
    finally:
        _is_patched = False
        for owner, name, value in reversed(saved):
            if value is _MISSING:
                delattr(owner, name)
            else:
                setattr(owner, name, value)


@contextlib.contextmanager
def interpreting(launch: Launch) -> Iterator[None]:
    """Make `triton.language` work for a launch while the block runs."""
    with patched():
        _current.append(launch)
        try:
            yield
        finally:
            _current.pop()


@cache
def patches() -> tuple[Patch, ...]:
    """Return every replacement: (owner, name, value)."""
    found: list[Patch] = []
    for owner in (tl, tl.core, tl.math, tl.tensor, *_there("tensor_descriptor_base", "tensor_descriptor")):
        found += [
            (owner, name, bound(member)) for name, member in inspect.getmembers(owner) if tl.core.is_builtin(member)
        ]
    found += [(module, name, bound(member)) for module, name, member in device_library.members()]
    members = inspect.getmembers(tl.tensor)
    # Methods that are themselves kernels: `x.sum()`.
    found += [(tl.tensor, name, _method(member)) for name, member in members if isinstance(member, JITFunction)]
    for owner in (tl.tensor, *_there("_block_ptr")):  # types of values in a kernel; block pointers only in Triton 3.8
        found += [(owner, name, bound(member)) for name, member in _unmarked_methods(owner)]
    for module in (tl, tl.core):
        found += [(module, name, value) for name, value in _language_functions().items()]
    found += [(tl.tensor, name, value) for name, value in _tensor_members().items()]
    found.append((tl.core.dtype, "to_ir", lambda self, builder: self))
    found.append((tl.tuple, "__mul__", lambda self, count: kernel_tuple(self.values * int(count))))  # a plain number
    found.append((JITFunction, "__call__", lambda function, *args, **kwargs: engine().call(function, args, kwargs)))
    found.append((JITFunction, "__getitem__", _no_launch))
    return tuple(found)


def _there(*names: str) -> list[Any]:
    """Return those of the named classes that the installed Triton has."""
    return [getattr(tl.core, name) for name in names if hasattr(tl.core, name)]


def _unmarked_methods(owner: Any) -> list[tuple[str, Any]]:
    """Return a type's methods that take the semantic layer, but are not marked as builtins: `x.exp()` in Triton 3.6."""
    return [
        (name, member)
        for name, member in inspect.getmembers(owner, inspect.isfunction)
        if not name.startswith("_") and not tl.core.is_builtin(member)
        if "_semantic" in inspect.signature(member).parameters
    ]


def bound(member: Callable[..., Any]) -> Callable[..., Any]:
    """Give a language function the semantic layer that works on NumPy arrays."""

    def call(*args: Any, **kwargs: Any) -> Any:
        kwargs["_semantic"] = _current[-1].semantic
        result = member(*args, **kwargs)
        return kernel_tuple(result) if type(result) is tuple else result

    setattr(call, tl.core.TRITON_BUILTIN, True)
    return call


def _method(function: Any) -> Callable[..., Any]:
    return lambda self, *args, **kwargs: function(self, *args, **kwargs)


def _no_launch(function: Any, grid: Any) -> Any:
    raise TypeError("a kernel cannot launch a kernel")


def _language_functions() -> dict[str, Any]:
    return {
        "range": lambda *args, **kwargs: engine().control.range(*args, **kwargs),
        "static_range": lambda *args, **kwargs: engine().control.static_range(*args, **kwargs),
        "static_assert": _static_assert,
        "multiple_of": _multiple_of,
        "static_print": lambda *args, **kwargs: engine().printer.static_print(*args, **kwargs),
        "reduce": _reduce,
        "associative_scan": _scan,
        "max_constancy": _max_constancy,
        "max_contiguous": _max_contiguous,
    }


def _meeting(operation: Callable[..., Any]) -> Callable[..., Any]:
    """Return an operation in which threads synchronise; assignments in its combining function are not kept."""

    def meeting(*args: Any, **kwargs: Any) -> Any:
        engine().builder.meet()
        with engine().control.unwatched():
            return operation(*args, **kwargs)

    return meeting


_reduce, _scan = _meeting(reduce), _meeting(scan)


def _static_assert(condition: Any, message: str = "", **context: Any) -> None:
    if not condition:
        text = str(getattr(message, "value", message))
        raise StaticAssertError(f"tl.static_assert fails: {text}" if text else "tl.static_assert fails")


def _multiple_of(value: Any, values: Any, **context: Any) -> Any:
    """Check that integers or addresses are the multiples that the kernel promises."""
    if isinstance(value, int) or (isinstance(value, tl.tensor) and (value.dtype.is_int() or value.dtype.is_ptr())):
        engine().builder.check_multiple(value, _listed(values))
    return value


def _max_constancy(value: Any, values: Any, **context: Any) -> Any:
    """Check that a block has the equal elements that the kernel promises: the compiler relies on it for masks."""
    if isinstance(value, tl.tensor) and value.shape:
        engine().builder.check_constancy(value.handle, _listed(values))
    return value


def _max_contiguous(value: Any, values: Any, **context: Any) -> Any:
    """Check that numbers or addresses follow each other as the kernel promises: the compiler loads them together."""
    if isinstance(value, tl.tensor) and value.shape and (value.dtype.is_int() or value.dtype.is_ptr()):
        engine().builder.check_contiguous(value, _listed(values))
    return value


def _listed(values: Any) -> list[int]:
    """Return the promised numbers, one per axis, as a list."""
    return [int(plain(one)) for one in (values if isinstance(values, list | tuple | tl.tuple) else [values])]


def _tensor_members() -> dict[str, Any]:
    return {
        "__index__": lambda self: int(engine().builder.batch.uniform(self.handle.data)),
        "__bool__": _truth,
        "__repr__": lambda self: repr(self.handle.data),
        "__str__": lambda self: str(self.handle.data),
        "reduce": _reduce,
        "associative_scan": _scan,
        "T": property(_transposed),
    }


def _truth(tensor: Any) -> bool:
    """Decide `if tensor:`; several elements are true, as in the plain interpreter (the compiler refuses them)."""
    if sys._getframe(1).f_globals.get("__name__", "").startswith("triton.language."):
        return True  # the semantic layer tests whether an argument was given
    if tensor.handle.elements != 1:
        return True
    return bool(engine().builder.batch.uniform(tensor.handle.data))


def _transposed(tensor: Any) -> Any:
    """Return `tensor.T`: the last two dimensions exchanged."""
    handle = tensor.handle
    shape = list(tensor.type.shape)
    shape[-1], shape[-2] = shape[-2], shape[-1]
    return tl.tensor(Handle(np.swapaxes(handle.data, -1, -2), handle.dtype), tl.block_type(tensor.dtype, shape))


def bound_global(value: Any) -> Any:
    """Return a kernel's global for the engine: a language function that was imported by name is replaced."""
    value = device_library.filled_in(value)
    if not callable(value) or isinstance(value, type) or not tl.core.is_builtin(value):
        return value
    is_tritons = getattr(value, "__module__", "").startswith("triton.")  # not one of our replacements
    return bound(value) if is_tritons else value
