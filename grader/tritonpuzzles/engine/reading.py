"""Read a recorder's output into a call, and summarise its launches for the judge.

Kernels are built once for all cases of a submission. A summary includes the kernel of a launch and its compile-time
choices.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tritonpuzzles.compiler.launch import known_options
from tritonpuzzles.engine.failures import MOST_TEXT, RunFailure
from tritonpuzzles.engine.interpreter import LaunchTrace
from tritonpuzzles.engine.memory import Memory
from tritonpuzzles.engine.observation import whole_constants, whole_numbers
from tritonpuzzles.engine.program import Call
from tritonpuzzles.engine.text.kernels import build_kernels
from tritonpuzzles.wire.facts import CallFact
from tritonpuzzles.wire.fields import RECORDED
from tritonpuzzles.wire.job import JobCase, JobHost
from tritonpuzzles.wire.kernels import KernelText, reached, read_kernels
from tritonpuzzles.wire.launching import check_parameters
from tritonpuzzles.wire.observed import LaunchSummary
from tritonpuzzles.wire.program import Argument, Descriptor, Launch, Program, Reinterpreted, Several, View
from tritonpuzzles.wire.reading import read_program
from tritonpuzzles.wire.values import Constant, Constexpr, Items, KernelAt

SHORT = 80  # characters of a value that is sent as it is


@dataclass(frozen=True)
class _Written:
    """What was recorded, before it is read."""

    program: Any
    kernels: Any


class Kernels:
    """The kernels of one submission that have been built so far; a later case may add kernels."""

    def __init__(self) -> None:
        self._read: dict[str, tuple[KernelText, ...]] = {}
        self._built: dict[str, tuple[list[Any], tuple[str, ...]]] = {}
        self._by_text: dict[str, Any] = {}  # one object per text, so that each is compiled once

    def call(self, case: JobCase, host: JobHost, path: Path, written: bytes, texts: Mapping[str, str]) -> Call:
        """Read a program and its kernels.

        Raises RunFailure if it is not what our recorder writes, which checks its own steps in the same way.
        """
        try:
            program, key = self._program(case, host, written)
        except (ValueError, RecursionError) as error:
            raise RunFailure(CallFact("tampering", str(error)[:MOST_TEXT])) from error
        names = tuple(item.name for item in case.inputs)
        offsets = tuple(item.offset for item in case.inputs)
        outputs = case.outputs or host.outputs
        kernels, known = self._kernels(key, texts)
        asked = host.mutates, host.computes, host.fills, case.gpu if case.held else None, case.cached
        return Call(program, kernels, known, names, outputs, offsets, path, *asked)

    def _kernels(self, key: str, texts: Mapping[str, str]) -> tuple[list[Any], tuple[str, ...]]:
        """Return the kernels of a key, and the digest of each one's source."""
        if key not in self._built:
            known = texts_of(self._read[key])
            built = zip(known, build_kernels(texts, self._read[key]), strict=True)
            self._built[key] = [self._by_text.setdefault(text, kernel) for text, kernel in built], known
        return self._built[key]

    def _program(self, case: JobCase, host: JobHost, written: bytes) -> tuple[Program, str]:
        """Return a program, and the key of its kernels."""
        told = RECORDED.read(_Written, json.loads(written))
        key = json.dumps(told.kernels, sort_keys=True)
        if key not in self._read:
            self._read[key] = read_kernels(told.kernels)
        sizes = [item.storage_bytes for item in case.inputs]
        program = read_program(told.program, sizes, len(self._read[key]), host.goes_back(case))
        for launch in program.launches:
            check_parameters(launch.arguments, known_options())
        return program, key


def texts_of(kernels: Sequence[KernelText]) -> tuple[str, ...]:
    """Return a digest of each kernel's source and of all kernels that it uses, the same in every table."""
    described = [kernel.to_json() for kernel in kernels]
    return tuple(
        _digest(json.dumps([described[other] for other in reached(kernels, index)], sort_keys=True))
        for index in range(len(kernels))
    )


def choices(step: Launch, function: Any, texts: Sequence[str]) -> dict[str, str]:
    """Return a launch's compile-time choices by parameter: the values of constexprs, and the kinds of other arguments.

    The kernel's name maps to the digest of its source.
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
    """Return the summary of a launch for the judge, with the calls that led to it and the tensors that it writes."""
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
        written=tuple(dict.fromkeys(map(call.name, written))),
        most_together=launch.most_together,
        busy=launch.busy,
        choices=choices(step, launch.function, call.texts),
    )
