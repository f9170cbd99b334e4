"""Record one submission: import it, call its host function on every case without tensor values, report the calls.

The process knows shapes, never values; it reports programs, never results. It is forked by the fork server, with a
pipe for commands and one for frames. Commands are frames too: `record` (import the submission, call its host function
on every case) and `again` (call it on one more case).
"""

from __future__ import annotations

import gc
import json
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import torch

from tritonpuzzles.recorder.call import HostCall, returned_tensors
from tritonpuzzles.recorder.history import Others, others_like
from tritonpuzzles.recorder.kernels import KernelTable, UndescribedError
from tritonpuzzles.recorder.launches import Launches, LaunchRefusedError
from tritonpuzzles.recorder.passing import Passed, passing
from tritonpuzzles.recorder.recording import ForbiddenError, Recording
from tritonpuzzles.recorder.stand_ins import NO_STREAM, one_stream, present, recorded, unwrapped
from tritonpuzzles.recorder.submission import SubmissionError, describe, learner_line, load_host
from tritonpuzzles.recorder.tensors import Recorded
from tritonpuzzles.results.check import Finding, plain
from tritonpuzzles.results.cover import GRADIENTS
from tritonpuzzles.results.words import ANY_STRIDES
from tritonpuzzles.sandbox import Held, confine, supervise
from tritonpuzzles.sandbox.landlock import python
from tritonpuzzles.wall import walled_off
from tritonpuzzles.wire.fields import COMMANDED
from tritonpuzzles.wire.frames import Frame, Request, Send, serve_commands
from tritonpuzzles.wire.job import Device, JobCase, JobHost
from tritonpuzzles.wire.program import ITEM_SIZES

GRADIENT_COUNT = "incorrect number of gradients"
NO_MEMORY = ("std::bad_alloc", "can't allocate memory")  # PyTorch's words
ADVICE = {
    "'function' object is not subscriptable": "Put @triton.jit above the kernel: then kernel[grid](...) launches it.",
    "Cannot call @triton.jit'd outside": "Launch it on a grid: kernel[grid](...).",
    NO_STREAM: "Launch in the current stream: leave torch.cuda.Stream out.",
    **dict.fromkeys(("must be 16-byte aligned", "Last dimension must be contiguous"), ANY_STRIDES),  # of a descriptor
    GRADIENT_COUNT: "Return one value from backward for each argument of forward: None where it has no gradient.",
}


def serve(commands: int, channel: int, request: Request) -> None:
    """Serve commands until the judge closes the pipe."""
    held = supervise(request.user)  # returns in a child, in a new PID namespace if the system allows that
    torch.set_num_threads(1)
    serve_commands(commands, channel, lambda send: Work(send, held, request.user).obey)


class Work:
    """The work of a recorder: one submission's cases."""

    def __init__(self, send: Send, held: Held, user: int | None = None) -> None:
        self._send, self._held, self._user = send, held, user
        self._session: Session | None = None

    def obey(self, frame: Frame) -> None:
        """Execute a command of the judge."""
        told = frame.header
        if frame.kind == "record":
            # It may write only in its folder, and read what the judge names. If nothing is enforced, it continues.
            readable, secrets = ([Path(path) for path in told["bounds"][name]] for name in ("readable", "secrets"))
            held = self._held + confine([Path.cwd()], readable, [*secrets, *walled_off()], self._user)
            own, walled = list(map(str, python())), list(map(str, walled_off()))
            self._send("confined", holds=held.holds, missing=held.missing, python=own, walled=walled)
            device = COMMANDED.read(Device, told["device"])
            self._session = Session(told["file"], COMMANDED.read(JobHost, told["host"]), device, self._send)
            if self._session.load():
                self._session.cases = [COMMANDED.read(JobCase, case) for case in told["cases"]]
                for index, case in enumerate(self._session.cases):
                    self._session.record(index, case)
        elif self._session is not None:
            self._session.record(told["case"], COMMANDED.read(JobCase, told["call"]))


