"""Turn the arguments of a launch into values of the interpreted kernel."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import triton.language as tl
from triton.runtime.jit import TensorWrapper, mangle_type
from triton.tools.tensor_descriptor import TensorDescriptor

from tritonpuzzles.engine.interpreter.errors import KernelError
from tritonpuzzles.engine.interpreter.values import Handle

_GRID_LIMITS = (2**31 - 1, 65_535, 65_535)


def bind(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the parameters by name, defaults included, and the launch options.

    Raises:
        TypeError: an argument is missing or given twice.
    """
    names = set(function.signature.parameters)
    options = {name: value for name, value in kwargs.items() if name not in names}
    bound = function.signature.bind(*args, **{name: value for name, value in kwargs.items() if name in names})
    bound.apply_defaults()
    return dict(bound.arguments), options


def launch_grid(grid: Any, bound: dict[str, Any]) -> tuple[int, int, int]:
    """Return the grid as three numbers.

    Raises:
        KernelError: it is not a tuple of one to three whole numbers that a GPU accepts.
    """
    sizes = grid(bound) if callable(grid) else grid
    if not isinstance(sizes, (tuple, list)) or not 1 <= len(sizes) <= 3:
        raise KernelError(f"The grid must be a tuple of 1 to 3 sizes, such as (n,); it is {sizes!r}.")
    found = []
    for axis, size in enumerate(sizes):
        size = getattr(size, "value", size)
        if isinstance(size, float) or not hasattr(size, "__index__"):
            raise KernelError(f"Size {axis} of the grid is {size!r}, not a whole number: use triton.cdiv.")
        if not 0 <= int(size) <= _GRID_LIMITS[axis]:
            raise KernelError(f"Size {axis} of the grid is {int(size):,}; a GPU takes 0 to {_GRID_LIMITS[axis]:,}.")
        found.append(int(size))
    x, y, z = [*found, 1, 1][:3]
    return x, y, z


def plain(value: Any) -> Any:
    """Return what a constexpr holds."""
    return value.value if isinstance(value, tl.constexpr) else value


def unwrap(tensor: Any) -> torch.Tensor:
    """Return the torch tensor of an argument; `triton.reinterpret` wraps it."""
    base: torch.Tensor = tensor.base if isinstance(tensor, TensorWrapper) else tensor
    return base


def is_tensor(value: Any) -> bool:
    """Whether an argument is passed as a pointer."""
    return hasattr(value, "data_ptr")


class Converter:
    """Makes kernel values of arguments; `address` gives each tensor its window."""

    def __init__(self, semantic: Any, address: Callable[[str, torch.Tensor], int]) -> None:
        self.semantic, self.address = semantic, address

    def convert(self, name: str, value: Any) -> Any:
        """Return an argument as the kernel sees it."""
        if is_tensor(value):
            return self._pointer(name, value)
        if isinstance(value, tuple):
            items = [self.convert(f"{name}[{i}]", item) for i, item in enumerate(value)]
            return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
        if isinstance(value, TensorDescriptor):
            return self._descriptor(name, value)
        if isinstance(value, (bool, int)):
            return self._integer(value)
        return value

    @staticmethod
    def _integer(value: int) -> Any:
        kind = tl.int1 if isinstance(value, bool) else tl.str_to_ty(mangle_type(value), None)
        data = np.array([value], dtype=np.bool_ if isinstance(value, bool) else kind.name)
        return tl.tensor(Handle(data, kind), kind)

    def _pointer(self, name: str, value: Any) -> Any:
        tensor = unwrap(value)
        if tensor.device.type != "cpu":
            raise KernelError(f"{name} is on {tensor.device}: the interpreter runs on tensors in CPU memory.")
        kind = tl.str_to_ty(mangle_type(value), None)
        return tl.tensor(Handle(np.array([self.address(name, tensor)], dtype=np.uint64), kind), kind)

    def _descriptor(self, name: str, value: Any) -> Any:
        descriptor = self.semantic.make_tensor_descriptor(
            base=self._pointer(name, value.base),
            shape=[self._integer(int(n)) for n in value.shape],
            strides=[*(self._integer(int(n)) for n in value.strides[:-1]), tl.constexpr(1)],
            block_shape=[tl.constexpr(n) for n in value.block_shape],
            padding_option=value.padding,
        )
        descriptor.handle.round_f32_to_tf32 = getattr(value, "round_f32_to_tf32", False)
        return descriptor


def programs_of(grid: tuple[int, int, int]) -> int:
    """Return the number of programs of a grid."""
    return math.prod(grid)


def host_place(skip: Callable[[str], bool]) -> tuple[str, int]:
    """Return the innermost line for whose file `skip` is false: where a launch stands."""
    frame = inspect.currentframe()
    while frame is not None and skip(frame.f_code.co_filename):
        frame = frame.f_back
    return (frame.f_code.co_filename, frame.f_lineno) if frame else ("?", 0)
