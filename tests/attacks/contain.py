"""Run a command as the parent of all that it leaves behind, and say what that is; a script, run without its package.

A child subreaper becomes the parent of every orphan below it: a daemon that left its session, dropped its environment
and changed its folder is still found. Reads a JSON object from standard input (`command`, `folder`, `environment`,
`stdout`, `stderr`, `seconds`) and prints one (`returncode`, `hung`, `seconds`, `leftovers`).
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PR_SET_CHILD_SUBREAPER = 36
SETTLING_SECONDS = 3.0  # for what was killed a moment ago and is not gone yet


def main() -> None:
    """Run what standard input says."""
    if ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError("this kernel knows no child subreaper")
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)  # whoever started this may ignore them, and what it starts would too
    json.dump(contain(json.load(sys.stdin)), sys.stdout)


def contain(order: dict[str, Any]) -> dict[str, Any]:
    """Run the command to its end, or to its time limit, and end every process below this one."""
    started = time.monotonic()
    with open(order["stdout"], "ab") as out, open(order["stderr"], "ab") as err:  # what others write stays, too
        process = subprocess.Popen(
            order["command"],
            cwd=order["folder"],
            env=order["environment"],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
        returncode = _ended(process, order["seconds"])
    seconds = time.monotonic() - started
    hung = returncode is None
    if hung:
        process.send_signal(signal.SIGKILL)
        returncode = process.wait()
    return {"returncode": returncode, "hung": hung, "seconds": seconds, "leftovers": [] if hung else _settled()} | (
        {"swept": _sweep()}
    )


def _ended(process: subprocess.Popen[bytes], seconds: float) -> int | None:
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None


def _settled() -> list[str]:
    """Return the command lines of what still runs after a moment."""
    deadline = time.monotonic() + SETTLING_SECONDS
    while (left := list(_descendants())) and time.monotonic() < deadline:
        time.sleep(0.05)
    return [_command_line(pid) for pid in left]


def _sweep() -> int:
    """Kill every descendant until there is none; return how many there were."""
    killed: set[int] = set()
    while left := list(_descendants()):
        for pid in left:
            killed.add(pid)
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)
    return len(killed)


def _descendants() -> Iterator[int]:
    """Yield every living process below this one; the dead ones are reaped."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    parents = dict(_parents())
    for pid in parents:
        above = parents[pid]
        while above in parents and above != os.getpid():
            above = parents[above]
        if above == os.getpid():
            yield pid


def _parents() -> Iterator[tuple[int, int]]:
    """Yield every process that is no zombie, with its parent."""
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
            if state not in "ZX":
                yield int(entry.name), int(parent)


def _command_line(pid: int) -> str:
    with contextlib.suppress(OSError):
        words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").split()
        return b" ".join(words).decode("utf-8", "replace")[:200] or f"process {pid}"
    return f"process {pid}"


if __name__ == "__main__":
    main()
