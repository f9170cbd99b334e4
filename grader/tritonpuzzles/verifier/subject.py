"""The function under test: its file, its parameters, and the recorder that calls it.

A function that exists in this process (a lambda, a method, one defined in a test) is called by a recorder in this
process. That recorder accepts the same commands as one in a separate process and answers in the same frames. It runs
the user's own code unsandboxed. If PyTorch may compute in the function, its calls are recorded before they are judged.
"""

from __future__ import annotations

import contextlib
import inspect
import json
import linecache
import re
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from torch import Tensor

from tritonpuzzles.curriculum.record import Task
from tritonpuzzles.judge.drawn import DrawnCase, Layout
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.judge.workers.crew import Start
from tritonpuzzles.judge.workers.job import host_of, job_cases, seen_device
from tritonpuzzles.judge.workers.process import Worker, WorkerEndedError, nothing
from tritonpuzzles.recorder.call import HostCall
from tritonpuzzles.recorder.kernels import KernelTable
from tritonpuzzles.recorder.launches import Launches
from tritonpuzzles.recorder.session import Session, call_failure
from tritonpuzzles.recorder.stand_ins import Operations, present, unwrapped
from tritonpuzzles.results.check import Finding, plain
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.results.trace import HostOperation
from tritonpuzzles.sandbox import Scratch
from tritonpuzzles.verifier.calls import Callee, Parameters, VerifyError, parameters, split
from tritonpuzzles.verifier.computing import EagerRecording, StoppedByKernelError
from tritonpuzzles.verifier.gpu import standing_in
from tritonpuzzles.verifier.places import put
from tritonpuzzles.wire.fields import COMMANDED
from tritonpuzzles.wire.frames import Frame
from tritonpuzzles.wire.job import COMPUTED, Device, JobCase, JobHost
from tritonpuzzles.wire.program import Program


class LocalRecorder:
    """Records one function's calls in this process; `objects` are arguments that cases name by their numbers.

    Output is printed as usual, and times would not be the function's own: so `output` is empty, and `computed` is 0. A
    copy of the file may be placed in its folder.
    """

    output = parents_words = ""
    computed = 0.0
    is_waiting = True

    def __init__(self, function: Callable[..., Any], objects: Sequence[Any]) -> None:
        self._function, self._objects = function, objects
        self._scratch = Scratch()
        self.folder = self._scratch.path
        self.on_end = nothing
        self._frames = deque([Frame({"kind": "ready", "holds": [], "missing": [], "unusable": None})])

    def accept(self, max_payload_bytes: int) -> None:
        """Accept the limit of a frame's size; commands to this recorder need none."""

    def command(self, kind: str, payload: bytes = b"", **told: Any) -> None:
        """Execute a command of the judge at once; the answers are queued for `receive`."""
        assert kind == "record", kind
        told = json.loads(json.dumps(told))  # as it would come through a pipe
        folders = [str(path) for path in map(Path, sys.path) if path.is_dir()]
        self._send("confined", holds=[], missing=[], python=folders, walled=[])
        device, host = COMMANDED.read(Device, told["device"]), COMMANDED.read(JobHost, told["host"])
        session = Session(told["file"], host, device, self._send, self._function, self._objects)
        for index, case in enumerate(told["cases"]):
            self._record(session, index, COMMANDED.read(JobCase, case))
        self._send("done")

    def _record(self, session: Session, index: int, case: JobCase) -> None:
        session.record(index, case)

    def _send(self, kind: str, payload: bytes = b"", **fields: Any) -> None:
        for file in fields.get("files", ()):
            written(Path(file))
        self._frames.append(Frame(json.loads(json.dumps({"kind": kind, **fields})), payload))

    def receive(self, seconds: float) -> Frame:
        """Return the next frame; raises WorkerEndedError if none is left."""
        if not self._frames:
            raise WorkerEndedError(None)
        return self._frames.popleft()

    def kill(self) -> None:
        """Drop all frames."""
        self._frames.clear()

    def dismiss(self) -> None:
        """Do nothing: there is no process to wait for."""

    def close(self) -> None:
        """Remove the folder; may be called twice."""
        self.kill()
        self._scratch.remove()


