"""The real program in a pseudo-terminal: what it shows, what is typed, what it leaves behind."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path
from types import TracebackType

from tests.front.conftest import environment

SECONDS = 120.0  # that nothing takes, on a busy machine either
ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x1b\x07]*(?:\x1b\\|\x07)")
Identity = tuple[int, str]  # a process: its number, and when it began


class Program:
    """`tritonpuzzles ...` with a terminal of its own, for the length of a `with` block.

    Args:
        words: of the command line.
        cwd: the folder to run in.
        size: rows and columns.
        env: more variables.
    """

    def __init__(self, words: tuple[str, ...], cwd: Path, size: tuple[int, int] = (50, 100), **env: str) -> None:
        self._master, self._terminal = pty.openpty()
        self.resize(*size)
        self._sane = termios.tcgetattr(self._terminal)
        self._shown = ""
        self._read_to = 0
        self._family: set[Identity] = set()
        settings = environment(TERM="xterm-256color", **env)
        del settings["TRITONPUZZLES_PACK"], settings["COLUMNS"]
        self._shell = subprocess.Popen(
            [sys.executable, "-m", "tests.front.watch.session", *words],
            cwd=cwd,
            env=settings,
            stdin=self._terminal,
            stdout=self._terminal,
            stderr=self._terminal,
            start_new_session=True,
        )

    def __enter__(self) -> Program:
        self.pid = int(self.wait_for("<pid ", ">")[5:-1])
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(ProcessLookupError):
            if parent_of(self.pid) == self._shell.pid:
                os.kill(self.pid, signal.SIGKILL)
        self._shell.kill()
        self._shell.wait()
        self.hang_up()
        os.close(self._terminal)

    def resize(self, rows: int, columns: int) -> None:
        """Give the terminal another size; the program is told."""
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def press(self, keys: str) -> None:
        """Type."""
        os.write(self._master, keys.encode())

    def hang_up(self) -> None:
        """Take the terminal away, as when its window is closed."""
        if self._master >= 0:
            os.close(self._master)
            self._master = -1

    def wait_for(self, *texts: str) -> str:
        """Read on until every text has been shown, in order; return what was shown until there.

        Raises:
            AssertionError: if one is not.
        """
        deadline, start = time.monotonic() + SECONDS, self._read_to
        for text in texts:
            while (at := self._shown.find(text, self._read_to)) < 0:
                self.family()
                gone = not self._read()
                if gone or time.monotonic() > deadline:
                    raise AssertionError(f"{text!r} is not shown, but:\n{self._shown[start:][-6000:]}")
            self._read_to = at + len(text)
        return self._shown[start : self._read_to]

    def _read(self) -> bool:
        """Take what is shown next; return whether more may come."""
        if not select.select([self._master], [], [], 0.2)[0]:
            return True
        try:
            data = os.read(self._master, 1 << 16)
        except OSError:
            return False
        new = (self._shown[self._read_to :] + data.decode("utf-8", "replace")).replace("\r\n", "\n")
        self._shown = self._shown[: self._read_to] + ESCAPES.sub("", new)
        return True

    def ended(self) -> int:
        """Wait for the end of the program, and return its exit code; nothing of it is left, and the terminal is sane.

        Raises:
            AssertionError: if it goes on, something is left, or the terminal is not as it was.
        """
        self.wait_for("<ended")
        return self.ended_with()

    def ended_with(self) -> int:
        """Return the exit code where the program has been seen to end; see `ended`."""
        code = int(self.wait_for(" ", ">")[1:-1])
        self.settle()
        return code

    @property
    def shell(self) -> int:
        """The process that the program was started by."""
        return self._shell.pid

    def settle(self) -> None:
        """Wait until nothing of the program is left and the terminal is as it was."""
        self._until(lambda: not self.left() and self.is_sane())

    def is_sane(self) -> bool:
        """Return whether the terminal is as it was before."""
        return termios.tcgetattr(self._terminal) == self._sane

    def _until(self, done: object) -> None:
        deadline = time.monotonic() + 30
        while not done():  # type: ignore[operator]
            assert time.monotonic() < deadline, f"left: {self.left()}; the terminal is sane: {self.is_sane()}"
            time.sleep(0.05)

    def left(self) -> list[Identity]:
        """Return those of its processes that still run; one that had ended when it was looked at began never."""
        return [(pid, start) for pid, start in self._family if start and began(pid) == start]

    def family(self) -> dict[str, list[int]]:
        """Return the program's processes by what they are: guard, judge, server, workers, and what workers start."""
        parents = {pid: parent_of(pid) for pid in pids()}

        def below(*above: int) -> list[int]:
            return [pid for pid, parent in parents.items() if parent in above]

        own = below(self.pid) if hasattr(self, "pid") else []
        judges = [pid for pid in own if "judgeserver" in words_of(pid)]
        guards = [pid for pid in own if pid not in judges]
        servers = below(*judges)
        found = {"guard": guards, "judge": judges, "server": servers, "workers": below(*servers)}
        found["inner"] = below(*found["workers"])
        everybody = [pid for group in found.values() for pid in group]
        self._family |= {(pid, began(pid)) for pid in everybody if began(pid)}
        return found


def pids() -> list[int]:
    """Return all processes."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def words_of(pid: int) -> str:
    """Return a process's command line."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
    return ""


def _stat(pid: int) -> list[str]:
    """Return what `/proc` says of a process from its state on; an ended one has no more to say."""
    with contextlib.suppress(OSError):
        found = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return found if found[0] != "Z" else []
    return []


def parent_of(pid: int) -> int:
    """Return a process's parent, -1 where it has ended."""
    found = _stat(pid)
    return int(found[1]) if found else -1


def began(pid: int) -> str:
    """Return when a process began; nothing where it has ended."""
    found = _stat(pid)
    return found[19] if found else ""
