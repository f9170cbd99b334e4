"""python other_system.py PLATFORM ARGUMENTS: the program on a system with neither Triton nor torch.

What that system's Python does not have is taken away: modules, functions, signals, flags. What the standard library
imports by the name of the system it has imported before.
"""

from __future__ import annotations

import fcntl
import importlib
import os
import signal
import sys
import types
from importlib.abc import MetaPathFinder

BEFORE = (
    *("click", "click.shell_completion", "concurrent.futures.process", "ctypes", "multiprocessing.connection"),
    *("rich.console", "rich.table", "shutil", "subprocess", "tempfile"),
)
LINUX_ALONE = {
    os: ("memfd_create", "MFD_CLOEXEC", "MFD_ALLOW_SEALING", "pidfd_open", "sched_getaffinity"),
    fcntl: tuple(name for name in vars(fcntl) if "SEAL" in name),
}
UNIX_ALONE = {
    os: (
        *("geteuid", "getuid", "fork", "setsid", "killpg", "getpgid", "register_at_fork", "sysconf", "mkfifo"),
        *("O_DIRECTORY", "O_NOFOLLOW", "O_CLOEXEC", "O_NONBLOCK", "O_NOCTTY", "WNOHANG", "uname", "openpty", "statvfs"),
    ),
    signal: ("SIGHUP", "SIGKILL", "SIGCHLD", "SIGALRM", "SIGTSTP", "SIGWINCH", "SIGPIPE", "SIGQUIT", "pthread_sigmask"),
}


class Hidden(MetaPathFinder):
    """Finds no module of some names."""

    def __init__(self, names: set[str]) -> None:
        self.names = names

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name.partition(".")[0] in self.names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def become(platform: str) -> None:
    """Take away what another system does not have."""
    for name in BEFORE:
        importlib.import_module(name)
    sys.platform = platform
    hidden = {"torch", "triton"}
    missing = [LINUX_ALONE]
    if platform == "win32":
        hidden |= {"fcntl", "termios", "resource", "pwd", "grp", "tty", "pty"}
        missing.append(UNIX_ALONE)
        locks = types.ModuleType("msvcrt")
        vars(locks).update(locking=lambda *_: None, LK_NBLCK=2)
        sys.modules["msvcrt"] = locks
        vars(os)["O_BINARY"] = 0
    for table in missing:
        for holder, names in table.items():
            for name in names:
                vars(holder).pop(name, None)
    for name in [name for name in sys.modules if name.partition(".")[0] in hidden]:
        del sys.modules[name]
    sys.meta_path.insert(0, Hidden(hidden))


if __name__ == "__main__":
    become(sys.argv[1])
    sys.argv = ["tritonpuzzles", *sys.argv[2:]]
    from tritonpuzzles.front.cli import run

    run()
