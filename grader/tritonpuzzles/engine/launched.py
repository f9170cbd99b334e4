"""Launches of a recorded call on the GPU, and the choice among an autotuner's configurations, by the clock."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch

from tritonpuzzles.compiler.explain import compile_finding
from tritonpuzzles.compiler.faults import fault, is_fault
from tritonpuzzles.engine.ahead import Ahead
from tritonpuzzles.engine.at_once import running_fit
from tritonpuzzles.engine.failures import RunFailure, said_by_compiler
from tritonpuzzles.engine.memory import Memory
from tritonpuzzles.engine.observation import whole_constants, whole_numbers
from tritonpuzzles.engine.replay import Action, Ready, run_all
from tritonpuzzles.engine.text.kernels import Refused
from tritonpuzzles.insides import OutOfResources, PTXASError, do_bench
from tritonpuzzles.wire.job import Device
from tritonpuzzles.wire.observed import LaunchSummary
from tritonpuzzles.wire.program import Choose, Launch

WARM_UP_MS, SAMPLE_MS = 5, 20  # of each configuration


class Launched:
    """Runs launches as Triton compiles them.

    Args:
        gpu: whose multiprocessors they are held against, where somebody asks.

    Attributes:
        launches: in order.
        atomic: whether any kernel updates memory atomically, so that the order of the programs may decide the last bit.
    """

    def __init__(self, gpu: Device | None = None) -> None:
        self._gpu = gpu
        self.launches: list[LaunchSummary] = []
        self.atomic = False

    def launch(self, kernel: Any, arguments: dict[str, Any], options: dict[str, Any], step: Launch) -> None:
        """Run a launch.

        Raises:
            RunFailure: its kernel may not be run, or the compiler rejects it.
            OutOfResources: the GPU has not what it asks for.
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
        self.atomic = self.atomic or _is_atomic(compiled)
        if self._gpu is not None:
            self.launches[-1] = replace(summary, fit=running_fit(compiled, self._gpu))


class Relaunched:
    """Runs launches that have been run before, and notes nothing: what a clock sees is Triton's own launch."""

    def launch(self, kernel: Any, arguments: dict[str, Any], options: dict[str, Any], step: Launch) -> None:
        """Run a launch."""
        kernel.run(grid=step.grid, warmup=False, **arguments, **options)


def _is_atomic(compiled: Any) -> bool:
    """Return whether a compiled kernel, as a launch returns it, holds an atomic operation."""
    return "tt.atomic_" in str(getattr(compiled, "asm", {}).get("ttir", ""))


class Tuner:
    """Times an autotuner's configurations once for each of its keys, as Triton's own does.

    Args:
        ahead: what compiles them all before the first is timed; nothing is compiled beside the clock.
    """

    def __init__(self, ahead: Ahead) -> None:
        self._ahead = ahead
        self._best: dict[tuple[int, str], int] = {}

    def choose(self, step: Choose, memory: Memory, ready: Ready) -> int:
        """Return the number of the fastest configuration that the GPU can run; the first's where it can run none.

        Args:
            step: the configurations.
            memory: of the call; left as it is.
            ready: makes the actions of each ready to be run on it.
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
