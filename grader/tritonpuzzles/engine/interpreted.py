"""Run the launches of a recorded call in the tracing interpreter, also in other orders of their programs.

Other orders are run if atomic operations may make the order matter.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args

import torch
from torch import Tensor

from tritonpuzzles.engine.failures import MOST_TEXT, RunFailure
from tritonpuzzles.engine.interpreter import KernelError, LaunchTrace, Tracer
from tritonpuzzles.engine.interpreter.batch import MOST_PARTS, WAYS, Order
from tritonpuzzles.engine.interpreter.errors import Abort
from tritonpuzzles.engine.interpreter.language import patched
from tritonpuzzles.engine.interpreter.ledger import Place
from tritonpuzzles.engine.memory import Memory
from tritonpuzzles.engine.observation import OtherOrder
from tritonpuzzles.engine.program import Call, tuners
from tritonpuzzles.engine.replay import Replay, always
from tritonpuzzles.engine.text.kernels import Refused
from tritonpuzzles.engine.watch import poison
from tritonpuzzles.results.words import without_addresses
from tritonpuzzles.wire.facts import BadAccess, Fact, Stopped, StoredTwice
from tritonpuzzles.wire.program import Choose, Launch, Other

Note = Callable[[Any, dict[str, Any], dict[str, Any]], None]
FEWEST = 2  # parts
CONFLICTS = (*get_args(StoredTwice), "race-read-write")


class Interpreted:
    """Runs launches under a tracer; `note` is called with kernel, arguments and options before each."""

    def __init__(self, tracer: Tracer, note: Note = lambda kernel, arguments, options: None) -> None:
        self._tracer, self._note = tracer, note
        self.steps: list[Launch] = []  # the launches that have been run, in the same order as the tracer's

    def __call__(self, kernel: Any, arguments: dict[str, Any], options: dict[str, Any], step: Launch) -> None:
        """Interpret a launch; raises RunFailure if its kernel may not be interpreted, KernelError if it fails."""
        self._note(kernel, arguments, options)
        if isinstance(kernel, Refused):
            raise RunFailure(kernel.fact)
        self._tracer.launch(kernel, arguments, options, step.grid, (step.file, step.line or 0))
        self.steps.append(step)


def replay(call: Call, tracer: Tracer, configuration: int = 0) -> Replay:
    """Return the replay of a call: it poisons fresh memory, and reports to the tracer what the host function fills."""
    return Replay(
        call.program,
        call.kernels,
        always(configuration),
        on_fresh=lambda tensor: tracer.mark_uninitialised(poison(tensor)),
        on_filled=tracer.mark_initialised,
        on_added=tracer.mark_sum,
        numbers=tracer.numbers,
    )


def interpreted(call: Call, inputs: Mapping[str, Tensor]) -> list[LaunchTrace]:
    """Run a call that another process has run and reported; return its launches, up to one that fails."""
    tracer = Tracer(user_file=str(call.path), check_undefined=False)
    with contextlib.suppress(KernelError, RunFailure), contextlib.redirect_stdout(io.StringIO()):
        replay(call, tracer).run(on_cpu(call, inputs), Interpreted(tracer))
    return tracer.launches


def on_cpu(call: Call, inputs: Mapping[str, Tensor]) -> Memory:
    """Return the memory of a call on the CPU, over the inputs' own storages."""
    return Memory(list(inputs.values()), call.offsets, torch.empty)


def in_other_orders(
    call: Call,
    inputs: Mapping[str, Tensor],
    configuration: int,
    ordered: Mapping[int, tuple[Place, int]],
    tracer_of: Callable[[Order], Tracer],
) -> tuple[list[OtherOrder], list[Fact]]:
    """Run a call in each other order, on its original tensors; return its results, and the races that show there.

    `ordered` is from the tracer of the first run, in lockstep: by launch whose order may matter, a place and its steps.
    """
    steps = {launch: steps for launch, (_, steps) in ordered.items()}
    file, line = min(ordered.items())[1][0]
    given: list[OtherOrder] = []
    races: dict[tuple[str, str, int], Fact] = {}
    for way in WAYS:
        tracers = [tracer_of(Order(way, steps, most)) for most in (MOST_PARTS, FEWEST)]
        tracer, end = _run(call, inputs, configuration, tracers)
        if isinstance(end, KernelError):
            why = without_addresses(end.message.rstrip("."))[:MOST_TEXT]
            races["", file, line] = Stopped("order-dependent", why, end.file or file, end.line or line, seen=line)
        elif end is not None:
            given.append(OtherOrder(way, file, line, end))
        found = [fact for fact in tracer.facts if isinstance(fact, BadAccess) and fact.code in CONFLICTS]
        races |= {(fact.code, fact.file, fact.line): fact for fact in found}
    return given, list(races.values())


def tuned_in_place(call: Call, launches: Sequence[LaunchTrace], steps: Sequence[Launch]) -> Place | None:
    """Return the place of a launch that changes its own inputs and that an autotuner runs more than once, or `None`."""
    tuned = {
        id(step) for choose in tuners(call.program) if choose.tunes for choice in choose.choices for step in choice
    }
    for trace, step in zip(launches, steps, strict=True):
        changed = any(one.atomic_bytes or (one.loaded_bytes and one.is_written) for one in trace.arguments)
        if id(step) in tuned and changed:
            return step.file, step.line or 0
    return None


def after_tuning(
    call: Call, inputs: Mapping[str, Tensor], configuration: int, place: Place, tracer: Tracer
) -> OtherOrder:
    """Run a call with every tuned launch done twice on the same memory, as an autotuner does while it tunes."""
    tuned = [
        replace(step, choices=tuple((*choice, *choice) for choice in step.choices))
        if isinstance(step, Choose) and step.tunes
        else step
        for step in call.program.steps
    ]
    again = replace(call, program=replace(call.program, steps=tuple(tuned)))
    with patched():
        results = replay(again, tracer, configuration).run(on_cpu(call, inputs), Interpreted(tracer))
    return OtherOrder("tuned", *place, results)


def _run(
    call: Call, inputs: Mapping[str, Tensor], configuration: int, tracers: Sequence[Tracer]
) -> tuple[Tracer, Sequence[Tensor | Other] | KernelError | None]:
    """Run a call under the first tracer whose run is not aborted; return the tracer, and results, error or `None`."""
    for tracer in tracers:
        program = replay(call, tracer, configuration)
        try:
            with patched():
                return tracer, program.run(on_cpu(call, inputs), Interpreted(tracer))
        except Abort:
            continue
        except KernelError as error:
            return tracer, error
    return tracer, None
