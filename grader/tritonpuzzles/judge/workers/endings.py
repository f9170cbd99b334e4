"""What is said of a worker that ended before it was asked to, by itself or by a signal."""

from __future__ import annotations

from tritonpuzzles.judge.workers.process import signal_name
from tritonpuzzles.results.check import Finding


def ended(who: str, during: str, returncode: int | None, lacking: str) -> Finding:
    """Return the finding for the end of a worker.

    Args:
        who: ended, in words: "The file ended its process".
        during: what: "while it was imported".
        returncode: negative for a signal; `None` if it only closed its channel.
        lacking: what did not come: "no result came back".
    """
    if returncode is not None and returncode < 0:
        return Finding("crash", f"The process was killed by {signal_name(-returncode)} {during}.")
    how = f"with exit code {returncode}" if returncode is not None else "by closing its channel"
    return Finding("exit", f"{who} {how} {during}; {lacking}.")
