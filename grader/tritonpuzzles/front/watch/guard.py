"""A process that puts the terminal right where nobody else can: after this one was killed.

It holds the reading end of a pipe and does nothing until the writing end is gone, in whatever way this process ends.
"""

from __future__ import annotations

import contextlib
import os
import signal
import termios
from typing import Any

SHOW_CURSOR = b"\x1b[?25h"
IGNORED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGTSTP, signal.SIGTTOU, signal.SIGTTIN, signal.SIGQUIT)

Attributes = list[Any]  # as `termios.tcgetattr` gives them


class Guard:
    """The process; forked before this one has a second thread.

    Args:
        terminal: its descriptor.
        sane: the attributes that it had, and shall have again.
        ours: those that it has from now on; where it has others, somebody else has put it right.
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
            os.write(terminal, SHOW_CURSOR + b"\r\n")
