"""Talk to a worker that times: one command, one answer, and no answer is trusted unchecked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeVar

import torch

from tritonpuzzles.decoding.marks import Length
from tritonpuzzles.judge.evidence.cases import Recorded, finding, pieces, tampering
from tritonpuzzles.judge.evidence.fields import MAX_OUTPUTS, SENT, Output, Positive
from tritonpuzzles.judge.verdict.speed import timing
from tritonpuzzles.judge.wording.calls import worded
from tritonpuzzles.judge.wording.launches import Known
from tritonpuzzles.judge.workers import process
from tritonpuzzles.judge.workers.endings import ended
from tritonpuzzles.judge.workers.job import HEADROOM_BYTES, Texts, bounds, granted, seen_device
from tritonpuzzles.judge.workers.process import Worker, WorkerBrokenError, WorkerEndedError, WorkerTimeoutError
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.speed import Timing
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.wire.frames import Frame, ProtocolError
from tritonpuzzles.wire.job import BenchJob
from tritonpuzzles.wire.program import MAX_PROGRAM_BYTES
from tritonpuzzles.wire.reading import read_facts

T = TypeVar("T")
HOPELESS = ("timeout", "tampering")  # a larger size takes longer still, and a file that forged once will forge again
PASSING = ("stage", "confined", "left_out")  # progress reports, which answer no command
FAILURES = {"failed", "case_failed"}
MOST_STAGES = 5  # in one answer
SECONDS = 120.0  # for the import, and for each size: compile, warm up, sample


class TimingFailedError(Exception):
    """A file could not be timed.

    `finding` says why; `lost`: the process is of no more use; `everywhere`: no other size need be tried.
    """

    def __init__(self, found: Finding, lost: bool = False, everywhere: bool = False) -> None:
        super().__init__(found.message)
        self.finding, self.lost, self.everywhere = found, lost, everywhere


class Dialogue:
    """The judge's side of the talk with one engine and with the recorder beside it."""

    def __init__(
        self,
        worker: Worker,  # an engine that was started for the GPU
        job: BenchJob,  # what it times
        timeout: float | None,  # seconds for each answer, or `None` for the default
        file: Submission | None = None,  # the file that is timed; `None` when PyTorch is timed
        recorder: Worker | None = None,  # records the file's host function
        lend: Callable[[Collection[str]], None] = lambda texts: None,  # takes texts that the engine will compile
    ) -> None:
        self._worker, self._job, self._seconds = worker, job, timeout or SECONDS
        self._file, self._recorder, self._lend = file, recorder, lend
        self._texts: Texts | None = None

    def load(self) -> tuple[float, float | None]:
        """Have the file imported; return the GB/s of a large copy and, if the job requests it, a matmul's TFLOP/s.

        Raises:
            TimingFailedError: if the file cannot be loaded.
            WorkerBrokenError: if the worker itself does not work.
        """
        process.await_ready(self._worker)
        self._worker.accept(HEADROOM_BYTES)
        self._answer("done", "while it started", "bench", job=asdict(self._job))
        if self._recorder is not None:
            process.await_ready(self._recorder)
            self._recorder.accept(MAX_PROGRAM_BYTES)
            device = asdict(seen_device("cuda" if torch.cuda.is_available() else "cpu", ()))
            assert self._job.file is not None
            told: dict[str, Any] = {"host": asdict(self._job.host), "bounds": bounds(Path(self._job.file))}
            self._recorder.command("record", file=self._job.file, device=device, cases=[], **told)
            self._listen(self._recorder, "done", "while the file was imported")
        found = self._ceilings(self._answer("copy", "while it started", "load").header)
        return found.gb_per_s, found.matmul_tflop_per_s

    def time(self, point: int) -> tuple[Timing, list[Output], list[Finding]]:
        """Have the file timed at a point; return the timing, the outputs without their data, and a check's findings."""
        assert self._recorder is not None
        self._recorder.command("again", case=point, call=asdict(self._job.case(point)))
        recorded = self._listen(self._recorder, "recorded", self._at(point))
        told = self._read(partial(SENT.read, Recorded), recorded.header)
        assert self._texts is not None
        assert self._job.file is not None
        texts = self._read(self._texts.of, (self._job.file, *told.files))
        self._lend(self._texts.known.values())
        answer = self._answer("timed", self._at(point), "time", recorded.payload, point=point, texts=texts).header
        timed, outputs = self._read(_timed, answer)
        seen = self._read(self._worded, answer["facts"])
        return timed, outputs, [*(self._read(finding, item) for item in told.findings), *seen]

    def checked(
        self, rows: Sequence[int], nbytes: int, look: Callable[[Sequence[bytes]], Finding | None]
    ) -> Finding | None:
        """Fetch some rows of each output of the last timed call, `nbytes` in all; return what `look` finds in them.

        `look` takes one piece of bytes per output. It raises ValueError if the pieces are not those rows.
        """
        self._worker.accept(nbytes + HEADROOM_BYTES)
        frame = self._answer("rows", "when it was asked for its result", "rows", rows=list(rows))
        return self._read(lambda frame: look(pieces(frame)), frame)

    def baselines(self, point: int) -> tuple[float | None, dict[str, Timing]]:
        """Have a copy and the baselines timed at a point; omit a baseline that does not run here."""
        told = self._answer("baselines", self._at(point), "time", point=point).header
        found = self._read(partial(SENT.read, _Baselines), told)
        return found.copy_gb_per_s, {name: self._read(timing, item) for name, item in found.timings.items()}

    def end(self) -> float:
        """Measure a large copy once more and return its GB/s."""
        told = self._answer("copy", "at the end", "end").header
        return self._ceilings({"matmul_tflop_per_s": None, **told}).gb_per_s

    def _ceilings(self, told: dict[str, Any]) -> _Ceilings:
        found: _Ceilings = self._read(partial(SENT.read, _Ceilings), told)
        return found

    def _answer(self, kind: str, during: str, command: str, payload: bytes = b"", **fields: Any) -> Frame:
        """Send the engine a command and return the frame that answers it."""
        self._worker.command(command, payload, **fields)
        return self._listen(self._worker, kind, during)

    def _next(self, worker: Worker) -> Frame:
        """Return the next frame that is not a progress report."""
        for _ in range(MOST_STAGES):
            frame = worker.receive(self._seconds)
            if frame.kind == "confined" and worker is self._recorder and self._texts is None:
                self._texts = Texts(granted(frame.header, Path(str(self._job.file)), worker.folder))
            if frame.kind not in PASSING:
                return frame
        raise ProtocolError(f"more than {MOST_STAGES} stages were reported")

    def _listen(self, worker: Worker, kind: str, during: str) -> Frame:
        """Return the frame of a kind that a process answers with; a "done" frame is itself the whole answer."""
        try:
            frame = self._next(worker)
            if frame.kind not in (kind, *FAILURES):
                raise ProtocolError(f"{frame.header.get('text', frame.kind)!r:.300}")
            if frame.kind != "done" and self._next(worker).kind != "done":
                raise ProtocolError("an answer has no end")
            if frame.kind in FAILURES:
                raise TimingFailedError(self._failure(frame.header), frame.header.get("lost") is True)
            return frame
        except WorkerTimeoutError as error:
            text = f"{self._job.host.call} was not timed within {self._seconds:g} s, {during}."
            step = "A slow kernel, or a slow machine, may need --timeout with more seconds."
            raise self._failed(Finding("timeout", text, file=self._job.file, next_step=step)) from error
        except WorkerEndedError as error:
            found = ended("The process ended", during, error, "no time came back")
            raise self._failed(replace(found, file=self._job.file)) from error
        except (ProtocolError, ValueError, TypeError, KeyError) as error:
            raise self._refused(error) from error

    def _read(self, read: Callable[[Any], T], value: Any) -> T:
        try:
            return read(value)
        except (ValueError, TypeError, KeyError) as error:
            raise self._refused(error) from error

    def _refused(self, error: Exception) -> Exception:
        if self._file is None:
            return WorkerBrokenError(f"PyTorch cannot be timed here: {error}")
        return self._failed(tampering(self._file, str(error)))

    def _failed(self, found: Finding) -> Exception:
        self._worker.kill()
        if self._recorder is not None:
            self._recorder.kill()
        if self._file is None:
            return WorkerBrokenError(found.message)
        return TimingFailedError(found, lost=True, everywhere=found.code in HOPELESS)

    def _failure(self, header: Mapping[str, Any]) -> Finding:
        """Return the finding that a recorder sent, or the one for the fact that an engine sent."""
        if "fact" not in header:
            return finding(header["finding"])
        (found,) = self._worded([header["fact"]])
        return found

    def _worded(self, facts: Any) -> list[Finding]:
        texts = {} if self._texts is None else self._texts.known
        return worded(read_facts(facts), Known(str(self._job.file), self._job.host.call, texts))

    def _at(self, point: int) -> str:
        return f"at shape {' x '.join(str(n) for n in self._job.points[point].shape)}"


@dataclass(frozen=True)
class _Ceilings:
    """Contents of a `copy` frame."""

    gb_per_s: Positive
    matmul_tflop_per_s: Positive | None


@dataclass(frozen=True)
class _Baselines:
    """Contents of a `baselines` frame."""

    copy_gb_per_s: Positive | None
    timings: dict[str, dict[str, Any]]


def _timed(told: dict[str, Any]) -> tuple[Timing, list[Output]]:
    headers = SENT.read(Annotated[list[dict[str, Any]], Length(MAX_OUTPUTS)], told["outputs"])
    outputs = [SENT.read(Output, header, data=b"") for header in headers]
    return timing(told["timing"]), outputs
