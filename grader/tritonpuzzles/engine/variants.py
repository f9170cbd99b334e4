"""What the judge needs to know of a launch: among the rest which kernel it is, and what it chooses at compile time."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from tritonpuzzles.engine.interpreter import LaunchTrace
from tritonpuzzles.engine.memory import Memory
from tritonpuzzles.engine.observation import Call, whole_constants, whole_numbers
from tritonpuzzles.wire.kernels import KernelText, reached
from tritonpuzzles.wire.observed import LaunchSummary
from tritonpuzzles.wire.program import Argument, Descriptor, Launch, Reinterpreted, Several, View
from tritonpuzzles.wire.values import Constant, Constexpr, Items, KernelAt

SHORT = 80  # characters of a value that travels as it is


def texts_of(kernels: Sequence[KernelText]) -> tuple[str, ...]:
    """Return what stands for each kernel's text and for all that it uses, alike in every table that holds it."""
    described = [kernel.to_json() for kernel in kernels]
    return tuple(
        _digest(json.dumps([described[other] for other in reached(kernels, index)], sort_keys=True))
        for index in range(len(kernels))
    )


def choices(step: Launch, function: Any, texts: Sequence[str]) -> dict[str, str]:
    """Return what a launch chooses at compile time: the values of constexprs and the kinds of all else, by parameter.

    Under the kernel's name stands its text.

    Args:
        step: as it was recorded.
        function: the `JITFunction` that it launches.
        texts: of the table of kernels.
    """
    constants = {parameter.name for parameter in function.params if parameter.is_constexpr}
    chosen = {name: _words(item, texts, name in constants) for name, item in step.arguments.items()}
    return {**chosen, function.__name__: texts[step.kernel]}


def _words(argument: Argument, texts: Sequence[str], constant: bool) -> str:
    match argument:
        case View() | Reinterpreted():
            return "a tensor"
        case Descriptor():
            return f"a descriptor of {argument.block_shape}"
        case Several(items) | Items(items):
            found = f"({', '.join(_words(item, texts, constant) for item in items)})"
        case Constexpr(value):
            return _words(value, texts, True)
        case KernelAt(index):
            return texts[index]
        case Constant(value) if type(value) in (int, float) and not constant:
            return "a number"
        case Constant(value):
            found = repr(value)
        case other:
            found = repr(other)
    return found if len(found) <= SHORT else _digest(found)


def _digest(text: str) -> str:
    return f"text {hashlib.sha256(text.encode()).hexdigest()[:32]}"


def placed(launch: LaunchTrace, step: Launch, call: Call, memory: Memory) -> LaunchSummary:
    """Return what the judge needs to know of a launch, with the calls that led to it and the tensors that it writes."""
    written = [memory.number(argument.storage) for argument in launch.arguments if argument.is_written]
    return LaunchSummary(
        launch.kernel,
        launch.line,
        launch.grid,
        launch.programs,
        launch.largest_tile,
        whole_constants(launch.function, launch.bound),
        numbers=whole_numbers(launch.function, launch.bound),
        calls=step.calls,
        written=tuple(dict.fromkeys(map(call.facts.name, written))),
        most_together=launch.most_together,
        busy=launch.busy,
        choices=choices(step, launch.function, call.texts),
    )
