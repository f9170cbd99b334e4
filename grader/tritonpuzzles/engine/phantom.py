"""Run calls that are too large for the CPU: where their kernels reach is all that is told.

Tensors that memory cannot hold have none, and a few of the programs are run on them. Where the tensors are small and
the work between them is not, every program is run, and of its loops over inputs the first iterations.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import prod
from typing import Any

import torch
from torch import Tensor

from tritonpuzzles.compiler import Launch as Compilable
from tritonpuzzles.compiler import Target
from tritonpuzzles.compiler.compile import code_of
from tritonpuzzles.engine.cpu import line_traffic
from tritonpuzzles.engine.interpreted import Interpreted
from tritonpuzzles.engine.interpreter import Tracer
from tritonpuzzles.engine.interpreter.errors import Abort
from tritonpuzzles.engine.interpreter.seen import launch_fact
from tritonpuzzles.engine.interpreter.storage import extent_bytes
from tritonpuzzles.engine.memory import Memory, Reserve
from tritonpuzzles.engine.observation import Observation
from tritonpuzzles.engine.program import Call, configurations, tuners
from tritonpuzzles.engine.reading import placed
from tritonpuzzles.engine.replay import Replay, always
from tritonpuzzles.wire.drawing import dtype_of
from tritonpuzzles.wire.facts import CallFact, Gap, SomeRan
from tritonpuzzles.wire.job import JobCase
from tritonpuzzles.wire.observed import LaunchSummary
from tritonpuzzles.wire.program import Launch

HELD_BYTES = 64 << 20  # of all inputs
TURNS, MORE_TURNS = 1, 3  # of a loop that stores nothing
without_memory = partial(torch.empty, device="meta")


def run_phantom(call: Call, case: JobCase, configuration: int = 0) -> Observation:
    """Interpret what tells most of a call whose values mean nothing."""
    if sum(item.storage_bytes for item in case.inputs) <= HELD_BYTES:
        with contextlib.suppress(Abort):  # its loops cannot be cut short
            return _skimmed(call, case, configuration)
    tracer = Tracer(user_file=str(call.path), check_undefined=False)
    inputs = phantoms(case, without_memory)
    observation = _run(call, inputs, configuration, without_memory, tracer)
    outputs = for_kernels(call, observation.results)
    # No inputs where numbers of one may say which elements of another are read, for all numbers are 0 here.
    seen = outputs if any(not tensor.is_floating_point() for tensor in inputs.values()) else {**inputs, **outputs}
    observation.facts += [
        *tracer.facts,
        *uncovered(call, tracer, observation.results),
        *unreached(tracer, seen),
    ]
    return observation


def launches_of(call: Call, case: JobCase, target: Target | None) -> Observation:
    """Return the launches of a call that is not run, those of all configurations, with their code for a target."""
    program = call.program
    chosen_by = {
        id(step): (number, configuration)
        for number, tuner in enumerate(tuners(program))
        for configuration, steps in enumerate(tuner.choices)
        for step in steps
    }
    told: dict[int, LaunchSummary] = {}  # by the step: what two configurations launch, once

    def tell(kernel: Any, arguments: dict[str, Any], options: dict[str, Any], step: Launch) -> None:
        code = "" if target is None else code_of(Compilable(kernel, arguments, options).without_data(), target)
        tuner, programs = chosen_by.get(id(step)), prod(step.grid)
        told.setdefault(
            id(step), LaunchSummary(kernel.__name__, step.line, step.grid, programs, code=code, tuner=tuner)
        )

    for number in range(configurations(program)):
        results = Replay(program, call.kernels, always(number)).run(without_memory_of(call, case), tell)
    return Observation(results=results, launches=list(told.values()))


def _skimmed(call: Call, case: JobCase, configuration: int) -> Observation:
    """Run every program, and tell what of the outputs nothing has stored.

    Where that depends on the iterations of its loops, a whole run may store it all.
    """
    observation, missing = _skim(call, case, configuration, TURNS)
    if missing and missing == _skim(call, case, configuration, MORE_TURNS)[1]:
        observation.facts += missing
    return observation


def _skim(call: Call, case: JobCase, configuration: int, turns: int) -> tuple[Observation, list[Gap]]:
    tracer = Tracer(user_file=str(call.path), check_undefined=False, turns=turns)
    inputs = phantoms(case, torch.zeros)  # they hold as little as what a phantom reads
    observation = _run(call, inputs, configuration, torch.zeros, tracer)
    return observation, unwritten(call, tracer, observation.results)


def for_kernels(call: Call, results: Sequence[object]) -> dict[str, Tensor]:
    """Return the outputs that kernels must write all of."""
    named = enumerate(zip(call.outputs, results, strict=False))
    return {name: item for number, (name, item) in named if isinstance(item, Tensor) and call.is_for_kernels(number)}


def unwritten(call: Call, tracer: Tracer, results: Sequence[object]) -> list[Gap]:
    """Return what of the outputs no program has stored, where all have run; nothing of a stub, which stores nothing."""
    if not stores(tracer):
        return []
    found = [tracer.check_written(item, name) for name, item in for_kernels(call, results).items()]
    return [gap for gap in found if gap is not None]


def uncovered(call: Call, tracer: Tracer, results: Sequence[object]) -> list[SomeRan]:
    """Return how large an output is, where some have run of all the programs of the only launch that there is."""
    outputs = for_kernels(call, results)
    if len(tracer.launches) != 1 or len(outputs) != 1 or len(results) != 1:
        return []
    return [SomeRan(name, item.numel(), launch_fact(tracer.launches[0])) for name, item in outputs.items()]


def without_memory_of(call: Call, case: JobCase) -> Memory:
    """Return what stands for the memory of a call where nothing is read or written."""
    return Memory(list(phantoms(case, without_memory).values()), call.offsets, without_memory)


def unreached(tracer: Tracer, tensors: Mapping[str, Tensor]) -> Iterator[CallFact]:
    """Yield each large tensor of which the programs that were run, the last among them, reach the first half alone."""
    for name, tensor in tensors.items() if stores(tracer) else ():
        width, first, extent = tensor.element_size(), int(tensor.storage_offset()), extent_bytes(tensor)
        reached = tracer.reached(tensor) if extent > HELD_BYTES else None
        if reached is not None and reached < first * width + extent // 2:
            last = max(0, reached // width - first)
            yield CallFact("large-tensor-unreached", name, last, tensor.numel(), line=tracer.launches[-1].line)


def stores(tracer: Tracer) -> bool:
    """Return whether any program has stored anything."""
    return any(argument.is_written for launch in tracer.launches for argument in launch.arguments)


def _run(call: Call, inputs: Mapping[str, Tensor], configuration: int, reserve: Reserve, tracer: Tracer) -> Observation:
    memory, launcher = Memory(list(inputs.values()), call.offsets, reserve), Interpreted(tracer)
    results = Replay(call.program, call.kernels, always(configuration)).run(memory, launcher)
    traced = zip(tracer.launches, launcher.steps, strict=True)
    return Observation(
        results=results,
        facts=list(call.faults()),
        lines=line_traffic(tracer.launches, call, memory),
        launches=[placed(trace, step, call, memory) for trace, step in traced],
    )


def phantoms(case: JobCase, reserve: Reserve) -> Mapping[str, Tensor]:
    """Return the arguments of a case by name, in fresh memory or without any."""
    made = {}
    for item in case.inputs:
        dtype = dtype_of(item.dtype)
        storage = reserve(item.storage_bytes // dtype.itemsize, dtype=dtype)
        made[item.name] = storage.as_strided(item.shape, item.stride, item.offset)
    return made
