"""Which kernel a launch runs, and what it chooses at compile time: what one call shares with another."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from tritonpuzzles.wire.kernels import KernelText, reached
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
    """Return what a launch chooses at compile time, by parameter: the values of constexprs, the kinds of all else.

    Args:
        step: as it was recorded.
        function: the `JITFunction` that it launches.
        texts: of the table of kernels.
    """
    constants = {parameter.name for parameter in function.params if parameter.is_constexpr}
    return {name: _words(item, texts, name in constants) for name, item in step.arguments.items()}


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
    return hashlib.sha256(text.encode()).hexdigest()[:32]
