"""Run a recorded program on memory of this process: what the host function did, without the host function."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Protocol

import torch
from torch import Tensor
from triton.runtime.jit import TensorWrapper
from triton.tools.tensor_descriptor import TensorDescriptor

from tritonpuzzles.engine.memory import Memory
from tritonpuzzles.engine.text.objects import made
from tritonpuzzles.wire.program import (
    Add,
    Allocate,
    Argument,
    Choose,
    Copy,
    Descriptor,
    Fill,
    Launch,
    Other,
    Program,
    Reinterpreted,
    Several,
    View,
)
from tritonpuzzles.wire.values import Constant, Dtype

Steps = Sequence[Fill | Launch]
Choice = Callable[[Choose, Memory, Callable[[Steps], None]], Steps]


class Launcher(Protocol):
    """Runs kernels on a device."""

    def launch(self, kernel: Any, arguments: dict[str, Any], options: dict[str, Any], step: Launch) -> None:
        """Run one launch: arguments by parameter, with the tensors in place."""
        ...


def first_choice(step: Choose, memory: Memory, run: Callable[[Steps], None]) -> Steps:
    """Return an autotuner's first configuration: there is nothing to measure on a CPU."""
    return step.choices[0]


@dataclass(frozen=True)
class Replay:
    """A program with its kernels.

    Attributes:
        kernels: what launches refer to.
        choose: which configuration of an autotuner is run.
        on_fresh: called with each flat tensor that nothing has been written to.
        on_filled: called with each view that the host function filled.
    """

    program: Program
    kernels: Sequence[Any]
    choose: Choice = first_choice
    on_fresh: Callable[[Tensor], object] = lambda tensor: None
    on_filled: Callable[[Tensor], object] = lambda tensor: None

    @cached_property
    def _functions(self) -> dict[int, Any]:
        return dict(enumerate(self.kernels))

    def run(self, memory: Memory, launcher: Launcher) -> list[Tensor | Other]:
        """Run every step, and return what came back."""
        for step in self.program.steps:
            self._run(step, memory, launcher)
        return [memory.view(item) if isinstance(item, View) else item for item in self.program.results]

    def _run_all(self, steps: Steps, memory: Memory, launcher: Launcher) -> None:
        for step in steps:
            self._run(step, memory, launcher)

    def _run(self, step: object, memory: Memory, launcher: Launcher) -> None:
        match step:
            case Allocate():
                self.on_fresh(memory.allocate(step))
            case Fill(target, Constant(bool() | int() | float() as value)):
                self.on_filled(memory.view(target).fill_(value))
            case Copy(source, target):
                self.on_filled(memory.view(target).copy_(memory.view(source)))
            case Add(left, right, target):
                self.on_filled(torch.add(memory.view(left), memory.view(right), out=memory.view(target)))
            case Choose():
                run = partial(self._run_all, memory=memory, launcher=launcher)
                run(self.choose(step, memory, run))
            case Launch():
                arguments = {name: self._value(item, memory) for name, item in step.arguments.items()}
                options = {name: made(item, self._functions) for name, item in step.options.items()}
                launcher.launch(self.kernels[step.kernel], arguments, options, step)

    def _value(self, argument: Argument, memory: Memory) -> Any:
        match argument:
            case View():
                return memory.view(argument)
            case Descriptor():
                return descriptor(argument, memory)
            case Reinterpreted(base, dtype):
                return TensorWrapper(memory.view(base), made(Dtype(dtype), {}))
            case Several(items, fields):
                return several([self._value(item, memory) for item in items], fields)
            case value:
                return made(value, self._functions)


def descriptor(given: Descriptor, memory: Memory) -> TensorDescriptor:
    """Return a host-side tensor descriptor; Triton refuses what the hardware does not take."""
    more = {"round_f32_to_tf32": True} if given.round_f32_to_tf32 else {}
    sizes = (list(given.shape), list(given.strides), list(given.block_shape))
    return TensorDescriptor(memory.view(given.base), *sizes, padding=given.padding, **more)


def several(items: list[Any], fields: tuple[str, ...] | None) -> tuple[Any, ...]:
    """Return a tuple, named where the host function's was."""
    return tuple(items) if fields is None else namedtuple("Arguments", fields)(*items)
