"""A recorder in this process, for functions that are here already: a lambda, a method, what a test defines.

It obeys the commands of one in a process of its own and answers in the same frames. What it records is the user's own
code, in the user's own process: nothing confines it.
"""

from __future__ import annotations

import contextlib
import json
import linecache
import sys
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tritonpuzzles.curriculum.record import Task
from tritonpuzzles.judge.drawn import DrawnCase
from tritonpuzzles.judge.workers.job import host_of, job_cases, seen_device
from tritonpuzzles.judge.workers.process import WorkerEndedError, nothing
from tritonpuzzles.recorder.session import Session
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.sandbox import Scratch
from tritonpuzzles.wire.fields import COMMANDED
from tritonpuzzles.wire.frames import Frame
from tritonpuzzles.wire.job import Device, JobCase, JobHost


class LocalRecorder:
    """Records one function's calls in this process; `objects` are arguments that cases name by their numbers.

    What is printed goes where this process prints, its seconds are not the function's own, and Ctrl-C ends it: so there
    is no output, nothing is computed, and no `stop` heeded. A copy of the file may be laid into its folder.
    """

    output = parents_words = ""
    computed = 0.0
    is_waiting = True

    def __init__(self, function: Callable[..., Any], objects: Sequence[Any], stop: Any = None) -> None:
        self._function, self._objects = function, objects
        self._scratch = Scratch()
        self.folder = self._scratch.path
        self.on_end = nothing
        self._frames = deque([Frame({"kind": "ready", "holds": [], "missing": [], "unusable": None})])

    def accept(self, max_payload_bytes: int) -> None:
        """Know how large a frame may be; this side sends no larger ones."""

    def command(self, kind: str, payload: bytes = b"", **told: Any) -> None:
        """Do at once what the judge asks for; the frames wait to be received."""
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
        """Return the next frame; raises WorkerEndedError if there is none left."""
        if not self._frames:
            raise WorkerEndedError(None)
        return self._frames.popleft()

    def kill(self) -> None:
        """Say no more."""
        self._frames.clear()

    def close(self) -> None:
        """Remove the folder; may be called twice."""
        self.kill()
        self._scratch.remove()


def files_of(recorder: LocalRecorder, file: Submission, task: Task, drawn: DrawnCase) -> list[str]:
    """Return the files that the kernels of one call stand in; none where the call cannot be recorded."""
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
    """Return a file; one that is not there and whose text Python knows, as that of a cell, is written first.

    The text of a notebook's cells lies in no file: it is written where a notebook's debugger would write it.
    """
    lines = [] if path.exists() or not path.is_absolute() else linecache.getlines(str(path))
    if lines:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_text("".join(lines), encoding="utf-8")
    return path
