"""Run calls that are too large for the CPU: only the addresses that their kernels access are checked.

Tensors that do not fit in memory are meta tensors, and only a few programs run on them. If the tensors are small and
the work is not, every program runs, but only the first iterations of its loops over inputs.
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
from tritonpuzzles.engine.reuse import LANES, multiplies, reuse_of
from tritonpuzzles.wire.drawing import dtype_of
from tritonpuzzles.wire.facts import CallFact, Gap, SomeRan
from tritonpuzzles.wire.job import JobCase
from tritonpuzzles.wire.observed import LaunchSummary
from tritonpuzzles.wire.program import Launch

HELD_BYTES = 64 << 20  # of all inputs
TURNS, MORE_TURNS = 1, 3  # of a loop that stores nothing
without_memory = partial(torch.empty, device="meta")


def run_phantom(call: Call, case: JobCase, configuration: int) -> Observation:
    """Interpret a representative part of a call whose values mean nothing."""
    if sum(item.storage_bytes for item in case.inputs) <= HELD_BYTES:
        with contextlib.suppress(Abort):  # its loops cannot be cut short
            return _skimmed(call, case, configuration)
    tracer = Tracer(user_file=str(call.path), check_undefined=False)
    inputs = phantoms(case, without_memory)
    observation = _run(call, inputs, configuration, without_memory, tracer)
    outputs = for_kernels(call, observation.results)
    # Inputs are not checked if one is not floating-point: it may index another, and all its values are 0 here.
    seen = outputs if any(not tensor.is_floating_point() for tensor in inputs.values()) else {**inputs, **outputs}
    observation.facts += [
        *tracer.facts,
        *uncovered(call, tracer, observation.results),
        *unreached(tracer, seen),
    ]
    return observation


def launches_of(call: Call, case: JobCase, target: Target | None) -> Observation:
    """Return the launches of a call in all its configurations, with their code for a target; no kernel is run."""
    program = call.program
    chosen_by = {
        id(step): (number, configuration)
        for number, tuner in enumerate(tuners(program))
        for configuration, steps in enumerate(tuner.choices)
        for step in steps
    }
    seen: dict[int, tuple[Any, dict[str, Any], dict[str, Any], Launch]] = {}  # by step: each counts once

    def see(kernel: Any, arguments: dict[str, Any], options: dict[str, Any], step: Launch) -> None:
        seen.setdefault(id(step), (kernel, arguments, options, step))

    for number in range(configurations(program)):
        results = Replay(program, call.kernels, always(number)).run(without_memory_of(call, case), see)
    lanes, at_once = LANES // max(1, len(seen)), case.gpu.multiprocessors if case.gpu else 0
    told = []
    for kernel, arguments, options, step in seen.values():
        code = "" if target is None else code_of(Compilable(kernel, arguments, options).without_data(), target)
        tuner, programs = chosen_by.get(id(step)), prod(step.grid)
        shares = programs > at_once and multiplies(kernel)
        reuse = reuse_of(kernel, arguments, options, step.grid, lanes) if shares else ()
        told.append(LaunchSummary(kernel.__name__, step.line, step.grid, programs, code=code, tuner=tuner, reuse=reuse))
    return Observation(results=results, launches=told)


def _skimmed(call: Call, case: JobCase, configuration: int) -> Observation:
    """Run every program with shortened loops, and report the elements of outputs that none has stored.

    If these depend on the number of iterations, nothing is reported: a complete run may store them.
    """
    observation, missing = _skim(call, case, configuration, TURNS)
    if missing and missing == _skim(call, case, configuration, MORE_TURNS)[1]:
        observation.facts += missing
    return observation


def _skim(call: Call, case: JobCase, configuration: int, turns: int) -> tuple[Observation, list[Gap]]:
    tracer = Tracer(user_file=str(call.path), check_undefined=False, turns=turns)
    inputs = phantoms(case, torch.zeros)  # all zero, as a phantom's
    observation = _run(call, inputs, configuration, torch.zeros, tracer)
    return observation, unwritten(call, tracer, observation.results)


def for_kernels(call: Call, results: Sequence[object]) -> dict[str, Tensor]:
    """Return the outputs that kernels must write all of."""
    named = enumerate(zip(call.outputs, results, strict=False))
    return {name: item for number, (name, item) in named if isinstance(item, Tensor) and call.is_for_kernels(number)}


def unwritten(call: Call, tracer: Tracer, results: Sequence[object]) -> list[Gap]:
    """Return the gaps in outputs after all programs have run; none for a stub, which stores nothing."""
    if not stores(tracer):
        return []
    found = [tracer.check_written(item, name) for name, item in for_kernels(call, results).items()]
    return [gap for gap in found if gap is not None]


def uncovered(call: Call, tracer: Tracer, results: Sequence[object]) -> list[SomeRan]:
    """Return the size of the only output, with the only launch; nothing if there are several of either."""
    outputs = for_kernels(call, results)
    if len(tracer.launches) != 1 or len(outputs) != 1 or len(results) != 1:
        return []
    return [SomeRan(name, item.numel(), launch_fact(tracer.launches[0])) for name, item in outputs.items()]


def without_memory_of(call: Call, case: JobCase) -> Memory:
    """Return a call's memory of meta tensors, for a replay that reads and writes nothing."""
    return Memory(list(phantoms(case, without_memory).values()), call.offsets, without_memory)


def unreached(tracer: Tracer, tensors: Mapping[str, Tensor]) -> Iterator[CallFact]:
    """Yield each large tensor of which the programs that ran, the last included, access only the first half."""
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
