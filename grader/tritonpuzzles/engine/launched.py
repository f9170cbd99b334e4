"""Launch the kernels of a recorded call on the GPU, and time an autotuner's configurations to choose one.

Kernels are compiled ahead of their launches, several at once: Triton's compiler takes most of a first check.
"""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Hashable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import replace
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from tritonpuzzles.compiler.explain import compile_finding
from tritonpuzzles.compiler.faults import fault, is_fault
from tritonpuzzles.engine.at_once import running_fit
from tritonpuzzles.engine.failures import RunFailure, said_by_compiler
from tritonpuzzles.engine.memory import Memory
from tritonpuzzles.engine.observation import whole_constants, whole_numbers
from tritonpuzzles.engine.replay import Action, Launching, Ready, run_all
from tritonpuzzles.engine.text.kernels import Refused
from tritonpuzzles.insides import OutOfResources, PTXASError, do_bench
from tritonpuzzles.wire.job import Device
from tritonpuzzles.wire.observed import LaunchSummary
from tritonpuzzles.wire.program import Choose, Launch

WARM_UP_MS, SAMPLE_MS = 5, 20  # of each configuration
MOST_AT_ONCE = 8  # each holds its module in memory, some tens of MB
ALIGNMENT = 16  # of a pointer, in bytes, or a factor of a whole number: Triton's compiler specialises on it


class Launched:
    """Runs launches as Triton compiles them; `gpu` is the one whose multiprocessors they are compared with."""

    def __init__(self, gpu: Device | None = None) -> None:
        self._gpu = gpu
        self.launches: list[LaunchSummary] = []  # in order
        self.atomic = False  # whether any kernel updates memory atomically: their order may decide the last bit

    def __call__(self, kernel: Any, arguments: dict[str, Any], options: dict[str, Any], step: Launch) -> None:
        """Run a launch.

        Raises RunFailure if its kernel may not be run, or the compiler rejects it; OutOfResources if it requires more
        than the GPU has.
        """
        if isinstance(kernel, Refused):
            raise RunFailure(kernel.fact)
        constants = whole_constants(kernel, arguments)
        numbers = whole_numbers(kernel, arguments)
        programs = math.prod(step.grid)
        summary = LaunchSummary(kernel.__name__, step.line, step.grid, programs, None, constants, numbers=numbers)
        self.launches.append(summary)
        try:
            compiled = kernel.run(grid=step.grid, warmup=False, **arguments, **options)
        except Exception as error:
            if not is_fault(error):
                raise
            target = "sm_{}{}".format(*torch.cuda.get_device_capability())
            raise RunFailure(said_by_compiler(compile_finding(fault(error, "", kernel), target))) from error
        self.atomic |= "tt.atomic_" in str(getattr(compiled, "asm", {}).get("ttir", ""))
        if self._gpu is not None:
            self.launches[-1] = replace(summary, fit=running_fit(compiled, self._gpu))


def relaunch(kernel: Any, arguments: dict[str, Any], options: dict[str, Any], step: Launch) -> None:
    """Run a launch again and record nothing, so that only Triton's own launch is timed."""
    kernel.run(grid=step.grid, warmup=False, **arguments, **options)


class Tuner:
    """Times an autotuner's configurations once for each of its keys, as Triton's own does.

    `ahead` compiles them all before the first is timed; nothing is compiled during timing.
    """

    def __init__(self, ahead: Ahead) -> None:
        self._ahead = ahead
        self._best: dict[tuple[int, str], int] = {}

    def choose(self, step: Choose, memory: Memory, ready: Ready) -> int:
        """Return the number of the fastest configuration that the GPU can run; the first's if it can run none.

        The memory that the call allocates is restored afterwards.
        """
        if len(step.choices) == 1:
            return 0
        key = (next((inner.kernel for inner in step.choices[0] if isinstance(inner, Launch)), -1), step.key)
        if key not in self._best:
            self._ahead.compile([action for prepare in ready for action in prepare()])
            self._ahead.finish()
            times = [self._time(prepare(), memory) for prepare in ready]
            self._best[key] = times.index(min(times))
        return self._best[key]

    @staticmethod
    def _time(actions: Sequence[Action], memory: Memory) -> float:
        kept = [tensor.clone() for tensor in memory.fresh]
        try:
            timed = do_bench(lambda: run_all(actions), warmup=WARM_UP_MS, rep=SAMPLE_MS, return_mode="median")
            return float(timed)
        except (RunFailure, OutOfResources, PTXASError):
            return math.inf
        finally:
            for tensor, before in zip(memory.fresh, kept, strict=True):
                tensor.copy_(before)


class Ahead:
    """Compiles the variants of launches, each once; a compile error is not reported here but by the launch itself."""

    def __init__(self) -> None:
        self._begun: dict[Hashable, Future[None]] = {}

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(min(MOST_AT_ONCE, os.cpu_count() or 1))

    def begin(self, actions: Iterable[Action]) -> list[Future[None]]:
        """Begin to compile the launches among some actions, and return a future for each."""
        found = []
        for action in actions:
            if isinstance(action, Launching):
                variant = _variant(*action.args)
                if variant not in self._begun:
                    self._begun[variant] = self._pool.submit(_compile, *action.args)
                found.append(self._begun[variant])
        return found

    def compile(self, actions: Iterable[Action]) -> None:
        """Compile the launches among some actions, and wait for them."""
        wait(self.begin(actions))

    def finish(self) -> None:
        """Wait for everything that was begun: a compiler that runs would disturb the timing."""
        wait(self._begun.values())


def _compile(kernel: Any, arguments: dict[str, Any], options: dict[str, Any], step: Launch) -> None:
    with contextlib.suppress(Exception):
        kernel.run(grid=step.grid, warmup=True, **arguments, **options)


def _variant(kernel: Any, arguments: dict[str, Any], options: dict[str, Any], step: Launch) -> Hashable:
    """Return a key of a launch's compiled variant: its kernel, options and constants, and the kinds of its arguments.

    Launches that differ only in arguments of other types may share a key; the later ones are compiled when they run.
    """
    if isinstance(kernel, Refused):
        return id(kernel)
    constants = {parameter.name for parameter in kernel.params if parameter.is_constexpr}
    kinds = (repr(value) if name in constants else _kind(value) for name, value in arguments.items())
    return id(kernel), repr(sorted(options.items())), tuple(kinds)


def _kind(value: Any) -> Hashable:
    match value:
        case Tensor():
            return value.dtype, value.data_ptr() % ALIGNMENT == 0
        case int():
            return type(value).__name__, value == 1, value % ALIGNMENT == 0, value.bit_length() > 31
    return type(value).__name__
