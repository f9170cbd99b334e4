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
    """Return what a launch chooses at compile time, by parameter: constexprs, and whether it passes a tensor at all.

    Args:
        step: as it was recorded.
        function: the `JITFunction` that it launches.
        texts: of the table of kernels.
    """
    constants = {parameter.name for parameter in function.params if parameter.is_constexpr}
    items = step.arguments.items()
    return {name: _words(item, texts) for name, item in items if name in constants or not _is_number(item)}


def _is_number(argument: Argument) -> bool:
    return isinstance(argument, Constant) and type(argument.value) in (int, float)


def _words(argument: Argument, texts: Sequence[str]) -> str:
    match argument:
        case View() | Reinterpreted():
            return "a tensor"
        case Descriptor():
            return f"a descriptor of {argument.block_shape}"
        case Several(items) | Items(items):
            found = f"({', '.join(_words(item, texts) for item in items)})"
        case Constexpr(value):
            return _words(value, texts)
        case KernelAt(index):
            return texts[index]
        case Constant(value):
            found = repr(value)
        case other:
            found = repr(other)
    return found if len(found) <= SHORT else _digest(found)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]
