"""Run one submission's programs: run each case on memory of this process, then compile its kernels, then time them."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from tritonpuzzles.compiler import TARGETS, Launch
from tritonpuzzles.compiler.build import hurried
from tritonpuzzles.compiler.launch import described
from tritonpuzzles.compiler.source import file_of, first_line
from tritonpuzzles.engine.cpu import CpuRunner, runner_for
from tritonpuzzles.engine.failures import run_failure
from tritonpuzzles.engine.interpreted import interpreted, on_cpu
from tritonpuzzles.engine.interpreter import KernelError
from tritonpuzzles.engine.memory import laid_out, send_rows
from tritonpuzzles.engine.observation import Observation, describe_all, describe_orders, observed
from tritonpuzzles.engine.phantom import launches_of, run_phantom, without_memory_of
from tritonpuzzles.engine.program import Call, configurations, words
from tritonpuzzles.engine.reading import Kernels
from tritonpuzzles.hardware.l2 import L2
from tritonpuzzles.results.check import plain
from tritonpuzzles.wire.drawing import drawn_on
from tritonpuzzles.wire.frames import Send
from tritonpuzzles.wire.job import Job, JobCase, JobInput
from tritonpuzzles.wire.program import Other
from tritonpuzzles.wire.reading import fact_told

TIMES, MOST = 2.0, 3.0  # limits for a changed kernel: a multiple of the case's time, and seconds


class Session:
    """One submission's programs in this process: `storages` are those of the inputs of a job's calls, by key."""

    def __init__(self, job: Job, storages: Mapping[str, Tensor], send: Send) -> None:
        self._job, self._storages, self._send = job, storages, send
        self._path = Path(job.file)
        self._runner = runner_for(job.device)
        self._calls: dict[int, Call] = {}
        self._results: Sequence[Tensor | Other] = ()  # of the last case, if the judge checks only some of its rows
        self._kernels = Kernels()
        self._aside: tuple[Mapping[str, str], Session] | None = None
        self._took: dict[int, float] = {}  # CPU seconds of each case

    def replay(self, index: int, written: bytes, texts: Mapping[str, str], more: float) -> None:
        """Run the program of a case with other source texts of its kernels, and report on it; they are not compiled.

        Later requests to this session might show those texts, so it must be the last one. Its limit is twice the CPU
        time of the case and `more` seconds, at most `MOST`.
        """
        if self._aside is None or self._aside[0] != texts:
            self._aside = texts, Session(self._job, self._storages, self._send)
        self._aside[1].run_once(index, written, texts, min(MOST, TIMES * self._took.get(index, 1.0) + more))

    def run(self, index: int, written: bytes, texts: Mapping[str, str]) -> None:
        """Run the program of a case, and report on it.

        `written` has the program and its kernels, as a recorder wrote them; `texts` that of each file that holds one of
        the kernels, by its path.
        """
        self._send("stage", stage="run", case=index)
        self.run_once(index, written, texts)

    def run_once(self, index: int, written: bytes, texts: Mapping[str, str], seconds: float | None = None) -> None:
        """Run and report like `run`, without announcing the stage; fails if it takes more CPU `seconds` than given."""
        case = self._job.cases[index]
        self._results = ()
        self._runner.free()
        started = time.process_time()
        try:
            with hurried(seconds, computed=True):
                call = self._calls[index] = self._kernels.call(case, self._job.host, self._path, written, texts)
                numbers = self._configurations(call)
                tried, observation = self._first_kept(call, case, numbers)
            outputs, data = self._described(case, observation.results)
            exact, more = describe_all(observation.exact, case.max_output_bytes)
            orders, even_more = describe_orders(observation.orders, case.max_output_bytes)
        except BaseException as error:
            self._failed(error, case=index)
            return
        self._took[index] = time.process_time() - started
        self._send(
            "case",
            data + more + even_more,
            case=index,
            outputs=outputs,
            exact=exact,
            orders=orders,
            seconds=self._took[index],
            configurations=words(call.program, numbers) if len(numbers) > 1 else [],
            configuration=tried,
            **observed(observation),
        )

    def _described(self, case: JobCase, results: Sequence[Tensor | Other]) -> tuple[list[dict[str, Any]], bytes]:
        """Describe results; if the judge checks only some rows, keep them until it requests `rows`."""
        self._results = results if case.drawing is not None else ()
        return describe_all(results, case.max_output_bytes)

    def rows(self, rows: Sequence[int]) -> None:
        """Send some rows of the last results, which were too large to be sent."""
        send_rows(self._send, self._results, rows)
        self._results = ()

    def begin(self, index: int, written: bytes, texts: Mapping[str, str]) -> None:
        """Begin to compile the launches of a case; see `run`, which will report compile errors."""
        case = self._job.cases[index]
        assert not isinstance(self._runner, CpuRunner)  # interpreted launches are compiled afterwards
        with contextlib.suppress(Exception):
            call = self._kernels.call(case, self._job.host, self._path, written, texts)
            self._runner.begin(call, without_memory_of(call, case))

    def note(self, index: int, written: bytes, texts: Mapping[str, str], position: int) -> None:
        """Keep a case's launches for the compiler; another engine has run it, and reported this configuration."""
        case = self._job.cases[index]
        with contextlib.suppress(Exception):  # the other engine has reported it
            call = self._calls[index] = self._kernels.call(case, self._job.host, self._path, written, texts)
            self._note(call, case, self._configurations(call)[position])

    def _note(self, call: Call, case: JobCase, configuration: int = 0) -> None:
        if isinstance(self._runner, CpuRunner):
            memory = without_memory_of(call, case) if case.phantom else on_cpu(call, self.inputs(case))
            run = None if case.phantom else lambda: interpreted(call, self.inputs(case))
            self._runner.note(call, memory, configuration, run)

    def _configurations(self, call: Call) -> list[int]:
        """Return the numbers of the configurations to run; [0] on a GPU, where timing chooses one."""
        return call.configurations if self._runner.device == "cpu" else [0]

    def _first_kept(self, call: Call, case: JobCase, numbers: Sequence[int]) -> tuple[int, Observation]:
        """Run a call with the first configuration that an autotuner does not skip; also return its position."""
        for position, number in enumerate(numbers):
            try:
                if case.noted:
                    return 0, self._noted(call, case)
                if case.phantom:
                    found = run_phantom(call, case, number)
                    self._note(call, case, number)
                    return position, found
                return position, self._runner.run(call, self.inputs(case), number)
            except KernelError as error:
                if not error.is_left_out or position == len(numbers) - 1:
                    raise
        raise AssertionError("a call has one configuration at least")

    def _noted(self, call: Call, case: JobCase) -> Observation:
        """Return the launches of a call that is not run; if resources are requested, note them for the compiler."""
        if self._job.resources:
            for number in range(configurations(call.program)):
                self._note(call, case, number)
        return launches_of(call, case, TARGETS[self._job.targets[0]] if self._job.targets else None)

    def run_configuration(self, index: int, position: int) -> None:
        """Run a case's program again with another of the configurations that `run` reported, and report on it."""
        assert isinstance(self._runner, CpuRunner)  # on a GPU, timing has chosen
        case, call = self._job.cases[index], self._calls[index]
        which: dict[str, Any] = {"case": index, "configuration": position}
        try:
            number = self._configurations(call)[position]
            observation = self._runner.try_out(call, self.inputs(case), number)
            outputs, data = describe_all(observation.results, case.max_output_bytes)
        except BaseException as error:
            if isinstance(error, KernelError) and error.is_left_out:
                self._send("configuration_left_out", **which)
            else:
                self._failed(error, "configuration_failed", **which)
            return
        rest: dict[str, Any] = {"exact": [], "orders": [], "configurations": [], "seconds": 0.0}  # only for the first
        self._send("configuration", data, **which, outputs=outputs, **rest, **observed(observation))

    def _failed(self, error: BaseException, kind: str = "case_failed", **which: Any) -> None:
        fact, lost = run_failure(error, self._path)
        self._send(kind, **which, fact=fact_told(fact), lost=lost)

    def compile(self, seconds: float, each: float) -> None:
        """Compile the launches for the job's targets, in `seconds` for all, and `each` for one launch."""
        self._send("stage", stage="compile")

        def announce(launch: Launch) -> None:
            kernel = launch.kernel
            self._send("compiling", launch=described(launch), file=file_of(kernel), line=first_line(kernel))

        assert isinstance(self._runner, CpuRunner)  # on a GPU, launches are compiled already
        for outcome in self._runner.compile(self._job, seconds, each, announce):
            self._send("compiled", **outcome)

    def inputs(self, case: JobCase) -> dict[str, Tensor]:
        """Return fresh arguments of a case, on the job's device."""
        if case.drawing is not None:
            drawn = drawn_on(torch.device(self._runner.device), case.drawing)
            return {item.name: laid_out(drawn.pop(item.name), item, self._runner.reserve) for item in case.inputs}
        return {item.name: self._input(item) for item in case.inputs}

    def _input(self, item: JobInput) -> Tensor:
        storage = self._storages[item.key]
        if item.far_stride is not None:
            values = storage.view(item.shape) if item.stride[-1] == 1 else storage.view(item.shape[::-1]).mT
            return self._runner.apart(values, item)
        placed = self._runner.place(storage)
        return placed.as_strided(item.shape, item.stride, placed.storage_offset() + item.offset)

    def benchmark(self) -> None:
        """Time a recorded call and its baselines on the GPU."""
        from tritonpuzzles.engine.measure import measure

        spec = self._job.benchmark
        assert spec is not None
        self._send("stage", stage="benchmark")
        case = self._job.cases[spec.case]
        try:
            measured = measure(self._calls[spec.case], self.inputs(case), self._job.host, case.values, spec)
            outputs, data = self._described(case, measured.pop("results"))
        except BaseException as error:
            self._failed(error, case=spec.case)
            return
        self._send("benchmark", data, measured=plain(measured), outputs=outputs)

    def picture(self, index: int) -> None:
        """Run one case again, on the CPU, and send every access to memory."""
        from tritonpuzzles.engine.once_more import accesses

        self._again("picture", index, self.inputs, accesses)

    def cache(self, index: int, l2: dict[str, Any], times: float, per_multiprocessor: dict[str, int]) -> None:
        """Run one case again, on the CPU, and send its DRAM traffic behind an L2 cache."""
        from tritonpuzzles.engine.cached import Setting, cached

        setting = Setting(L2(**l2), times, per_multiprocessor)

        def run(call: Call, inputs: dict[str, Tensor]) -> tuple[dict[str, Any], bytes]:
            return {"traffic": plain(cached(call, inputs, setting))}, b""

        self._again("cache", index, self.inputs, run)

    def states(self, index: int) -> None:
        """Run one case again, on the CPU, and send the values of its kernels' variables."""
        from tritonpuzzles.engine.once_more import states

        self._again("states", index, self._on_cpu, states)

    def _again(
        self,
        kind: str,
        index: int,
        inputs: Callable[[JobCase], dict[str, Tensor]],
        run: Callable[[Call, dict[str, Tensor]], tuple[dict[str, Any], bytes]],
    ) -> None:
        self._send("stage", stage=kind, case=index)
        try:
            fields, data = run(self._calls[index], inputs(self._job.cases[index]))
        except BaseException as error:
            self._failed(error, case=index)
            return
        self._send(kind, data, **fields)

    def _on_cpu(self, case: JobCase) -> dict[str, Tensor]:
        """Return fresh arguments in CPU memory, whatever device the job is for."""
        return {
            item.name: self._storages[item.key].clone().as_strided(item.shape, item.stride, item.offset)
            for item in case.inputs
        }
