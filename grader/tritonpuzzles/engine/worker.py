"""The process that runs kernels. It has inputs and memory, never answers, and never runs a submission's host code.

Forked by the fork server, with a pipe for commands and one for frames. Commands come as frames: `job`, then `case` (run
one case's program) for each, or `note` (keep what is to be compiled of one that another engine runs), `configuration`
(run it again with another choice of its autotuner), `rows` (send some rows of the last result), `compile`, `benchmark`,
`picture` (run one case again and tell of every access), `cache` (run one case again and tell what a GPU's L2 cache
leaves to DRAM), `states` (run one case again and tell what variables held); or
`bench`, after which a `BenchSession` takes the rest.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

import torch
from safetensors.torch import load

from tritonpuzzles.hardware.targets import DEFAULT_TARGETS, TARGETS
from tritonpuzzles.wire.bench_job import read_bench_job
from tritonpuzzles.wire.frames import Frame
from tritonpuzzles.wire.job import read_job
from tritonpuzzles.wire.serving import Send, serve_commands

if TYPE_CHECKING:
    from tritonpuzzles.engine.bench import BenchSession
    from tritonpuzzles.engine.session import Session


def warm_up() -> None:
    """Import what every engine needs, and compute nothing: seconds, while the judge imports too."""
    importlib.import_module("tritonpuzzles.engine.session")
    importlib.import_module("tritonpuzzles.engine.cpu")


def serve(commands: int, channel: int, device: str) -> None:
    """Serve commands until the judge closes the pipe.

    Args:
        commands: descriptor of the pipe that they come by.
        channel: descriptor of the pipe that frames are written to.
        device: "cpu" computes on one thread: cases are small, and threads would wait for each other.
    """
    if device == "cpu":
        torch.set_num_threads(1)
    else:
        from tritonpuzzles.engine.cuda import wake

        wake()
    serve_commands(commands, channel, lambda send: Work(send).obey)


class Work:
    """What an engine does: one submission's cases, or one bench."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._session: Session | None = None
        self._bench: BenchSession | None = None

    def obey(self, frame: Frame) -> None:
        """Do what the judge asks for."""
        told = frame.header
        if frame.kind == "job":
            from tritonpuzzles.compiler.gpu import make_current
            from tritonpuzzles.engine.session import Session

            job = read_job(told["job"])
            if job.device == "cpu":  # where no GPU answers kernels that ask which one it is
                make_current(TARGETS[(*job.targets, *DEFAULT_TARGETS)[0]])
            self._session = Session(job, load(frame.payload), self._send)
        elif frame.kind == "bench":
            from tritonpuzzles.engine.bench import BenchSession

            self._bench = BenchSession(read_bench_job(told["job"]), self._send)
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
            case "note":
                session.note(told["case"], frame.payload, told["texts"])
            case "configuration":
                session.run_configuration(told["case"], told["configuration"])
            case "compile":
                session.compile(told["seconds"])
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