class Session:
    """One submission in this process.

    Args:
        file: path of the submission.
        host: its host function.
        device: the GPU that the host function finds.
        send: writes a frame.
        function: the host function, if this process has it and need not import the file.
        objects: those that calls refer to by number.
    """

    def __init__(
        self,
        file: str,
        host: JobHost,
        device: Device,
        send: Send,
        function: Callable[..., Any] | None = None,
        objects: Sequence[Any] = (),
    ) -> None:
        self._path, self._host, self._device, self._send = Path(file), host, device, send
        self._function, self._objects = function, objects
        self._functions: dict[Device, Callable[..., Any]] = {}
        self._left_out: list[Finding] = []
        self._kernels = KernelTable()
        self._known: dict[int, Mapping[str, Recorded]] = {}
        self._passed: Passed = set()
        self.cases: Sequence[JobCase] = ()
        self._works = False  # whether all cases so far were recorded, and there was one

    def load(self) -> bool:
        """Import the submission; return whether it can be called."""
        self._send("stage", stage="import")
        try:
            self._on(self._device)
        except SubmissionError as error:
            self._send("failed", finding=plain(error.finding))
            return False
        for finding in self._left_out:
            self._send("left_out", finding=plain(finding))
        return True

    def _on(self, gpu: Device) -> Callable[..., Any]:
        """Return the host function of a machine with this GPU: the file is imported once for each.

        Raises SubmissionError if that fails.
        """
        if self._function is not None:
            return self._function
        if gpu not in self._functions:
            with present(gpu), one_stream(), unwrapped():
                self._functions[gpu], self._left_out = load_host(self._path, self._host.name)
        return self._functions[gpu]

    def record(self, index: int, call: JobCase) -> None:
        """Call the host function on the tensors of one case, and send the recorded program."""
        self._send("stage", stage="run", case=index)
        recording = Recording(str(self._path), self._host.call, self._kernels, self._host.goes_back(call))
        gpu, passed = call.gpu or self._device, Passed()
        try:
            host = HostCall(self._on(gpu), self._host, call, self._path, self._objects)
            others, tensors = self._others(call, host), self._tensors(index, recording, call)
            with present(gpu), unwrapped():
                kept = others(gpu)
                host = replace(host, beside=lambda: kept.extend(others(gpu, call.values)))
                with Launches(recording, gpu).active(), recorded(recording):
                    with passing(str(self._path), passed):
                        returned = host(tensors)
                    program = recording.program(returned_tensors(returned))
            if (unlike := others.unlike(recording)) is not None:
                text = f"{self._host.call} launches something else for tensors of the same shapes, strides and dtypes"
                step = "Let launches follow from shapes, strides, dtypes and plain arguments alone."
                recording.note("unlike-calls", f"{text}: {unlike[1]}.", unlike[0].line, step)
            kept.clear()
            given = {id(tensor) for tensor in tensors.values()}
            results = (one for one in returned_tensors(returned) if type(one) is Recorded and id(one) not in given)
            made = list(map(weakref.ref, results))
            del results, returned
            if _are_held(made):
                text = f"{self._host.call} keeps a tensor that it returns: a later call may write over it."
                recording.note("cached-answer", text, None, "Keep no result: allocate it in every call.")
            kernels = self._kernels.described()
            payload = json.dumps({"program": program.to_json(), "kernels": kernels}).encode()
        except BaseException as error:
            finding = call_failure(error, recording, self._path, self._host.call)
            self._send("case_failed", case=index, finding=plain(finding), lost=False)
            self._works = False
            return
        self._works = self._function is None and (self._works or index == 0)
        told: dict[str, Any] = {"findings": plain(recording.findings), "operations": plain(recording.operations)}
        told["passed"] = sorted((*last, *now) for last, now in passed - self._passed)  # each once for a file
        self._passed |= passed
        files = sorted({str(kernel["file"]) for kernel in kernels})
        self._send("recorded", payload, case=index, files=files, **told)

    def _others(self, call: JobCase, host: HostCall) -> Others:
        """Return other calls with the shapes of a case; none unless the calls before worked, which are without any."""
        new = partial(Recording, str(self._path), self._host.call, KernelTable(), self._host.goes_back(call))
        own = self._works and call.after is None
        return Others(host, new_tensors, new, others_like(call, self.cases) if own else [])

    def _tensors(self, index: int, recording: Recording, call: JobCase) -> Mapping[str, Recorded]:
        """Return the tensors of a case, without values: new ones, or those of an earlier case again."""
        known = self._known.get(call.after) if call.after is not None else None
        if known is None:
            found = new_tensors(recording, call)
        else:
            found = {name: recording.again(tensor) for name, tensor in known.items()}
        self._known[index] = found
        return found


def new_tensors(recording: Recording, call: JobCase) -> Mapping[str, Recorded]:
    """Return new tensors of a case, without values; the last that needs a gradient is a parameter, as a layer's is."""
    found, last = {}, None
    for item in call.inputs:
        elements = item.storage_bytes // ITEM_SIZES[item.dtype]
        storage = torch.empty(elements, dtype=getattr(torch, item.dtype), device="meta")
        view = storage.as_strided(item.shape, item.stride, item.offset)
        found[item.name] = recording.input(view, item.requires_grad)
        last = found[item.name] if item.requires_grad else last
    if last is not None:
        last._is_param = True
    return found


def _are_held(results: Sequence[weakref.ref[Recorded]]) -> bool:
    """Return whether one of some tensors is still referenced, other than by a reference cycle."""
    if all(result() is None for result in results):
        return False
    gc.collect()
    return any(result() is not None for result in results)


def call_failure(error: BaseException, recording: Recording, path: Path, call: str) -> Finding:
    """Return the finding for an exception of a host function."""
    if isinstance(error, ForbiddenError) and recording.findings:
        return recording.findings[-1]
    if isinstance(error, (SubmissionError, LaunchRefusedError)):
        return error.finding
    said = describe(error)
    step = next((step for part, step in ADVICE.items() if part in said), None)
    code, text = "runtime-error", f"{call} raises {said}."
    if isinstance(error, (SystemExit, KeyboardInterrupt)):
        code, text, step = "exit", f"{call} ended the program ({said}) in place of returning a tensor.", None
    elif isinstance(error, UndescribedError):
        code, text, step = "not-recordable", str(error), error.step
    elif isinstance(error, MemoryError) or any(words in str(error) for words in NO_MEMORY):
        code, text, step = "out-of-memory", f"{call} runs out of memory.", None
    about = {GRADIENTS: True} if GRADIENT_COUNT in said else {}
    return Finding(code, text, file=str(path), line=learner_line(error, path), next_step=step, details=about)
