"""The command line in this process: streams, environment and folder of its own, as a process would have."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from subprocess import CompletedProcess
from types import ModuleType
from typing import TypeVar
from unittest import mock

from tritonpuzzles.front import judge_process
from tritonpuzzles.front.cli import main
from tritonpuzzles.judge.workers.parent import Stop

JUDGE = "tritonpuzzles.judge.check"
Gives = TypeVar("Gives")


class JudgeHere:
    """The judge in this process, where a test has changed what it does, or needs it in less time."""

    has_ended = False

    def __init__(self) -> None:
        self.stop = Stop()

    def ask(self, function: Callable[..., Gives], *arguments: object, **keywords: object) -> Gives:
        """Call a function of the judge's."""
        return function(*arguments, **keywords)


HERE = JudgeHere()


def run_here(
    arguments: tuple[str, ...], cwd: Path, env: Mapping[str, str], judge: ModuleType | None = None
) -> CompletedProcess[str]:
    """Run `tritonpuzzles` with these words and return what a process would have left.

    Args:
        arguments: of the command line.
        cwd: the folder to run in.
        env: the whole environment.
        judge: stands in for `tritonpuzzles.judge.check`.
    """
    encoding = env.get("PYTHONIOENCODING", "utf-8")
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding, write_through=True) for _ in range(2))
    with ExitStack() as stack:
        stack.enter_context(mock.patch.dict(os.environ, env, clear=True))
        stack.enter_context(_folder(cwd))
        stack.enter_context(_signals())
        stack.enter_context(redirect_stdout(out))
        stack.enter_context(redirect_stderr(err))
        stack.enter_context(mock.patch.object(judge_process, "_judges", [HERE]))
        if judge is not None:
            stack.enter_context(mock.patch.dict(sys.modules, {JUDGE: judge}))
        code = main(arguments)
    return CompletedProcess(arguments, code, _text(out), _text(err))


@contextmanager
def _folder(path: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(path)
    try:
        yield
    finally:
        os.chdir(before)


@contextmanager
def _signals() -> Iterator[None]:
    """Put the handlers back that the command line replaces."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    written = stream.buffer
    assert isinstance(written, io.BytesIO)
    return written.getvalue().decode(stream.encoding).replace("\r\n", "\n")
