"""Run recorded calls on the CPU, every kernel interpreted and traced."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from triton.tools.tensor_descriptor import TensorDescriptor

from tritonpuzzles.compiler import TARGETS, Budget, Compiled, Launch, compile_launches
from tritonpuzzles.engine.at_once import with_fits
from tritonpuzzles.engine.configurations import Chosen
from tritonpuzzles.engine.interpreted import Interpreted, Noted, on_cpu, replay
from tritonpuzzles.engine.interpreter import KernelError, LaunchTrace, StaticAssertError, Tracer
from tritonpuzzles.engine.interpreter.language import patched
from tritonpuzzles.engine.memory import Memory
from tritonpuzzles.engine.observation import (
    Call,
    LaunchSummary,
    Observation,
    TensorTraffic,
    whole_constants,
    whole_numbers,
)
from tritonpuzzles.engine.orders import in_other_orders
from tritonpuzzles.engine.passed import with_parameters
from tritonpuzzles.engine.program import SCRATCH, Facts
from tritonpuzzles.engine.replay import Replay
from tritonpuzzles.engine.resources import kernel_resources
from tritonpuzzles.engine.text.kernels import Refused
from tritonpuzzles.engine.watch.inputs import input_findings, kept
from tritonpuzzles.results.check import Finding, LineTraffic, plain
from tritonpuzzles.wire.job import Job
from tritonpuzzles.wire.program import Launch as Step
from tritonpuzzles.wire.program import Other

MOST_VARIANTS = 24  # compiled and told of
ON_CHIP = ("shared-memory-exceeded", "tensor-memory-exceeded")  # an autotuner goes on to the next configuration
USUAL_WARPS = 4  # Triton's own choice
MOST_COMPILED = 1 << 15  # of any size in a launch: compilers are slow with wider tiles and longer unrolled loops


class CpuRunner:
    """The tracing interpreter behind the engine's session.

    Args:
        cache: folder for compile results, or nothing.
    """

    device = "cpu"

    def __init__(self, cache: str | None = None) -> None:
        self._cache = compiled_in(cache)
        self._to_compile: list[Launch] = []
        self._alternatives: list[Launch] = []  # of other configurations

    def place(self, storage: Tensor) -> Tensor:
        """Return a copy; the tracer itself sees what is out of bounds."""
        return storage.clone()

    def reserve(self, elements: int, dtype: torch.dtype) -> Tensor:
        """Return fresh memory."""
        return torch.empty(elements, dtype=dtype)

    def free(self) -> None:
        """Nothing: no allocator keeps it."""

    def run(self, call: Call, inputs: Mapping[str, Tensor], configuration: int = 0) -> Observation:
        """Run a call under the tracer, with one configuration of its autotuners."""
        noted = len(self._to_compile)
        try:
            observation, rounded = self._run(call, inputs, configuration)
            return replace(observation, exact=self._exact(call, inputs, configuration)) if rounded else observation
        except KernelError as error:
            if isinstance(error.__cause__, StaticAssertError):  # an autotuner leaves it out, and so does the compiler
                del self._to_compile[noted:]
            raise

    def try_out(self, call: Call, inputs: Mapping[str, Tensor], configuration: int) -> Observation:
        """Run a call with another of its configurations; it is compiled where the one that counts does not fit."""
        noted = len(self._to_compile)
        try:
            observation, _ = self._run(call, inputs, configuration)
            self._alternatives += self._to_compile[noted:]
            return observation
        finally:
            del self._to_compile[noted:]

    def note(self, call: Call, inputs: Mapping[str, Tensor]) -> None:
        """Keep what the compiler needs of a call that another process runs; an autotuner has one configuration here."""
        Replay(call.facts.program, call.kernels).run(on_cpu(call, inputs), Noted(self._note_launch))

    def _run(self, call: Call, inputs: Mapping[str, Tensor], configuration: int) -> tuple[Observation, bool]:
        """Run a call; return whether float32 products were cut to TF32, too."""
        facts, noted = call.facts, len(self._to_compile)
        before = kept(inputs)
        tracer = Tracer(user_file=str(facts.path))
        memory, launcher = on_cpu(call, inputs), Interpreted(tracer, self._note_launch)
        with patched():
            results = replay(call, tracer, Chosen(configuration).choose).run(memory, launcher)
        arguments = _arguments(tracer.launches)
        stored = any(argument.is_written for argument in arguments)
        loaded = any(argument.loaded_bytes for argument in arguments)
        if stored or loaded or any(launch.programs == 0 for launch in tracer.launches):  # a stub does neither
            for name, tensor in zip(facts.outputs, results, strict=False):
                if isinstance(tensor, Tensor):
                    tracer.check_written(tensor, f"The output {name}")
        traced = zip(tracer.launches, launcher.steps, strict=True)
        launches = [_placed(trace, step, facts, memory) for trace, step in traced]
        rejected: list[Finding] = []
        if call.gpu is not None:
            launches, rejected = with_fits(launches, self._to_compile[noted:], call.gpu, self._cache)
        observation = Observation(
            results=results,
            findings=[
                *facts.findings(),
                *with_parameters(input_findings(before, facts.path, facts.call), tracer.launches, facts, memory),
                *tracer.findings,
                *rejected,
            ],
            traffic=traffic(tracer.launches, facts, memory),
            lines=line_traffic(tracer.launches, facts, memory),
            launches=launches,
            stored=stored,
            scratch=[facts.elements(number) for number in facts.scratch],
            scratch_bytes=facts.scratch_bytes,
            copies=facts.copies,
        )
        if tracer.ordered and not observation.findings:
            observation.orders, races = in_other_orders(call, inputs, configuration, tracer)
            observation.findings += races
        return observation, tracer.rounded_to_tf32

    @staticmethod
    def _exact(call: Call, inputs: Mapping[str, Tensor], configuration: int) -> Sequence[Tensor | Other]:
        """Return what a call gives where tensor cores cut no float32: is it TF32 that is wrong, or something else?"""
        tracer = Tracer(user_file=str(call.facts.path), tf32=False, check_undefined=False)
        program = replay(call, tracer, Chosen(configuration).choose)
        return program.run(on_cpu(call, inputs), Interpreted(tracer))

    def _note_launch(self, kernel: Any, arguments: dict[str, Any], options: dict[str, Any]) -> None:
        """Keep what the compiler needs of a launch, also of one that the interpreter will stop at."""
        function = kernel.function if isinstance(kernel, Refused) else kernel
        if function is not None:
            self._to_compile.append(Launch(function, arguments, options).without_data())

    def compile(self, job: Job, seconds: float, announce: Callable[[str], None]) -> Iterator[dict[str, Any]]:
        """Compile what was launched for the job's targets, once for each kernel, dtype and choice of constants.

        The cheapest come first: when the time is up, what takes longest is left out. Where the job asks for resources:
        every variant, up to `MOST_VARIANTS`.
        """
        targets = [TARGETS[name] for name in job.targets]
        launches = self._to_compile if job.resources else sorted(telling(self._to_compile), key=_cost)
        budget = Budget(seconds)

        def compiled_of(launches: Sequence[Launch]) -> Iterator[Compiled]:
            found = compile_launches(
                launches, targets, self._cache, resources=job.resources, budget=budget, announce=announce
            )
            return islice(found, MOST_VARIANTS)

        for first in compiled_of(launches):
            compiled = first if fits(first) else self._fitting(first, compiled_of)
            results = [outcome.result for outcome in compiled.outcomes if not outcome.skipped]
            used = {"resources": plain(kernel_resources(compiled))} if job.resources else {}
            yield {"results": plain(results), "findings": plain(compiled.findings), **used}

    def _fitting(self, first: Compiled, compiled_of: Callable[[Sequence[Launch]], Iterator[Compiled]]) -> Compiled:
        """Return the first configuration that fits the chip, as an autotuner leaves out those that do not."""
        others = [launch for launch in self._alternatives if _kind(launch) == _kind(first.launch)]
        return next(filter(fits, compiled_of(sorted(others, key=_cost))), first)


def compiled_in(cache: str | None) -> Path:
    """Return the folder of compile results; without a cache, in this process's own folder."""
    return Path(cache or ".") / "compiled"


