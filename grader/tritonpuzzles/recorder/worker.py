"""The process that imports a submission. It knows shapes, never a number; what it says is a program, never a result.

Forked by the fork server, with a pipe for commands and one for frames. Commands come as frames too: `record` (import
the submission, call its host function on every case) and `again` (call it on one more case).
"""

from __future__ import annotations

from pathlib import Path

import torch

from tritonpuzzles.recorder.session import Session
from tritonpuzzles.sandbox import Held, confine, supervise
from tritonpuzzles.sandbox.landlock import python
from tritonpuzzles.wall import walled_off
from tritonpuzzles.wire.fields import COMMANDED
from tritonpuzzles.wire.frames import Frame, Request, Send, serve_commands
from tritonpuzzles.wire.job import Device, JobCase, JobHost


def _confine(bounds: dict[str, list[str]]) -> Held:
    """Hold this process to writing in its own folder, and to reading what the judge names; where nothing holds, go on.

    Returns:
        What holds: the report and `doctor` say it.
    """
    readable, secrets = ([Path(path) for path in bounds[name]] for name in ("readable", "secrets"))
    return confine([Path.cwd()], readable, [*secrets, *walled_off()])


def serve(commands: int, channel: int, request: Request) -> None:
    """Serve commands until the judge closes the pipe.

    Args:
        commands: descriptor of the pipe that they come by.
        channel: descriptor of the pipe that frames are written to.
        request: what the judge asked for; no GPU is ever touched here.
    """
    held = supervise()  # goes on in a child, in a PID namespace of its own where the system allows that
    torch.set_num_threads(1)
    serve_commands(commands, channel, lambda send: Work(send, held).obey)


class Work:
    """What a recorder does: one submission's cases.

    Args:
        send: writes a frame.
        held: what confines this process already.
    """

    def __init__(self, send: Send, held: Held) -> None:
        self._send, self._held = send, held
        self._session: Session | None = None

    def obey(self, frame: Frame) -> None:
        """Do what the judge asks for."""
        told = frame.header
        if frame.kind == "record":
            held = self._held + _confine(told["bounds"])
            own, walled = list(map(str, python())), list(map(str, walled_off()))
            self._send("confined", holds=held.holds, missing=held.missing, python=own, walled=walled)
            device = COMMANDED.read(Device, told["device"])
            self._session = Session(told["file"], COMMANDED.read(JobHost, told["host"]), device, self._send)
            if self._session.load():
                for index, case in enumerate(told["cases"]):
                    self._session.record(index, COMMANDED.read(JobCase, case))
        elif self._session is not None:
            self._session.record(told["case"], COMMANDED.read(JobCase, told["call"]))
