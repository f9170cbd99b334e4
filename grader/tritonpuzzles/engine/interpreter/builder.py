"""The builder that Triton's semantic layer calls, for a whole batch of programs at once.

It derives from Triton's own interpreter builder, whose element-wise operations need no change. An operation that it
does not implement is refused by name.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import triton.language as tl

from tritonpuzzles.engine.interpreter.batch import Batch
from tritonpuzzles.engine.interpreter.descriptors import Descriptors
from tritonpuzzles.engine.interpreter.errors import NotOnCpu, PromiseError, UnsupportedOperation
from tritonpuzzles.engine.interpreter.memory import Memory, Orders
from tritonpuzzles.engine.interpreter.printing import Printer
from tritonpuzzles.engine.interpreter.values import Array, Handle, float_to_bf16, numpy_dtype
from tritonpuzzles.insides import InterpreterBuilder, InterpreterOptions


def _orders(sem: Any, scope: Any) -> Orders:
    """Return whether an atomic operation releases and acquires; neither if it is relaxed or its scope is one block."""
    wide = scope.name != "CTA"
    return wide and sem.name in ("RELEASE", "ACQUIRE_RELEASE"), wide and sem.name in ("ACQUIRE", "ACQUIRE_RELEASE")


class Builder(Descriptors):
    """One launch's builder."""

    def __init__(self, memory: Memory, printer: Printer, grid: tuple[int, ...], *, tf32: bool, budget: int) -> None:
        super().__init__()
        options = InterpreterOptions()
        precisions = (*options.allowed_dot_input_precisions, "bf16x3", "bf16x6")  # as Triton's backend for NVIDIA
        self.options: Any = dataclasses.replace(
            options, sanitize_overflow=False, debug=True, allowed_dot_input_precisions=precisions
        )
        self.memory, self.printer, self.grid = memory, printer, grid
        self.tf32, self.budget = tf32, budget
        self.largest_tile, self.most_together, self.atomics = 1, 0, 0
        self.steps = 0  # operations so far, for a limit on re-runs
        self.step_limit: int | None = None
        self.blocks = 1  # of a program: `num_ctas`
        self.batch: Batch  # the programs that run now

    # Program ids and constants

    def create_get_program_id(self, axis: int) -> Handle:
        """Return `tl.program_id(axis)`, one value per program."""
        ids = self.batch.programs[:, axis]
        return Handle(ids, tl.int32, bounds=(0, self.grid[axis]))

    def create_get_num_programs(self, axis: int) -> Handle:
        """Return `tl.num_programs(axis)`."""
        return Handle(np.array([self.grid[axis]], dtype=np.int32), tl.int32)

    def get_null_value(self, type: Any) -> Handle:
        """Return zero of a type."""
        return Handle(np.zeros(1, dtype=numpy_dtype(type)), type)

    def get_all_ones_value(self, type: Any) -> Handle:
        """Return a value whose bits are all set."""
        return Handle(np.full(1, -1).astype(numpy_dtype(type)), type.scalar)

    def get_bf16(self, value: float) -> Handle:
        """Return a bfloat16 constant."""
        return Handle(float_to_bf16(np.array([value], dtype=np.float64)), tl.bfloat16)

    # Memory

    def create_load(self, ptr: Handle, *hints: Any) -> Handle:
        """Load without a mask; the last hint says whether the load is volatile."""
        return self.memory.load(self.batch, ptr, None, None, acquires=hints[-1])

    def create_store(self, ptr: Handle, val: Handle, *hints: Any) -> None:
        """Store without a mask."""
        self.memory.store(self.batch, ptr, val, None)

    def create_masked_load(self, ptrs: Handle, mask: Handle, other: Handle | None, *hints: Any, **more: Any) -> Handle:
        """Load where the mask holds; elsewhere `other`, or an undefined value."""
        self.note_tile(ptrs.elements)
        return self.memory.load(self.batch, ptrs, mask, other, acquires=hints[-1])

    def create_masked_store(self, ptrs: Handle, value: Handle, mask: Handle, *hints: Any, **more: Any) -> None:
        """Store where the mask holds."""
        self.memory.store(self.batch, ptrs, value, mask)

    def create_atomic_rmw(self, op: Any, ptr: Handle, val: Handle, mask: Handle, sem: Any, scope: Any) -> Handle:
        """Read, modify and write each element in program order; returns the old values."""
        operation = self.ir_rmw_op_to_interpreter_rmw_op.get(op)
        if operation is None:
            raise UnsupportedOperation(f"atomic operation {op}")
        self._atomic_step()
        how = self.ir_sem_to_interpreter_sem[sem]
        return self.memory.atomic_rmw(self.batch, operation, ptr, val, mask, how, _orders(sem, scope))

    def create_atomic_cas(self, ptr: Handle, cmp: Handle, val: Handle, sem: Any, scope: Any) -> Handle:
        """Compare and swap each element in program order; returns the old values."""
        if any(handle.dtype.primitive_bitwidth != ptr.get_element_ty().primitive_bitwidth for handle in (cmp, val)):
            raise UnsupportedOperation("tl.atomic_cas of numbers of another width than the pointer's")
        self._atomic_step()
        return self.memory.atomic_cas(
            self.batch, ptr, cmp, val, self.ir_sem_to_interpreter_sem[sem], _orders(sem, scope)
        )

    def create_atomic_load(self, ptr: Handle, mask: Handle, sem: Any, scope: Any) -> Handle:
        """Load atomically: programs run one operation at a time, so it is a load."""
        self._atomic_step()
        return self.memory.load(self.batch, ptr, mask, None, acquires=_orders(sem, scope)[1])

    def create_atomic_store(self, ptr: Handle, val: Handle, mask: Handle, sem: Any, scope: Any) -> None:
        """Store atomically."""
        self._atomic_step()
        self.memory.store(self.batch, ptr, val, mask, atomic=True)

    def _atomic_step(self) -> None:
        self.atomics += 1
        self.meet()
        self._step()

    # Prints, assertions, promises and barriers

    def create_print(self, prefix: str, hex: bool, values: list[Handle], is_signed: Any = None) -> None:
        """Print run-time values, one line per program."""
        self.printer.device_print(self.batch, prefix, hex, values)

    def create_assert(self, condition: Handle, message: str, *place: Any) -> None:
        """Fail if the condition is false anywhere in a live program."""
        if not self.batch.live_values(condition.data).all():
            raise AssertionError(str(message) or "tl.device_assert failed")

    def create_assume(self, condition: Handle) -> None:
        """Fail if a condition that the kernel promises to the compiler is false."""
        if not self.batch.live_values(condition.data).all():
            raise PromiseError("tl.assume promises a condition that does not hold")

    def check_multiple(self, value: Any, numbers: Sequence[int]) -> None:
        """Fail if an integer, or an address in bytes, is not the multiple that `tl.multiple_of` promises.

        For a block, the first element of each run of neighbours along each axis is checked: the compiler infers the
        others.
        """
        data = self.batch.live_values(np.array([value]) if isinstance(value, int) else value.handle.data)
        for axis, number in enumerate(numbers, data.ndim - len(numbers)):
            firsts = data if axis == 0 else data[_begins(data, axis, _step(value))]
            others = firsts[firsts % number != 0]
            if others.size:
                is_address = isinstance(value, tl.tensor) and value.dtype.is_ptr()
                called = "the address" if is_address else f"{others[0]:,}"
                raise PromiseError(f"tl.multiple_of promises a multiple of {number}, and {called} is none")

    def check_constancy(self, block: Handle, lengths: Sequence[int]) -> None:
        """Fail if `tl.max_constancy` promises that so many elements along each axis are equal, and some are not."""
        data = self.batch.live_values(block.data)
        for axis, length in enumerate(lengths, data.ndim - len(lengths)):
            starts = np.arange(data.shape[axis]) // length * length
            if (data != np.take(data, starts, axis)).any():
                raise PromiseError(f"tl.max_constancy promises {length} equal elements in a row, and they are not")

    def check_contiguous(self, value: Any, lengths: Sequence[int]) -> None:
        """Fail if `tl.max_contiguous` promises that so many numbers or addresses follow each other, and some do not.

        They may begin again at 0, as `offsets % n` does: what is loaded there is thrown away.
        """
        data, step = self.batch.live_values(value.handle.data), _step(value)
        for axis, length in enumerate(lengths, data.ndim - len(lengths)):
            breaks = np.moveaxis(_begins(data, axis, step) & (data != 0), axis, -1)
            if breaks[..., np.arange(data.shape[axis]) % length != 0].any():
                raise PromiseError(
                    f"tl.max_contiguous promises {length} {'numbers' if step == 1 else 'addresses'} that follow each "
                    "other, and they do not"
                )

    def create_barrier(self, *arguments: Any) -> None:
        """Note that all threads have met, unless they are of several blocks, each with a barrier of its own."""
        self.memory.books.barriers += 1
        if self.blocks == 1:
            self.meet()

    def meet(self) -> None:
        """Note that all threads of a program may have met: at a barrier, or where the compiler may have placed one."""
        books = self.memory.books
        books.met = books.moment = books.moment + 1

    create_grid_dependency_wait = create_barrier
    create_grid_dependency_launch_dependents = create_barrier