def fits(compiled: Compiled) -> bool:
    """Return whether every target has what a compiled launch needs on chip."""
    return not any(finding.code in ON_CHIP for finding in compiled.findings)


def telling(launches: Sequence[Launch]) -> list[Launch]:
    """Return the launches worth compiling: of each kernel the largest tiles in every dtype, and the smallest of all.

    Shapes that differ only in what they are divisible by compile alike; what the compiler rejects hangs on dtypes and
    tile sizes. Where a kernel is launched with ordinary sizes in a dtype too, rows of tens of thousands of elements are
    left out: the compiler works for up to a minute on a tile that holds one, or a loop over one that is unrolled, and
    says the same.
    """
    ordinary = {_kind(launch) for launch in launches if _extent(launch) <= MOST_COMPILED}
    largest: dict[tuple[int, tuple[str, ...]], Launch] = {}
    smallest: dict[int, Launch] = {}
    for launch in launches:
        key = _kind(launch)
        kernel, _ = key
        if key in ordinary and _extent(launch) > MOST_COMPILED:
            continue
        largest[key] = max(largest.get(key, launch), launch, key=_constants)
        smallest[kernel] = min(smallest.get(kernel, launch), launch, key=_constants)
    return [*largest.values(), *smallest.values()]


def _dtype(value: Any) -> str:
    """Return what an argument holds: a tensor's dtype, that of a descriptor's tensor, those of a tuple's items."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_dtype, value))})"
    return str(getattr(value.base if isinstance(value, TensorDescriptor) else value, "dtype", ""))


def _kind(launch: Launch) -> tuple[int, tuple[str, ...]]:
    """Return the kernel and the dtypes of its arguments.

    The kernel by its id: hashing one has Triton read it, which fails where it calls a Python function.
    """
    return id(launch.kernel), tuple(map(_dtype, launch.arguments.values()))


def _constants(launch: Launch) -> int:
    """Return the product of a launch's constexpr sizes, which grows with its tiles."""
    names = {parameter.name for parameter in launch.kernel.params if parameter.is_constexpr}
    return math.prod(value for name, value in _numbers(launch) if name in names and value > 0)


