"""The process that runs kernels. It has inputs and memory, never answers, and never runs a submission's host code.

It is confined like the recorder, and more: to its own folder, which contains copies of the files that the judge lends.
It is forked by the fork server, with a pipe for commands and one for frames. Commands are frames too: `job`, then for
each case `case` (run its program) or `note` (keep its launches for the compiler; another engine runs it), on a GPU
after `begin` (begin to compile its launches) for all. Then `configuration` (run a case with another choice of its
autotuner), `rows` (send some rows of the last result), `compile`, `benchmark`, `picture` (run a case again and report
every access), `cache` (run it again and report its DRAM traffic behind an L2 cache), `states` (run it again and report
the values of variables), `replay` (run one with edited texts); or `bench`, which a `BenchSession` handles from then on.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import torch
import triton
from safetensors.torch import load

from tritonpuzzles.compiler.launch import make_current
from tritonpuzzles.engine.session import Session
from tritonpuzzles.hardware.gpus import DEFAULT_TARGETS, TARGETS
from tritonpuzzles.sandbox import confine, limit_data, supervise
from tritonpuzzles.supported import is_tested, unusable
from tritonpuzzles.wall import walled_off
from tritonpuzzles.wire.authored import module_named
from tritonpuzzles.wire.fields import COMMANDED
from tritonpuzzles.wire.frames import Frame, Request, Send, serve_commands
from tritonpuzzles.wire.job import BenchJob, Job

if TYPE_CHECKING:
    from tritonpuzzles.engine.measure import BenchSession


def serve(commands: int, channel: int, request: Request) -> None:
    """Confine this process, and serve commands from a pipe until the judge closes it; frames go to the `channel`."""
    held = supervise(request.user)  # returns in a child process
    for module in request.modules:
        module_named(module, request.pack or None)
    held += confine(
        [Path.cwd()], secrets=walled_off(), user=request.user
    )  # before CUDA starts threads, which older kernels do not confine
    if request.device == "cpu":
        torch.set_num_threads(1)  # cases are small, and threads would wait for each other
    else:
        from tritonpuzzles.engine.cuda import wake

        wake()
    told = {"holds": held.holds, "missing": held.missing, "unusable": _unusable()}
    serve_commands(commands, channel, lambda send: Work(send).obey, **told)


def _unusable() -> str | None:
    """Return why the installed Triton cannot be used, or `None`; a tested version is not checked."""
    if is_tested(triton.__version__):
        return None
    from tritonpuzzles.engine.interpreter.selftest import problems

    found = problems()
    return unusable(triton.__version__, found) if found else None


class Work:
    """The work of an engine: one submission's cases, or one bench."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._session: Session | None = None
        self._bench: BenchSession | None = None

    def obey(self, frame: Frame) -> None:
        """Execute a command of the judge."""
        told = frame.header
        if frame.kind == "job":
            job = COMMANDED.read(Job, told["job"])
            if job.device == "cpu":  # no GPU is there to answer `tl.target_info`
                make_current(TARGETS[(*job.targets, *DEFAULT_TARGETS)[0]])
            self._session = Session(job, load(frame.payload), self._send)
            with contextlib.suppress(OSError):  # some systems do not report a process's memory
                limit_data()
        elif frame.kind == "bench":
            from tritonpuzzles.engine.measure import BenchSession  # rarely needed

            self._bench = BenchSession(COMMANDED.read(BenchJob, told["job"]), self._send)
        elif self._bench is not None:
            self._bench.obey(frame)
        elif self._session is not None:
            self._ask(self._session, frame)

    @staticmethod
    def _ask(session: Session, frame: Frame) -> None:
        told = frame.header
        match frame.kind:
            case "case":
                session.run(told["case"], frame.payload, told["texts"])
            case "replay":
                session.replay(told["case"], frame.payload, told["texts"], told["more"])
            case "begin":
                session.begin(told["case"], frame.payload, told["texts"])
            case "note":
                session.note(told["case"], frame.payload, told["texts"], told["configuration"])
            case "configuration":
                session.run_configuration(told["case"], told["configuration"])
            case "compile":
                session.compile(told["seconds"], told["each"])
            case "benchmark":
                session.benchmark()
            case "rows":
                session.rows(told["rows"])
            case "picture":
                session.picture(told["case"])
            case "cache":
                session.cache(told["case"], told["l2"], told["times"], told["per_multiprocessor"])
            case "states":
                session.states(told["case"])
