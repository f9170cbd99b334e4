"""Run one submission in one worker and gather the evidence. Decides nothing."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from safetensors.torch import save_file

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.job import STORAGES_FILE, Job, JobBenchmark, JobCase, JobInput, write_job
from tritonpuzzles.judge.evidence import (
    CaseEvidence,
    Evidence,
    case_evidence,
    compile_result,
    finding,
    outputs,
    tampering,
)
from tritonpuzzles.judge.inputs import DrawnCase
from tritonpuzzles.judge.inspected import inspected_kernel
from tritonpuzzles.judge.pictured import MAX_PAYLOAD, pictured_launches
from tritonpuzzles.judge.process import Worker, WorkerEndedError, WorkerTimeoutError, await_ready
from tritonpuzzles.protocol import Frame, ProtocolError
from tritonpuzzles.results import Finding, renamed

SECONDS = {"import": 60.0, "run": 60.0, "compile": 180.0, "benchmark": 180.0}
HEADROOM_BYTES = 1 << 20

Progress = Callable[[str], None]


@dataclass
class Trial:
    """One file on one device.

    Attributes:
        puzzle, path: what is tried.
        device: "cpu" or "cuda".
        cases: drawn for this run.
        timeout: seconds for each stage, or `None` for the defaults.
        resources: also ask what the compiled kernels use.
        copied_to: where the worker finds the file if its own name does not do.
        on_case: called with each case that gave a result, as soon as it is told of.
    """

    puzzle: Puzzle
    path: Path
    device: str
    cases: Sequence[DrawnCase]
    timeout: float | None
    progress: Progress
    targets: tuple[str, ...] = ()
    cache: Path | None = None
    resources: bool = False
    copied_to: str | None = None
    on_case: Callable[[DrawnCase, CaseEvidence], None] = lambda drawn, evidence: None

    @property
    def benchmark_case(self) -> int | None:
        """Index of the case that is timed, where this device has it."""
        spec = self.puzzle.benchmark
        names = [drawn.name for drawn in self.cases]
        return names.index(spec.case) if spec is not None and spec.case in names else None

    @property
    def call(self) -> str:
        """The host function as messages name it: "softmax(x)"."""
        return f"{self.puzzle.host}({', '.join(self.puzzle.arguments)})"

    def gather(self, worker: Worker) -> Evidence:
        """Run every case in the worker, and return what it told.

        Raises:
            WorkerBrokenError: if the worker never became ready.
        """
        await_ready(worker)
        evidence = Evidence()
        worker.accept(max_payload_bytes(self.cases))
        self._write(worker.folder)
        worker.command(command="run", job=str(worker.folder))
        self._follow(worker, evidence)
        evidence.output = worker.output
        return evidence

    def measure(self, worker: Worker, evidence: Evidence) -> None:
        """Ask a worker that has run every case for timings, and add them to the evidence."""
        worker.command(command="benchmark")
        self._follow(worker, evidence)

    def picture(self, worker: Worker, index: int) -> Evidence:
        """Ask a worker that has run every case to run one again and tell of every access; return what it told."""
        evidence = Evidence()
        worker.accept(MAX_PAYLOAD)
        worker.command(command="picture", case=index)
        self._follow(worker, evidence)
        return evidence

    def _write(self, folder: Path) -> None:
        names = [drawn.name for drawn in self.cases]
        storages: dict[str, torch.Tensor] = {}
        cases = []
        for index, drawn in enumerate(self.cases):
            items = []
            for name, layout in zip(self.puzzle.arguments, drawn.inputs, strict=True):
                storages[f"{index}.{name}"] = layout.storage
                place = layout.shape, layout.stride, layout.offset, layout.row_stride
                items.append(JobInput(name, f"{index}.{name}", *place))
            after = names.index(drawn.case.after) if drawn.case.after in names else None
            cases.append(JobCase(drawn.name, tuple(items), output_bytes(drawn), after))
        benchmark = None
        if self.benchmark_case is not None and self.puzzle.benchmark is not None:
            spec = self.puzzle.benchmark
            benchmark = JobBenchmark(self.benchmark_case, spec.baselines, not spec.memory_bound)
        cache = str(self.cache) if self.cache else None
        save_file(storages, folder / STORAGES_FILE)
        write_job(
            folder,
            Job(
                str(self._file_in(folder)),
                self.puzzle.host,
                self.call,
                self.device,
                tuple(cases),
                self.targets,
                cache,
                benchmark,
                self.resources,
            ),
        )

    def _file_in(self, folder: Path) -> Path:
        """Return the file as the worker opens it: a copy where ptxas could not read its name."""
        if (self.path.name.isascii() and '"' not in str(self.path)) or not self.path.is_file():
            return self.path
        copy = folder / f"{self.puzzle.stem}.py"
        shutil.copyfile(self.path, copy)
        self.copied_to = str(copy)
        return copy

    def _follow(self, worker: Worker, evidence: Evidence) -> None:
        """Take frames until the worker is done, or something ends it."""
        stage, case = "import", None
        budget = len(self.cases) * 4 + 64  # frames; a flood is as bad as silence
        try:
            for _ in range(budget):
                frame = self._with_own_name(worker.receive(self._seconds(stage)))
                if frame.kind == "done":
                    return
                if frame.kind == "stage":
                    stage, case = str(frame.header["stage"]), self._case_index(frame)
                    self.progress(self._progress_line(stage, case))
                else:
                    self._take(frame, evidence)
            raise ProtocolError(f"more than {budget} messages came")
        except WorkerTimeoutError:
            evidence.failure = self._timed_out(stage, case)
            worker.kill()
        except WorkerEndedError as error:
            evidence.failure = self._ended(stage, case, error.returncode)
        except (ProtocolError, ValueError, TypeError, KeyError) as error:
            evidence.failure = tampering(self.path, str(error))
            worker.kill()

    def _with_own_name(self, frame: Frame) -> Frame:
        if self.copied_to is None:
            return frame
        return replace(frame, header=renamed(frame.header, self.copied_to, str(self.path)))

    def _seconds(self, stage: str) -> float:
        return self.timeout if self.timeout is not None else SECONDS.get(stage, 60.0)

    def _case_index(self, frame: Frame) -> int | None:
        index = frame.header.get("case")
        if index is None:
            return None
        if not isinstance(index, int) or not 0 <= index < len(self.cases):
            raise ValueError(f"there is no case {index!r}")
        return index

    def _take(self, frame: Frame, evidence: Evidence) -> None:
        header = frame.header
        if frame.kind in ("case", "case_failed"):
            index = self._case_index(frame)
            if index is None or (index in evidence.cases and frame.kind == "case"):
                raise ValueError("a case came twice, or without its number")
        match frame.kind:
            case "case":
                evidence.cases[header["case"]] = told = case_evidence(frame)
                self.on_case(self.cases[header["case"]], told)
            case "case_failed":
                evidence.cases[header["case"]] = CaseEvidence(failure=finding(header["finding"]))
            case "failed":
                evidence.failure = finding(header["finding"])
            case "compiled":
                evidence.compiled += [compile_result(item) for item in header["results"]]
                evidence.compile_findings += [finding(item) for item in header["findings"]]
                if self.resources:
                    evidence.inspected.append(inspected_kernel(header["inspected"]))
            case "benchmark":
                evidence.measured = header["measured"]
                evidence.timed_outputs = outputs(header["outputs"], frame.payload)
            case "picture":
                evidence.pictured = pictured_launches(frame)
            case kind:
                raise ValueError(f"a message of unknown kind {kind!r}")

    def _progress_line(self, stage: str, case: int | None) -> str:
        name = f"p{self.puzzle.number:02d} {self.puzzle.slug} on the {'GPU' if self.device == 'cuda' else 'CPU'}"
        if case is None:
            return f"{name}: {stage}"
        return f"{name}: {self.cases[case].name} ({case + 1} of {len(self.cases)})"

    def _during(self, stage: str, case: int | None) -> str:
        if case is None:
            return {"import": f"while {self.path.name} was imported"}.get(stage, f"during the {stage}")
        drawn = self.cases[case]
        return f'in case "{drawn.name}", shape {"x".join(str(n) for n in drawn.shape)}'

    def _timed_out(self, stage: str, case: int | None) -> Finding:
        seconds = self._seconds(stage)
        return Finding(
            "timeout",
            f"{self.call} did not finish within {seconds:g} s, {self._during(stage, case)}.",
            file=str(self.path),
            case=None if case is None else self.cases[case].name,
            next_step="Look for a loop that never ends; a slow machine may need --timeout with more seconds.",
        )

    def _ended(self, stage: str, case: int | None, returncode: int | None) -> Finding:
        name = None if case is None else self.cases[case].name
        during = self._during(stage, case)
        if returncode is not None and returncode < 0:
            text = f"The process was killed by {signal.Signals(-returncode).name} {during}."
            return Finding("crash", text, file=str(self.path), case=name)
        how = f"with exit code {returncode}" if returncode is not None else "by closing its channel"
        text = f"The file ended its process {how} {during}; no result came back."
        step = "Return a tensor; never exit."
        return Finding("exit", text, file=str(self.path), case=name, next_step=step)


def output_bytes(drawn: DrawnCase) -> int:
    """Return how many bytes the right outputs of a case have."""
    return sum(golden.numel() for golden in drawn.golden) * drawn.dtype.itemsize


def max_payload_bytes(cases: Sequence[DrawnCase]) -> int:
    """Return the largest frame that an honest worker sends."""
    return max((output_bytes(drawn) for drawn in cases), default=0) + HEADROOM_BYTES
