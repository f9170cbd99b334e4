"""Record a host function in which PyTorch computes: on real tensors, with every launch interpreted immediately.

What PyTorch computes between launches is recorded as additional inputs of the call, so an engine replays the launches
on exactly the data that they had here. A layer norm's partial sums, a `sum(0)` after a kernel, or a backward pass can
so be judged like any other call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import _disable_current_modes

from tritonpuzzles.engine.interpreted import Interpreted
from tritonpuzzles.engine.interpreter import KernelError, Tracer
from tritonpuzzles.engine.memory import Memory
from tritonpuzzles.engine.replay import Replay, run_all
from tritonpuzzles.engine.watch import poison
from tritonpuzzles.recorder.call import line_in
from tritonpuzzles.recorder.kernels import KernelTable
from tritonpuzzles.recorder.recording import Recording
from tritonpuzzles.recorder.tensors import ALLOCATIONS, FILLS, UNINITIALISED, storage_identity, tensors_in, written_by
from tritonpuzzles.wire.drawing import dtype_of
from tritonpuzzles.wire.program import ITEM_SIZES, Allocate, Choose, Copy, Launch, Other, Program, Step, View, views

AFTER_ALL = 1 << 20  # first storage number of PyTorch's results, until the number of inputs is known


class StoppedByKernelError(Exception):
    """A kernel failed: what follows it in the host function is not known."""


class EagerRecording(Recording):
    """Records launches and memory; executes PyTorch's operations, and keeps their results in `computed`, in order."""

    def __init__(self, path: str, call: str, kernels: KernelTable, inputs: Mapping[str, Tensor]) -> None:
        super().__init__(path, call, kernels)
        self.computed: list[Tensor] = []
        self._taking = Taken()
        self.written = self._taking  # type: ignore[assignment]
        self._storages: dict[int, int] = {}
        self._held: list[Tensor] = []  # by number
        self._tracer = Tracer(check_undefined=False, user_file=path)
        for tensor in inputs.values():
            self._hold(tensor)
        self._inputs_held = len(self._held)
        self._has_work = all(tensor.numel() for tensor in inputs.values())
        self._by_kernels: set[int] = set()  # addresses of memory that kernels wrote, or that PyTorch computed from it
        self._by_torch: set[int] = set()  # addresses of memory that PyTorch computed
        self._is_read = False  # whether the host function reads a kernel's result as a Python number

    def _hold(self, tensor: Tensor) -> None:
        self._storages[storage_identity(tensor)] = len(self._held)
        self._held.append(tensor)

    def is_own(self, tensor: Any) -> bool:
        """Return whether it is a tensor: any may be used."""
        return isinstance(tensor, Tensor)

    def view(self, tensor: Tensor) -> View:
        """Describe a tensor; an unknown one is recorded with its current contents."""
        if storage_identity(tensor) not in self._storages:
            self._write(tensor)
        number, offset = self._storages[storage_identity(tensor)], int(tensor.storage_offset())
        dtype = str(tensor.dtype).removeprefix("torch.")
        return View(number, dtype, tuple(tensor.shape), tuple(tensor.stride()), offset)

    def operation(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Execute an operation of PyTorch, and record what it writes."""
        result = function(*args, **kwargs)
        name = function.overloadpacket.__name__
        changed = written_by(function, args, kwargs) if function._schema.is_mutable else []
        if not self._by_kernels.isdisjoint(map(_address, tensors_in([args, kwargs]))):
            self._by_kernels.update(map(_address, [*tensors_in([result]), *changed]))
            self._is_read |= name == "_local_scalar_dense"
        fresh = [tensor for tensor in tensors_in([result]) if storage_identity(tensor) not in self._storages]
        for tensor in fresh:
            if name not in UNINITIALISED:
                self._write(tensor)
            elif self._allocate(tensor):
                poison(torch.empty(0, dtype=tensor.dtype).set_(tensor.untyped_storage()))
        for tensor in changed:
            self._write(tensor)
        if name not in ALLOCATIONS | FILLS:
            self._by_torch.update(map(_address, [*fresh, *changed]))
        if fresh and name not in UNINITIALISED:
            self._calls[name] += 1
            moved = [*tensors_in(args), *fresh]
            self._bytes[name] += sum(tensor.numel() * tensor.element_size() for tensor in moved)
        return result

    def _allocate(self, tensor: Tensor) -> bool:
        """Record new memory; return whether kernels support its dtype."""
        dtype = str(tensor.dtype).removeprefix("torch.")
        self._hold(tensor)
        if dtype in ITEM_SIZES:
            self.steps.append(Allocate(tensor.untyped_storage().nbytes(), dtype, line_in(self.path)))
        return dtype in ITEM_SIZES

    def _write(self, tensor: Tensor) -> None:
        """Record that a tensor now contains what PyTorch has computed."""
        if storage_identity(tensor) not in self._storages and not self._allocate(tensor):
            return
        if not tensor.numel():
            return
        kept = tensor.detach().clone(memory_format=torch.contiguous_format)
        target = self.view(tensor)
        source = View(AFTER_ALL + len(self.computed), target.dtype, target.shape, tuple(kept.stride()))
        self.computed.append(kept)
        self.steps.append(Copy(source, target, line_in(self.path)))

    def add(self, step: Step) -> None:
        """Write a launch down, and run it; raises StoppedByKernelError if it fails: whoever replays it says why."""
        self.steps.append(step)
        if self._taking.is_collecting or not isinstance(step, (Launch, Choose)):
            return
        replay = Replay(Program((step,), ()), self.kernels.functions)
        try:
            with _disable_current_modes():
                run_all(replay.actions(_Real(self._held), Interpreted(self._tracer)))
        except KernelError as error:
            raise StoppedByKernelError from error
        passed = [argument for launch in self._tracer.launches for argument in launch.arguments]
        self._by_kernels.update(argument.storage for argument in passed if argument.is_written)
        self._tracer.launches.clear()

    def program(self, results: Any) -> Program:
        """Return the recorded program, with the results of the call.

        Raises ForbiddenError if kernels are launched, but PyTorch computes the results without anything they write.
        """
        program = super().program(results)
        returned = {_address(item) for item in results if isinstance(item, Tensor) and item.numel()}
        launches = any(isinstance(step, (Launch, Choose)) for step in program.steps)
        is_theirs = self._is_read or not returned.isdisjoint(self._by_kernels)
        if self._has_work and launches and not is_theirs and not returned.isdisjoint(self._by_torch):
            text = f"Nothing that {self.call} returns depends on what a kernel writes."
            raise self.refused("wrong-memory", text, "Return what the kernels write, or what PyTorch makes of it.")
        return program

    def finished(self, program: Program) -> tuple[dict[str, Any], list[Tensor]]:
        """Return a program in JSON with what PyTorch computed among its inputs, as far as kernels or results need it.

        Also return the tensors that are inputs beside those of the call.
        """
        n_inputs = self._inputs_held
        steps = [inner for step in program.steps for inner in _flat(step)]
        used = {view.storage for step in steps if isinstance(step, Launch) for view in views(step.arguments.values())}
        used |= {item.storage for item in program.results if isinstance(item, View)} | set(range(n_inputs))
        allocated = iter(range(n_inputs, len(self._held)))
        kept: list[Step] = []
        sources: list[int] = []
        for step in program.steps:
            if isinstance(step, Allocate) and next(allocated) not in used:
                continue
            if isinstance(step, Copy):
                if step.target.storage not in used:
                    continue
                sources.append(step.source.storage)
            kept.append(step)
        inputs = {number: n_inputs + place for place, number in enumerate(sources)}
        fresh = sorted(used - set(range(n_inputs)))
        numbers = dict(enumerate(range(n_inputs))) | inputs
        numbers |= {number: n_inputs + len(sources) + place for place, number in enumerate(fresh)}
        told = Program(tuple(kept), program.results).to_json()
        return _renumbered(told, numbers), [self.computed[number - AFTER_ALL] for number in sources]

    def _result(self, item: Any) -> View | Other:
        return self.view(item) if isinstance(item, Tensor) else Other(type(item).__name__)


class Taken:
    """The steps so far; within an autotuner's choice, its own steps are collected separately."""

    def __init__(self) -> None:
        self.taken: list[Step] = []
        self.is_collecting = False

    @contextmanager
    def collecting(self) -> Iterator[list[Step]]:
        """Collect the steps inside a `with` block separately."""
        outside, self.taken, self.is_collecting = self.taken, [], True
        try:
            yield self.taken
        finally:
            self.taken, self.is_collecting = outside, False


class _Real(Memory):
    """The memory of a call that is being recorded: a tensor of each storage, by number."""

    def __init__(self, held: Sequence[Tensor]) -> None:
        self._held = held

    def view(self, view: View) -> Tensor:
        """Return the tensor that a view describes."""
        storage = self._held[view.storage].untyped_storage()
        return torch.empty(0, dtype=dtype_of(view.dtype)).set_(storage, view.offset, view.shape, view.stride)


def _flat(step: Step) -> Iterator[Step]:
    """Yield a step, or the steps of all choices of an autotuner."""
    if isinstance(step, Choose):
        yield from (inner for choice in step.choices for inner in choice)
    else:
        yield step


def _renumbered(told: Any, numbers: Mapping[int, int]) -> Any:
    """Return a program in JSON with other numbers for its storages."""
    if isinstance(told, dict):
        return {
            key: numbers[item] if key == "storage" and type(item) is int else _renumbered(item, numbers)
            for key, item in told.items()
        }
    return [_renumbered(item, numbers) for item in told] if isinstance(told, (list, tuple)) else told


def _address(tensor: Tensor) -> int:
    return tensor.untyped_storage().data_ptr()
