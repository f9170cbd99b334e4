"""Run recorded calls on the CPU, every kernel interpreted and traced."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from tritonpuzzles.compiler import TARGETS, Announce, Budget, Launch
from tritonpuzzles.engine.at_once import with_fits
from tritonpuzzles.engine.cached import behind_l2
from tritonpuzzles.engine.compiled import Interpretations, Run, Variants
from tritonpuzzles.engine.interpreted import (
    Interpreted,
    after_tuning,
    in_other_orders,
    on_cpu,
    replay,
    tuned_in_place,
)
from tritonpuzzles.engine.interpreter import KernelError, LaunchTrace, Tracer
from tritonpuzzles.engine.interpreter.batch import Order
from tritonpuzzles.engine.interpreter.language import patched
from tritonpuzzles.engine.interpreter.phantom import Pieces
from tritonpuzzles.engine.interpreter.storage import identity
from tritonpuzzles.engine.memory import Memory
from tritonpuzzles.engine.observation import Observation
from tritonpuzzles.engine.program import SCRATCH, Call
from tritonpuzzles.engine.reading import placed
from tritonpuzzles.engine.replay import Replay, always
from tritonpuzzles.engine.text.kernels import Refused
from tritonpuzzles.engine.watch import changed_inputs, kept
from tritonpuzzles.results.traffic import LineTraffic
from tritonpuzzles.wire.facts import CallFact, Passed, Said
from tritonpuzzles.wire.frames import KEPT_FOLDERS
from tritonpuzzles.wire.job import Job, JobInput
from tritonpuzzles.wire.observed import TensorTraffic
from tritonpuzzles.wire.program import Other

if TYPE_CHECKING:
    from tritonpuzzles.engine.cuda import CudaRunner

COMPILED = Path(KEPT_FOLDERS[0])  # in this process's own folder


class CpuRunner:
    """The tracing interpreter behind the engine's session; `cache` is a folder for compile results."""

    device = "cpu"
    reserve = staticmethod(torch.empty)

    def __init__(self, cache: Path = COMPILED) -> None:
        self._cache = cache
        self._to_compile: list[Launch] = []
        self._alternatives: list[Launch] = []  # of other configurations
        self._apart: list[tuple[Tensor, Pieces]] = []  # inputs of this case
        self._interpreted = Interpretations()

    def place(self, storage: Tensor) -> Tensor:
        """Return a copy, without guard zones: the tracer detects accesses out of bounds."""
        return storage.clone()

    def apart(self, values: Tensor, item: JobInput) -> Tensor:
        """Return an input whose rows, or columns, lie far apart: it has no memory, and tracers get its values."""
        whole = torch.empty(item.storage_bytes // values.element_size(), dtype=values.dtype, device="meta")
        tensor = whole.as_strided(item.shape, item.stride, item.offset)
        self._apart.append((tensor, Pieces(values if item.stride[-1] == 1 else values.mT, max(item.stride))))
        return tensor

    def free(self) -> None:
        """Forget the inputs of the last case."""
        self._apart = []

    def _tracer(self, call: Call, order: Order | None = None, exact: bool = False) -> Tracer:
        pieces = {identity(tensor.untyped_storage()): numbers for tensor, numbers in self._apart}
        again = exact or order is not None
        return Tracer(
            footprints=call.cached and not again,
            user_file=str(call.path),
            tf32=not exact,
            check_undefined=not again,
            pieces=pieces,
            order=order,
        )

    def run(self, call: Call, inputs: Mapping[str, Tensor], configuration: int = 0) -> Observation:
        """Run a call under the tracer, with a configuration of its autotuners; a kernel's exceptions pass through."""
        noted = len(self._to_compile)
        try:
            observation, rounded = self._run(call, inputs, configuration)
            return replace(observation, exact=self._exact(call, inputs, configuration)) if rounded else observation
        except KernelError as error:
            if error.is_left_out:  # by an autotuner, and so by the compiler
                del self._to_compile[noted:]
            raise

    def try_out(self, call: Call, inputs: Mapping[str, Tensor], configuration: int) -> Observation:
        """Run a call with another of its configurations, which is compiled if the judged one does not fit."""
        noted = len(self._to_compile)
        try:
            observation, _ = self._run(call, inputs, configuration)
            self._alternatives += self._to_compile[noted:]
            return observation
        finally:
            del self._to_compile[noted:]

    def note(self, call: Call, memory: Memory, configuration: int = 0, run: Run | None = None) -> None:
        """Keep the launches of a call for the compiler, without running it: a phantom or another process runs it.

        `run` runs it here, if no other call answers the questions in its static code; `None` if that is impossible.
        """
        noted = len(self._to_compile)
        numbers = self._tracer(call).numbers
        program = Replay(call.program, call.kernels, always(configuration), numbers=numbers)
        program.run(memory, lambda kernel, arguments, options, step: self._note_launch(kernel, arguments, options))
        if run is not None:
            self._interpreted.later(self._to_compile[noted:], run)

    def _run(self, call: Call, inputs: Mapping[str, Tensor], configuration: int) -> tuple[Observation, bool]:
        """Run a call; also return whether float32 products were rounded to TF32."""
        noted = len(self._to_compile)
        before = kept(inputs, call.mutates)
        tracer = self._tracer(call)
        memory, launcher = on_cpu(call, inputs), Interpreted(tracer, self._note_launch)
        with patched():
            results = replay(call, tracer, configuration).run(memory, launcher)
        arguments = _arguments(tracer.launches)
        written = {memory.number(argument.storage) for argument in arguments if argument.is_written}
        for number, (name, tensor) in enumerate(zip(call.outputs, results, strict=False)):
            if isinstance(tensor, Tensor) and call.is_for_kernels(number, written):
                tracer.check_written(tensor, name)
        self._interpreted.add(self._to_compile[noted:], tracer.launches)
        traced = zip(tracer.launches, launcher.steps, strict=True)
        launches = [placed(trace, step, call, memory) for trace, step in traced]
        rejected: list[Said] = []
        if call.gpu is not None:
            answers = [trace.answers for trace in tracer.launches]
            launches, rejected = with_fits(launches, self._to_compile[noted:], answers, call.gpu, self._cache)
        observation = Observation(
            results=results,
            facts=[
                *call.faults(),
                *with_parameters(changed_inputs(before), tracer.launches, call, memory),
                *tracer.facts,
                *rejected,
            ],
            traffic=traffic(tracer.launches, call, memory),
            lines=line_traffic(tracer.launches, call, memory),
            launches=launches,
            stored=any(argument.is_written for argument in arguments),
            scratch=call.scratch(written),
            copies=call.copies,
            cache=behind_l2(call, memory, tracer.launches, launches) if call.cached else None,
        )
        if tracer.ordered and not observation.facts:
            observation.orders, races = in_other_orders(
                call, inputs, configuration, tracer.ordered, partial(self._tracer, call)
            )
            observation.facts += races
        place = None if observation.facts else tuned_in_place(call, tracer.launches, launcher.steps)
        if place is not None:
            again = after_tuning(call, inputs, configuration, place, self._tracer(call, exact=True))
            observation.orders = [*observation.orders, again]
        return observation, tracer.rounded_to_tf32

    def _exact(self, call: Call, inputs: Mapping[str, Tensor], configuration: int) -> Sequence[Tensor | Other]:
        """Return a call's results without TF32 rounding, to tell whether TF32 or something else makes them wrong."""
        tracer = self._tracer(call, exact=True)
        return replay(call, tracer, configuration).run(on_cpu(call, inputs), Interpreted(tracer))

    def _note_launch(self, kernel: Any, arguments: dict[str, Any], options: dict[str, Any]) -> None:
        """Keep a launch for the compiler, even if the interpreter will fail on it."""
        function = kernel.function if isinstance(kernel, Refused) else kernel
        if function is not None:
            self._to_compile.append(Launch(function, arguments, options).without_data())

    def compile(self, job: Job, seconds: float, each: float, announce: Announce) -> Iterator[dict[str, Any]]:
        """Compile the launches for the job's targets; yield results and findings as fields of a frame.

        If the job requests resources, every variant is compiled completely. Launches that are left after `seconds` for
        all are reported, not compiled; `each` limits one launch on one target. `announce` is called with each before.
        """
        targets = [TARGETS[name] for name in job.targets]
        budget = Budget(seconds, each)
        variants = Variants(
            self._to_compile, self._alternatives, targets, self._cache, budget, announce, self._interpreted
        )
        return variants.inspected() if job.resources else variants.compiled()


def runner_for(device: str) -> CpuRunner | CudaRunner:
    """Return the runner of a device, "cpu" or "cuda"; the module for the GPU is imported only for "cuda"."""
    if device == "cuda":
        from tritonpuzzles.engine.cuda import CudaRunner

        return CudaRunner()
    return CpuRunner()


def _arguments(launches: Sequence[LaunchTrace]) -> list[Any]:
    return [argument for launch in launches for argument in launch.arguments]


def traffic(launches: Sequence[LaunchTrace], call: Call, memory: Memory) -> list[TensorTraffic]:
    """Sum the traffic of all launches by tensor; copies that the host function made count as loads."""
    rows: dict[str, list[Any]] = {}
    first_names: dict[int, str] = {}
    for argument in _arguments(launches):
        number = memory.number(argument.storage)
        name, tensor = first_names.setdefault(number, argument.name), call.name(number)
        key = tensor if tensor != SCRATCH else f"scratch {name}"
        row = rows.setdefault(key, [name, tensor, argument.nbytes, 0, 0, 0])
        row[3] += argument.loaded_bytes
        row[4] += argument.stored_bytes
        row[5] += argument.atomic_bytes
    for origin, nbytes in call.copied_bytes.items():
        rows.setdefault(origin, [origin, origin, nbytes, 0, 0, 0])[3] += nbytes
    return [TensorTraffic(*row) for row in rows.values()]


def line_traffic(launches: Sequence[LaunchTrace], call: Call, memory: Memory) -> list[LineTraffic]:
    """Sum the traffic of all launches by source line and argument."""
    sums: dict[tuple[str, int, str, str], Counter[str]] = defaultdict(Counter)
    sizes: dict[tuple[str, int, str, str], int] = {}
    for launch in launches:
        arguments = {argument.name: argument for argument in launch.arguments}
        tensors = {name: call.name(memory.number(argument.storage)) for name, argument in arguments.items()}
        for (file, line, name, operation), nbytes in launch.lines.items():
            key = file, line, name, tensors.get(name, "")
            sums[key][operation] += nbytes
            sizes[key] = arguments[name].nbytes if name in arguments else 0
    return [
        LineTraffic(*key[:3], moved["load"], moved["store"], moved["atomic"], sizes[key] or None, key[3] or None)
        for key, moved in sorted(sums.items())
    ]


def with_parameters(
    changed: Sequence[CallFact], launches: Sequence[LaunchTrace], call: Call, memory: Memory
) -> list[CallFact]:
    """Add to facts about changed inputs the launch that passes each to a parameter that is written."""
    stored = {
        call.name(memory.number(argument.storage)): (launch, argument.name)
        for launch in reversed(launches)
        for argument in launch.arguments
        if argument.is_written
    }
    return [replace(one, passed=_passed(*stored[one.name])) if one.name in stored else one for one in changed]


def _passed(launch: LaunchTrace, parameter: str) -> Passed:
    stores = (line for _, line, argument, operation in launch.lines if (argument, operation) == (parameter, "store"))
    return Passed(launch.kernel, parameter, launch.line, next(stores, None))
