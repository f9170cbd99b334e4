"""Run a recorded program on memory of this process: repeat the host function's actions without the host function."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import torch
from torch import Tensor

from tritonpuzzles.engine.memory import Memory
from tritonpuzzles.engine.text.names import made
from tritonpuzzles.insides import TensorDescriptor, TensorWrapper
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

Action = Callable[[], object]
Ready = Sequence[Callable[[], Sequence[Action]]]  # per configuration, a function that prepares its actions
Choice = Callable[[Choose, Memory, Ready], int]
Launcher = Callable[[Any, dict[str, Any], dict[str, Any], Launch], None]  # kernel, arguments by parameter, options


class Launching(partial[None]):
    """A launch with its tensors allocated, which may be compiled before it runs; `args` are those of a `Launcher`."""


def always(number: int) -> Choice:
    """Return a choice of the same configuration number for every autotuner; the last one if it has fewer."""
    return lambda step, memory, ready: min(number, len(step.choices) - 1)


@dataclass(frozen=True)
class Replay:
    """A program with its kernels."""

    program: Program
    kernels: Sequence[Any]  # of the launches, which refer to them by index
    choose: Choice = lambda step, memory, ready: 0  # returns the configuration of an autotuner to run
    on_fresh: Callable[[Tensor], object] = lambda tensor: None  # called with each flat tensor after its allocation
    on_filled: Callable[[Tensor], object] = lambda tensor: None  # called with each view that the host function filled
    # called with two views, and that of their sum
    on_added: Callable[[Tensor, Tensor, Tensor], object] = lambda left, right, total: None
    # maps a view that the host function copies to a tensor with its values in memory
    numbers: Callable[[Tensor], Tensor] = lambda tensor: tensor
    trial: Launcher | None = None  # for an autotuner's configurations while one is being chosen; else the usual one
    # called with all actions before any of them runs, unless the program has an autotuner
    ahead: Callable[[Sequence[Action]], object] | None = None

    @cached_property
    def _functions(self) -> dict[int, Any]:
        return dict(enumerate(self.kernels))

    def run(self, memory: Memory, launcher: Launcher) -> list[Tensor | Other]:
        """Run every step, and return the call's results."""
        if self.ahead is not None and not any(isinstance(step, Choose) for step in self.program.steps):
            actions = self.actions(memory, launcher)
            self.ahead(actions)
            run_all(actions)
            return self.results(memory)
        for step in self.program.steps:
            for action in self._actions(step, memory, launcher):
                action()
        return self.results(memory)

    def actions(self, memory: Memory, launcher: Launcher) -> list[Action]:
        """Allocate the program's memory, and return its other steps as actions that may be run repeatedly.

        An autotuner's configuration is chosen here, on memory without contents: `choose` should have chosen it before.
        """
        return [action for step in self.program.steps for action in self._actions(step, memory, launcher)]

    def launches(self, memory: Memory, launcher: Launcher) -> list[Action]:
        """Return what `actions` does, and the actions of every configuration of its autotuners."""
        others: list[Action] = []

        def choose(step: Choose, memory: Memory, ready: Ready) -> int:
            for prepare in ready:
                others.extend(prepare())
            return 0

        return replace(self, choose=choose).actions(memory, launcher) + others

    def results(self, memory: Memory) -> list[Tensor | Other]:
        """Return the call's results, as views of a memory."""
        return [memory.view(item) if isinstance(item, View) else item for item in self.program.results]

    def _actions(self, step: object, memory: Memory, launcher: Launcher) -> Sequence[Action]:
        """Return the actions of a step, with its tensors in place; an allocation is done immediately."""
        match step:
            case Allocate():
                self.on_fresh(memory.allocate(step))
            case Fill(target, Constant(bool() | int() | float() as value)):
                return (partial(self._fill, memory.view(target), value),)
            case Copy(source, target):
                return (partial(self._copy, memory.view(source), memory.view(target)),)
            case Add(left, right, target):
                return (partial(self._add, memory.view(left), memory.view(right), memory.view(target)),)
            case Choose():
                ready = [partial(self._all_actions, choice, memory, self.trial or launcher) for choice in step.choices]
                return self._all_actions(step.choices[self.choose(step, memory, ready)], memory, launcher)
            case Launch():
                arguments = {name: self._value(item, memory) for name, item in step.arguments.items()}
                return (Launching(launcher, self.kernels[step.kernel], arguments, dict(step.options), step),)
        return ()

    def _all_actions(self, steps: Sequence[Fill | Launch], memory: Memory, launcher: Launcher) -> Sequence[Action]:
        return [action for step in steps for action in self._actions(step, memory, launcher)]

    def _fill(self, target: Tensor, value: float) -> None:
        self.on_filled(target.fill_(value))

    def _copy(self, source: Tensor, target: Tensor) -> None:
        self.on_filled(target.copy_(self.numbers(source)))

    def _add(self, left: Tensor, right: Tensor, target: Tensor) -> None:
        self.on_added(left, right, torch.add(left, right, out=target))

    def _value(self, argument: Argument, memory: Memory) -> Any:
        match argument:
            case View():
                return memory.view(argument)
            case Descriptor():  # Triton refuses layouts that the hardware does not support
                more = {"round_f32_to_tf32": True} if argument.round_f32_to_tf32 else {}
                sizes = (list(argument.shape), list(argument.strides), list(argument.block_shape))
                return TensorDescriptor(memory.view(argument.base), *sizes, padding=argument.padding, **more)
            case Reinterpreted(base, dtype):
                return TensorWrapper(memory.view(base), made(Dtype(dtype), {}))
            case Several(items, fields):
                values = [self._value(item, memory) for item in items]
                return tuple(values) if fields is None else namedtuple("Arguments", fields)(*values)
            case value:
                return made(value, self._functions)


def run_all(actions: Sequence[Action]) -> None:
    """Run actions in order."""
    for action in actions:
        action()