@dataclass(frozen=True)
class EagerCall:
    """One call, recorded."""

    payload: bytes = b""  # program and kernels, as a recorder sends them
    files: tuple[str, ...] = ()  # the kernels' files
    # tensors that PyTorch computed, by the names that they have among the inputs
    computed: Mapping[str, Tensor] = field(default_factory=dict)
    operations: tuple[HostOperation, ...] = ()  # PyTorch's, with the bytes that they moved
    failure: Finding | None = None  # what ended the call, if anything did


class Eager:
    """Records the calls of one function, on a fake GPU, before an engine runs them.

    `calls` are as they were recorded, by the name of the case.
    """

    def __init__(self, function: Callable[..., Any], file: Path, gpu: Device, objects: Sequence[Any]) -> None:
        self._function, self._file, self._gpu, self._objects = function, file, gpu, objects
        self.calls: dict[str, EagerCall] = {}
        self._given: dict[str, Mapping[str, Tensor]] = {}  # tensors of the calls that a user gave

    def recorded(self, task: Task, drawn: DrawnCase) -> DrawnCase:
        """Record a case, and return it with what PyTorch computed in it."""
        (case,) = job_cases([drawn], [None])
        found = self.calls[drawn.name] = self._call(host_of(task), case, self._tensors(drawn))
        return replace(drawn, beside={name: Layout.of(tensor) for name, tensor in found.computed.items()})

    def _call(self, host: JobHost, case: JobCase, tensors: Mapping[str, Tensor]) -> EagerCall:
        """Call the function on real tensors, and return what was recorded."""
        gpu, file, table = self._gpu, self._file, KernelTable()
        recording = EagerRecording(str(file), host.call, table, tensors)
        launches = Launches(recording, gpu)
        results: Sequence[Any] = ()
        try:
            with present(gpu), standing_in(lambda tensor: None), unwrapped(), launches.active(), Operations(recording):
                for tensor in tensors.values():
                    put(tensor, True)
                results = HostCall(self._function, host, case, file, self._objects)(tensors)
            program = recording.program(results)
        except StoppedByKernelError:
            program = Program(tuple(recording.steps), ())
        except BaseException as error:
            return EagerCall(failure=call_failure(error, recording, file, host.call))
        told, computed = recording.finished(program)
        kernels = table.described()
        return EagerCall(
            json.dumps({"program": told, "kernels": kernels}).encode(),
            tuple(sorted({str(kernel["file"]) for kernel in kernels})),
            {f"{COMPUTED}{number}": tensor for number, tensor in enumerate(computed)},
            tuple(recording.operations),
        )

    def _tensors(self, drawn: DrawnCase) -> Mapping[str, Tensor]:
        """Return the tensors of a case: copies, or those of the case whose memory it shares."""
        known = self._given.get(drawn.case.after or "")
        if known is None:
            copies = {name: replace(item, storage=item.storage.clone()) for name, item in drawn.tensors.items()}
            known = {name: layout.tensor() for name, layout in copies.items()}
            if not drawn.case.why:
                self._given[drawn.name] = known
        for name, layout in drawn.tensors.items():
            known[name].untyped_storage().copy_(layout.storage.untyped_storage())
        return known


class EagerRecorder(LocalRecorder):
    """Sends the frames of calls that were recorded before."""

    def __init__(self, eager: Eager) -> None:
        super().__init__(_never, ())
        self._eager = eager

    def _record(self, session: Session, index: int, case: JobCase) -> None:
        self._send("stage", stage="run", case=index)
        found = self._eager.calls[case.name]
        if found.failure is not None:
            self._send("case_failed", case=index, finding=plain(found.failure), lost=False)
            return
        told = {"files": list(found.files), "findings": [], "operations": plain(list(found.operations)), "passed": []}
        self._send("recorded", found.payload, case=index, **told)


