"""Launches of a recorded call in the tracing interpreter."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from tritonpuzzles.engine.failures import RunFailure
from tritonpuzzles.engine.interpreter import KernelError, LaunchTrace, Tracer
from tritonpuzzles.engine.memory import Memory
from tritonpuzzles.engine.observation import Call
from tritonpuzzles.engine.replay import Choice, Replay, first_choice
from tritonpuzzles.engine.text.kernels import Refused
from tritonpuzzles.engine.watch.unwritten import poison
from tritonpuzzles.wire.program import Launch

Note = Callable[[Any, dict[str, Any], dict[str, Any]], None]


class Interpreted:
    """Runs launches under a tracer.

    Args:
        tracer: keeps what they do.
        note: called with kernel, arguments and options before each.

    Attributes:
        steps: the launches that have been run, as the tracer has them.
    """

    def __init__(self, tracer: Tracer, note: Note = lambda kernel, arguments, options: None) -> None:
        self._tracer, self._note = tracer, note
        self.steps: list[Launch] = []

    def launch(self, kernel: Any, arguments: dict[str, Any], options: dict[str, Any], step: Launch) -> None:
        """Interpret a launch.

        Raises:
            RunFailure: its kernel is not one that may be interpreted.
            KernelError: it fails.
        """
        self._note(kernel, arguments, options)
        if isinstance(kernel, Refused):
            raise RunFailure(kernel.fact)
        self._tracer.launch(kernel, arguments, options, step.grid, (step.file, step.line or 0))
        self.steps.append(step)


@dataclass(frozen=True)
class Noted:
    """Tells of launches, and runs none."""

    note: Note

    def launch(self, kernel: Any, arguments: dict[str, Any], options: dict[str, Any], step: Launch) -> None:
        """Tell of a launch."""
        self.note(kernel, arguments, options)


def replay(call: Call, tracer: Tracer, choose: Choice = first_choice) -> Replay:
    """Return a call whose fresh memory is poisoned, and which tells the tracer what has been written."""

    def fresh(tensor: Tensor) -> None:
        tracer.mark_uninitialised(poison(tensor))

    program, kernels = call.facts.program, call.kernels
    filled, added, numbers = tracer.mark_initialised, tracer.mark_sum, tracer.numbers
    return Replay(program, kernels, choose, on_fresh=fresh, on_filled=filled, on_added=added, numbers=numbers)


def interpreted(call: Call, inputs: Mapping[str, Tensor]) -> list[LaunchTrace]:
    """Run a call that another process has run and told of; return its launches, up to one that fails."""
    tracer = Tracer(user_file=str(call.facts.path), check_undefined=False)
    with contextlib.suppress(KernelError, RunFailure), contextlib.redirect_stdout(io.StringIO()):
        replay(call, tracer).run(on_cpu(call, inputs), Interpreted(tracer))
    return tracer.launches


def on_cpu(call: Call, inputs: Mapping[str, Tensor]) -> Memory:
    """Return the memory of a call on the CPU; each input's storage is its own."""
    return Memory(list(inputs.values()), call.facts.offsets, lambda elements, dtype: torch.empty(elements, dtype=dtype))