def _extent(launch: Launch) -> int:
    """Return the largest whole number among a launch's arguments: sizes, strides and tiles."""
    return max((value for _, value in _numbers(launch)), default=0)


def _numbers(launch: Launch) -> Iterator[tuple[str, int]]:
    return ((name, value) for name, value in launch.arguments.items() if type(value) is int)


def _cost(launch: Launch) -> float:
    """Return what grows with the time that ptxas needs: elements for each warp."""
    warps = launch.options.get("num_warps", launch.arguments.get("num_warps"))
    return _constants(launch) / (warps if isinstance(warps, int) and warps > 0 else USUAL_WARPS)


def _arguments(launches: Sequence[LaunchTrace]) -> list[Any]:
    return [argument for launch in launches for argument in launch.arguments]


def summary(launch: LaunchTrace) -> LaunchSummary:
    """Return what the judge needs to know of a launch."""
    constants = whole_constants(launch.function, launch.bound)
    numbers = whole_numbers(launch.function, launch.bound)
    size = launch.largest_tile
    return LaunchSummary(launch.kernel, launch.line, launch.grid, launch.programs, size, constants, numbers=numbers)


def _placed(launch: LaunchTrace, step: Step, facts: Facts, memory: Memory) -> LaunchSummary:
    """Return what the judge needs to know of a launch, with the calls that led to it and the tensors that it writes."""
    written = [memory.number(argument.storage) for argument in launch.arguments if argument.is_written]
    return replace(summary(launch), calls=step.calls, written=tuple(dict.fromkeys(map(facts.name, written))))


def traffic(launches: Sequence[LaunchTrace], facts: Facts, memory: Memory) -> list[TensorTraffic]:
    """Sum the traffic of all launches by tensor; copies that the host function made count as loads."""
    sums: dict[int, list[Any]] = {}
    for argument in _arguments(launches):
        row = sums.setdefault(memory.number(argument.storage), [argument.name, argument.nbytes, 0, 0, 0])
        row[2] += argument.loaded_bytes
        row[3] += argument.stored_bytes
        row[4] += argument.atomic_bytes
    by_tensor: dict[str, list[Any]] = {}
    for number, (name, nbytes, loaded, stored, atomic) in sums.items():
        tensor = facts.name(number)
        key = tensor if tensor != SCRATCH else f"scratch {name}"
        row = by_tensor.setdefault(key, [name, nbytes, 0, 0, 0, tensor])
        row[2:5] = [row[2] + loaded, row[3] + stored, row[4] + atomic]
    for origin, nbytes in facts.copied_bytes.items():
        if origin in by_tensor:
            by_tensor[origin][2] += nbytes
    return [
        TensorTraffic(name, tensor, nbytes, loaded, stored, atomic)
        for name, nbytes, loaded, stored, atomic, tensor in by_tensor.values()
    ]


def line_traffic(launches: Sequence[LaunchTrace], facts: Facts, memory: Memory) -> list[LineTraffic]:
    """Sum the traffic of all launches by source line and argument."""
    sums: dict[tuple[str, int, str, str], dict[str, int]] = defaultdict(lambda: {"load": 0, "store": 0, "atomic": 0})
    sizes: dict[tuple[str, int, str, str], int] = {}
    for launch in launches:
        arguments = {argument.name: argument for argument in launch.arguments}
        tensors = {name: facts.name(memory.number(argument.storage)) for name, argument in arguments.items()}
        for (file, line, name, operation), nbytes in launch.lines.items():
            key = file, line, name, tensors.get(name, "")
            sums[key][operation] += nbytes
            sizes[key] = arguments[name].nbytes if name in arguments else 0
    return [
        LineTraffic(*key[:3], moved["load"], moved["store"], moved["atomic"], sizes[key] or None, key[3] or None)
        for key, moved in sorted(sums.items())
    ]
