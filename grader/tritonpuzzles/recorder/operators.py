"""Operators that a host function defines for `torch.compile`: what `torch.library` wraps is called as it stands.

An operator of PyTorch's own would arrive here as one operation without a body; so the body is recorded, and is held to
what a host function may do.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import update_wrapper
from typing import Any
from unittest import mock

import torch
from torch._library import triton as wrapped

LIBRARY: Any = torch.library.Library
RUN_ON_GPU = ("", "CUDA", "CompositeExplicitAutograd", "CompositeImplicitAutograd")
NO_GRADIENT = "register_autograd is not recorded here: write a torch.autograd.Function around the operator"


class Operator:
    """A function that the file makes an operator of."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        update_wrapper(self, function)

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Call the function itself."""
        return self._function(*args, **named)

    def _registered(self, function: Callable[..., Any] | None = None, **options: Any) -> Any:
        """Take a function that only `torch.compile` would call."""
        return self._registered if function is None else function

    register_fake = register_vmap = _registered

    @property
    def default(self) -> Operator:
        """The only overload: `torch.ops.mine.softmax.default`."""
        return self

    def register_kernel(self, devices: Any, function: Callable[..., Any] | None = None) -> Any:
        """Take the function for a device: where it is the GPU, that is what runs."""

        def register(body: Callable[..., Any]) -> Callable[..., Any]:
            if devices is None or "cuda" in (devices if isinstance(devices, (list, tuple)) else [devices]):
                self._function = body
            return body

        return register if function is None else register(function)

    def register_autograd(self, *args: Any, **options: Any) -> None:
        """Refuse.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(NO_GRADIENT)


def standing_in(define: Callable[..., Any]) -> Callable[..., Any]:
    """Return what stands in for `torch.library.triton_op` or `custom_op`, which decorate or wrap.

    PyTorch's own modules, which may be imported at any time, define theirs as ever.
    """

    def operator(name: str, function: Callable[..., Any] | None = None, **options: Any) -> Any:
        def made(body: Callable[..., Any]) -> Any:
            own = str(getattr(body, "__module__", "")).partition(".")[0] == "torch"
            return define(name, body, **options) if own else _announced(name, Operator(body))

        return made if function is None else made(function)

    return operator


def _announced(name: str, operator: Operator) -> Operator:
    """Have `torch.ops` find an operator under its name, as code does that registers first and calls elsewhere."""
    space, _, short = name.partition("::")
    found = getattr(torch.ops, space)
    if short.isidentifier() and isinstance(getattr(found, short, operator), Operator):  # PyTorch's own stay
        setattr(found, short, operator)
    return operator


class Library:
    """Stands in for `torch.library.Library`: what a file implements for the GPU is what is called.

    PyTorch's own modules get one of PyTorch's.
    """

    def __new__(cls, *args: Any, **named: Any) -> Any:
        """Return a library of the kind that the caller's module is given."""
        caller = str(sys._getframe(1).f_globals.get("__name__", ""))
        return LIBRARY(*args, **named) if caller.partition(".")[0] == "torch" else super().__new__(cls)

    def __init__(self, ns: str, kind: str = "", dispatch_key: str = "") -> None:
        self.ns, self._key = ns, dispatch_key

    def define(self, schema: str, *args: Any, **options: Any) -> str:
        """Return the name of an operator; its arguments are those of its implementation."""
        return schema.partition("(")[0]

    def impl(self, op_name: Any, fn: Callable[..., Any], dispatch_key: str = "", **options: Any) -> None:
        """Take an implementation, where it is one for the GPU, or for every device."""
        if (dispatch_key or self._key) in RUN_ON_GPU:
            _announced(f"{self.ns}::{str(op_name).rpartition('::')[2]}", Operator(fn))

    def _register_fake(self, op_name: str, fn: Any = None, **options: Any) -> Any:
        """Take a function that only `torch.compile` would call."""
        return fn


@contextmanager
def unwrapped() -> Iterator[None]:
    """Call operators and wrapped kernels directly inside a `with` block."""
    with ExitStack() as stack:
        for name in ("triton_op", "custom_op"):
            stack.enter_context(mock.patch.object(torch.library, name, standing_in(getattr(torch.library, name))))
        stack.enter_context(mock.patch.object(torch.library, "Library", Library))
        stack.enter_context(wrapped.set_wrap_triton_enabled(False))
        yield
