"""The terminal while watching: keys arrive without Enter and are not echoed. It is restored on every exit.

If this process is killed, a guard process restores the terminal: it reads from a pipe, and the read ends when the
writing end is closed, however this process ends.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import re
import signal
import sys
import termios
import tty
from collections.abc import Iterator
from types import TracebackType
from typing import Any

HIDE_CURSOR, SHOW_CURSOR = "\x1b[?25l", "\x1b[?25h"
SEQUENCES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|.)?")  # arrows, function keys, Alt with a letter
WAKING = (signal.SIGWINCH, signal.SIGTSTP, signal.SIGCONT)
IGNORED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGTSTP, signal.SIGTTOU, signal.SIGTTIN, signal.SIGQUIT)

Attributes = list[Any]  # as `termios.tcgetattr` gives them


class Guard:
    """The process; forked before this one has a second thread.

    It restores the attributes `sane`, unless those for watching, `ours`, have been replaced by another program.
    """

    def __init__(self, terminal: int, sane: Attributes, ours: Attributes) -> None:
        lives, self._lifeline = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            try:
                os.close(self._lifeline)
                _wait_and_restore(lives, terminal, sane, ours)
            finally:
                os._exit(0)
        os.close(lives)

    def dismiss(self) -> None:
        """End it: the terminal is as it was."""
        os.close(self._lifeline)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self._pid, 0)


def _wait_and_restore(lives: int, terminal: int, sane: Attributes, ours: Attributes) -> None:
    for number in IGNORED:
        signal.signal(number, signal.SIG_IGN)  # SIGTTOU too: the terminal is another's by then
    os.setpgid(0, 0)
    while os.read(lives, 1):
        pass
    with contextlib.suppress(termios.error, OSError):
        if termios.tcgetattr(terminal) == ours:
            termios.tcsetattr(terminal, termios.TCSANOW, sane)
            os.write(terminal, f"{SHOW_CURSOR}\r\n".encode())


class Terminal:
    """Standard input and output as a terminal; a context that restores it."""

    def __init__(self) -> None:
        self._input = sys.stdin.fileno()
        self._sane = termios.tcgetattr(self._input)
        self._ours = self._sane
        self._guard: Guard | None = None
        self.signals, self._waker = os.pipe()  # read from: the numbers of received signals in `WAKING`, a byte each

    def __enter__(self) -> Terminal:
        atexit.register(self._restore)
        self.take()
        self._guard = Guard(self._input, self._sane, self._ours)
        for end in (self.signals, self._waker):
            os.set_blocking(end, False)
        self._before = {number: signal.signal(number, lambda number, frame: None) for number in WAKING}
        self._woke = signal.set_wakeup_fd(self._waker, warn_on_full_buffer=False)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        signal.set_wakeup_fd(self._woke)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._restore()
        atexit.unregister(self._restore)
        if self._guard is not None:
            self._guard.dismiss()
        os.close(self.signals)
        os.close(self._waker)

    def keys(self) -> str | None:
        """Return the pressed keys, `None` at the end of input; arrows and other sequences are dropped."""
        try:
            data = os.read(self._input, 1024)
        except OSError:  # the terminal is gone
            return None
        if not data:
            return None
        return SEQUENCES.sub("", data.decode("utf-8", "replace"))

    def heard(self) -> set[int]:
        """Return the signals that came since the last call."""
        with contextlib.suppress(BlockingIOError):
            return set(os.read(self.signals, 4096))
        return set()

    @contextlib.contextmanager
    def lent(self) -> Iterator[None]:
        """Restore the terminal within a `with` block, for another program or the shell."""
        self._restore()
        try:
            yield
        finally:
            self.take()

    def take(self) -> None:
        """Set up the terminal, also again, because another program may have changed it."""
        tty.setcbreak(self._input, termios.TCSADRAIN)
        self._ours = termios.tcgetattr(self._input)
        _write(HIDE_CURSOR)

    def _restore(self) -> None:
        with contextlib.suppress(termios.error):
            termios.tcsetattr(self._input, termios.TCSADRAIN, self._sane)
        _write(SHOW_CURSOR)


def _write(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.write(text)
        sys.stdout.flush()
