"""Turn the arguments of a launch into values of the interpreted kernel, and refuse a grid of needless programs.

A grid with far more programs than there is work is refused before it runs, or stopped while it runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
import triton.language as tl

from tritonpuzzles.engine.interpreter.errors import KernelError, NeedlessProgramsError
from tritonpuzzles.engine.interpreter.values import Handle, float_to_bf16, is_bf16, kernel_tuple, numpy_dtype
from tritonpuzzles.insides import TensorDescriptor, mangle_type

if TYPE_CHECKING:
    from tritonpuzzles.engine.interpreter.launch import Launch

_DEVICE = torch._C.TensorBase.device  # the true device of the memory, even if a caller has patched `Tensor.device`
WHOLE = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
FLOATS = ("fp16", "bf16", "fp32", "fp64")
USUAL = {"num_warps": 4, "num_stages": 3, "num_ctas": 1}  # Triton's own choice
MOST_PROGRAMS = 1 << 17  # of a launch whose tensors have fewer elements
# A launch of so many batches and programs is stopped if fewer than one in sixteen programs load or store. That is more
# programs than any GPU runs at once, so the fixed grid of a persistent kernel is not stopped. Fewer batches are fast.
MANY_BATCHES, MANY_PROGRAMS, BUSY_ONE_IN = 16, 5_000, 16


def unwrap(tensor: Any) -> torch.Tensor:
    """Return the torch tensor of an argument: Triton accepts any object with `data_ptr`, and many wrap a tensor.

    Raises KernelError for an object without a tensor.
    """
    found = tensor
    while not isinstance(found, torch.Tensor):
        found = getattr(found, "base", getattr(found, "_base", None))
        if found is None:
            raise KernelError(f"a {type(tensor).__name__} has an address and no tensor", code="unsupported-operation")
    return found


def is_tensor(value: Any) -> bool:
    """Return whether an argument is passed as a pointer."""
    return hasattr(value, "data_ptr")


class Converter:
    """Makes kernel values of arguments; `address` gives each tensor its window."""

    def __init__(self, semantic: Any, address: Callable[[str, torch.Tensor], int]) -> None:
        self.semantic, self.address = semantic, address

    def convert(self, name: str, value: Any, annotated: str = "") -> Any:
        """Return a tensor, a descriptor, a number, or a tuple of these, as the kernel sees it.

        `annotated` is the parameter's type annotation, in Triton's short form: "i64".
        """
        if is_tensor(value):
            return self._pointer(name, value)
        if isinstance(value, tuple):
            items = [self.convert(f"{name}[{i}]", item) for i, item in enumerate(value)]
            return kernel_tuple(items, getattr(value, "_fields", None))
        if isinstance(value, TensorDescriptor):
            return self._descriptor(name, value)
        if isinstance(value, (bool, int)):
            return self._integer(value, annotated)
        if isinstance(value, float):
            return self._float(value, annotated)
        return value

    @staticmethod
    def _float(value: float, annotated: str) -> Any:
        kind = tl.str_to_ty(annotated if annotated in FLOATS else "fp32", None)
        data = np.array([value])
        data = float_to_bf16(data) if is_bf16(kind) else data.astype(numpy_dtype(kind))
        return tl.tensor(Handle(data, kind), kind)

    @staticmethod
    def _integer(value: int, annotated: str = "") -> Any:
        if isinstance(value, bool) and annotated not in WHOLE:
            return tl.tensor(Handle(np.array([value]), tl.int1), tl.int1)
        kind = tl.str_to_ty(annotated if annotated in WHOLE else mangle_type(value), None)
        return tl.tensor(Handle(np.array([value]).astype(kind.name), kind), kind)

    def _pointer(self, name: str, value: Any) -> Any:
        tensor = unwrap(value)
        if _DEVICE.__get__(tensor).type not in ("cpu", "meta"):
            raise KernelError(f"{name} is on {tensor.device}: the interpreter runs on tensors in CPU memory.")
        kind = tl.str_to_ty(mangle_type(value), None)
        ahead = 0 if tensor is value else value.data_ptr() - tensor.data_ptr()
        address = np.array([self.address(name, tensor) + ahead], dtype=np.uint64)
        return tl.tensor(Handle(address, kind), kind)

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


def refuse_needless(launch: Launch) -> None:
    """Raise NeedlessProgramsError for a grid of more programs than all tensors of the launch together have elements.

    Grids of up to `MOST_PROGRAMS` are accepted.
    """
    elements, programs = sum(region.elements for region in launch.memory.regions), math.prod(launch.grid)
    if programs > max(elements, MOST_PROGRAMS):
        why = f"its tensors have {elements:,} elements in all"
        raise NeedlessProgramsError(launch.function.__name__, programs, why)


def refuse_idle(launch: Launch) -> None:
    """Raise NeedlessProgramsError for a long launch if hardly any of its programs have loaded or stored.

    A launch in which none has is accepted: its kernel is a stub.
    """
    busy, ran = launch.busy, launch.ran
    if launch.batches >= MANY_BATCHES and ran >= MANY_PROGRAMS and 0 < busy * BUSY_ONE_IN < ran:
        why = f"of the first {ran:,} only {busy:,} load or store anything"
        raise NeedlessProgramsError(launch.function.__name__, math.prod(launch.grid), why)


def number_of(name: str, options: Mapping[str, Any], arguments: Mapping[str, Any]) -> int:
    """Return the number that a launch option has, as a launch option or a parameter of the kernel."""
    number = options.get(name, arguments.get(name))
    return number if isinstance(number, int) and number > 0 else USUAL[name]
