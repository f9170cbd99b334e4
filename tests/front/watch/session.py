"""What a shell is to a program: leads the session, has the terminal, runs `tritonpuzzles` and says how that ended.

python -m tests.front.watch.session ARGUMENTS...
"""

from __future__ import annotations

import fcntl
import os
import signal
import sys
import termios
import time


def main() -> None:
    """Run the program, and stay."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    for number in (signal.SIGINT, signal.SIGTSTP, signal.SIGQUIT):
        signal.signal(number, lambda number, frame: None)  # a handler, which the program does not inherit
    pid = os.fork()
    if pid == 0:
        for number in (signal.SIGINT, signal.SIGTSTP, signal.SIGQUIT):
            signal.signal(number, signal.SIG_DFL)
        os.execv(sys.executable, [sys.executable, "-m", "tritonpuzzles", *sys.argv[1:]])
    print(f"<pid {pid}>", flush=True)
    while True:
        _, status = os.waitpid(pid, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            break
        print("<stopped>", flush=True)
    print(f"<ended {os.waitstatus_to_exitcode(status)}>", flush=True)
    time.sleep(3600)


if __name__ == "__main__":
    main()