def _never(*args: Any) -> Any:
    raise AssertionError("what was recorded already is not called again")


@dataclass(frozen=True)
class Subject:
    """A function under test."""

    name: str  # for messages
    file: Submission  # the function's file
    callee: Callee  # what is called
    start: Start  # starts a worker: part, device
    # takes each case before any is run; see `Verification`
    recorded: Callable[[Task, DrawnCase], DrawnCase] = lambda task, drawn: drawn
    objects: Sequence[Any] = ()  # arguments that stay in this process


def subject_of(function: Callable[..., Any] | str, options: CheckOptions, eager: bool) -> Subject:
    """Return a function as the subject of a verification, in which PyTorch may compute if it is `eager`.

    A function named as "file.py:name" is imported by a separate, sandboxed process, never by this one. Raises
    VerifyError if there is no such function, if it has no file, or if it is named and `eager`, which needs this
    process to import it.
    """
    if isinstance(function, str):
        path, name = split(function)
        if eager:
            raise VerifyError(
                f'With host="eager", {name} runs in this process: import it, and pass the function itself.'
            )
        return Subject(name, Submission.of(path), Callee(name, parameters(path, name)), Worker)
    objects: list[Any] = []
    name = re.sub(r"\W+", "_", getattr(function, "__name__", type(function).__name__).strip("<>")) or "function"
    file, callee = _file_of(function), Callee(name, Parameters.of(function), objects)
    if not eager:
        start = _here(lambda: LocalRecorder(function, objects))
        return Subject(name, Submission.of(file), callee, start, objects=objects)
    gpu = seen_device("cpu", options.targets)
    calls = Eager(function, Submission.of(file).opened, gpu, objects)
    return Subject(name, Submission.of(file), callee, _here(lambda: EagerRecorder(calls)), calls.recorded, objects)


def _here(recorder: Callable[[], LocalRecorder]) -> Start:
    """Return a function that starts workers, the recorder in this process, where Ctrl-C ends it as anything else."""

    def start(part: str, device: str, **how: Any) -> Any:
        return recorder() if part == "recorder" else Worker(part, device, **how)

    return start


def _file_of(function: Callable[..., Any]) -> Path:
    """Return the file of a function, or of the function that it wraps."""
    inner = inspect.unwrap(function)
    while isinstance(inner, partial):
        inner = inner.func
    held = inner if inspect.isroutine(inner) else type(inner)
    with contextlib.suppress(TypeError, OSError):  # it is not Python's, or typed somewhere
        file = written(Path(inspect.getsourcefile(held) or inspect.getfile(held)))
        if file.is_file():
            return file
    raise VerifyError(f"{held.__name__} stands in no Python file: save it as a module, or use a notebook.")


def files_of(recorder: LocalRecorder, file: Submission, task: Task, drawn: DrawnCase) -> list[str]:
    """Return the files of the kernels of one call; none if the call cannot be recorded."""
    gpu, (case,) = seen_device("cpu", ()), job_cases([drawn], [None])
    told: dict[str, Any] = {"host": asdict(host_of(task)), "device": asdict(gpu), "cases": [asdict(case)]}
    recorder.command("record", file=str(file.opened), bounds={}, **told)
    found: list[str] = []
    with contextlib.suppress(WorkerEndedError):
        while True:
            found += recorder.receive(0.0).header.get("files", [])
    recorder.close()
    return found


def written(path: Path) -> Path:
    """Return a file; if it does not exist, but Python knows its text, as for a notebook's cell, write it first.

    A notebook's cell has no file: its text is written to the path that the notebook's debugger would use.
    """
    lines = [] if path.exists() or not path.is_absolute() else linecache.getlines(str(path))
    if lines:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_text("".join(lines), encoding="utf-8")
    return path
