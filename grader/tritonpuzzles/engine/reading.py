"""Make a call of what a recorder wrote, and of its launches what the judge needs to know.

Kernels are built once for all cases of a submission. Among the rest the judge knows which kernel a launch has, and what
it chooses at compile time.
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

SHORT = 80  # characters of a value that travels as it is


@dataclass(frozen=True)
class _Written:
    """What was recorded, before it is read."""

    program: Any
    kernels: Any


class Kernels:
    """The kernels of one submission, as they have been built so far: a later case may bring a longer table."""

    def __init__(self) -> None:
        self._read: dict[str, tuple[KernelText, ...]] = {}
        self._built: dict[str, tuple[list[Any], tuple[str, ...]]] = {}
        self._by_text: dict[str, Any] = {}  # one object for a text, so that what is compiled is compiled once

    def call(self, case: JobCase, host: JobHost, path: Path, written: bytes, texts: Mapping[str, str]) -> Call:
        """Read a program and its kernels.

        Raises:
            RunFailure: it is nothing that a recorder of ours writes; that one reads its own steps in the same way.
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
        """Return the kernels that are known by a key, and what stands for the text of each."""
        if key not in self._built:
            known = texts_of(self._read[key])
            built = zip(known, build_kernels(texts, self._read[key]), strict=True)
            self._built[key] = [self._by_text.setdefault(text, kernel) for text, kernel in built], known
        return self._built[key]

    def _program(self, case: JobCase, host: JobHost, written: bytes) -> tuple[Program, str]:
        """Return a program, and by which key its kernels are known."""
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
    """Return what stands for each kernel's text and for all that it uses, alike in every table that holds it."""
    described = [kernel.to_json() for kernel in kernels]
    return tuple(
        _digest(json.dumps([described[other] for other in reached(kernels, index)], sort_keys=True))
        for index in range(len(kernels))
    )


def choices(step: Launch, function: Any, texts: Sequence[str]) -> dict[str, str]:
    """Return what a launch chooses at compile time: the values of constexprs and the kinds of all else, by parameter.

    Under the kernel's name stands its text.
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
        written=tuple(dict.fromkeys(map(call.name, written))),
        most_together=launch.most_together,
        busy=launch.busy,
        choices=choices(step, launch.function, call.texts),
    )