def _step(value: Any) -> int:
    """Return what neighbours differ by: 1, or an element's bytes for addresses."""
    is_address = isinstance(value, tl.tensor) and value.dtype.is_ptr()
    return max(1, value.dtype.scalar.element_ty.primitive_bitwidth // 8) if is_address else 1


def _begins(data: Array, axis: int, step: int) -> Array:
    """Return which elements do not follow the one before them along an axis; the first ones do not."""
    moved, found = np.moveaxis(data, axis, -1), np.ones(data.shape, np.bool_)
    np.moveaxis(found, axis, -1)[..., 1:] = moved[..., 1:] - moved[..., :-1] != step
    return found


def _meeting(operation: Callable[..., Any]) -> Callable[..., Any]:
    def meeting(self: Builder, *arguments: Any, **more: Any) -> Any:
        self.meet()
        return operation(self, *arguments, **more)

    return meeting


# Operations that may move elements between threads through shared memory; reductions and scans do too.
for _name in ("cat", "dot", "gather", "histogram", "join", "reshape", "split", "trans"):
    setattr(Builder, f"create_{_name}", _meeting(getattr(Builder, f"create_{_name}")))

# Inherited operations that work for a batch because they only call binary_op, unary_op, ternary_op, cast_impl.
_INHERITED = {
    *("si_to_fp", "ui_to_fp", "fp_to_si", "fp_to_ui", "fp_ext", "fp_trunc", "int_cast"),
    *("fadd", "fmul", "fdiv", "frem", "fsub", "fneg", "precise_divf", "approx_divf"),
    *("sdiv", "udiv", "srem", "urem", "and", "xor", "or", "iabs"),
    *("cos", "exp", "floor", "ceil", "log", "log2", "precise_sqrt", "sqrt", "sin"),
    *(f"{side}{kind}" for side in ("min", "max") for kind in ("si", "ui", "imumf")),
    *(f"icmp{kind}" for kind in ("SLE", "SLT", "SGE", "SGT", "ULE", "ULT", "UGE", "UGT", "EQ", "NE")),
    *(f"fcmp{kind}" for kind in ("OLT", "OGT", "OLE", "OGE", "OEQ", "ONE", "ULT", "UGT", "ULE", "UGE", "UEQ", "UNE")),
}


def _words(operation: str) -> str:
    """Return an operation of the builder under its name in kernels: "tl.dot_scaled"."""
    return f"tl.{operation.removeprefix('create_')}"


def _refuse(operation: str) -> Callable[..., Any]:
    def refuse(self: Builder, *args: Any, **kwargs: Any) -> Any:
        raise NotOnCpu(_words(operation))

    return refuse


def unknown_operations() -> list[str]:
    """Return builder operations of the installed Triton that the engine refuses."""
    taught = {name for cls in Builder.__mro__ if cls is not InterpreterBuilder for name in vars(cls)}
    names = [name for name in dir(InterpreterBuilder) if name.startswith("create_")]
    return [name for name in names if name not in taught and name.removeprefix("create_") not in _INHERITED]


def _missing_attribute(self: Builder, name: str) -> Any:
    """Refuse by name an operation that Triton's semantic layer calls and its own interpreter builder lacks."""
    if name.startswith("create_"):
        raise NotOnCpu(_words(name))
    raise AttributeError(name)


def _constant(kind: Any) -> Callable[..., Handle]:
    def constant(self: Builder, value: Any) -> Handle:
        return Handle(np.array([value]).astype(numpy_dtype(kind)), kind)

    return constant


for _name, _kind in {
    **{f"{sign}int{bits}": f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)},
    "int1": "int1",
    "fp16": "float16",
    "fp32": "float32",
    "fp64": "float64",
}.items():
    setattr(Builder, f"get_{_name}", _constant(getattr(tl, _kind)))
for _name in unknown_operations():
    setattr(Builder, _name, _refuse(_name))
Builder.__getattr__ = _missing_attribute
