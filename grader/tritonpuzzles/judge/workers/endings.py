"""What is said of a worker that ended before it was asked to, by itself or by a signal."""

from __future__ import annotations

from importlib.metadata import version

from tritonpuzzles.judge.workers.process import WorkerEndedError, signal_name
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.words import COMPILES_FASTER, PASS_FAILS


def ended(who: str, during: str, error: WorkerEndedError, lacking: str) -> Finding:
    """Return the finding for the end of a worker.

    Args:
        who: ended, in words: "The file ended its process".
        during: what: "while it was imported".
        error: how.
        lacking: what did not come: "no result came back".
    """
    returncode = error.returncode
    if error.of_memory:
        return Finding("out-of-memory", f"Memory ran out {during}; {lacking}.")
    if returncode is not None and returncode < 0:
        return Finding("crash", f"The process was killed by {signal_name(-returncode)} {during}.")
    how = f"with exit code {returncode}" if returncode is not None else "by closing its channel"
    return Finding("exit", f"{who} {how} {during}; {lacking}.")


def never_compiled(launch: str, targets: str, seconds: float) -> Finding:
    """Return the finding for an engine that was ended in the compiler: a pass of it took all the time there was."""
    text = f"{launch} was not compiled for {targets}, nor what comes after it: the {seconds:g} s for it are over."
    return Finding("not-compiled", text, next_step=COMPILES_FASTER)


def compiler_crashed(launch: str, targets: str, returncode: int) -> Finding:
    """Return the finding for an engine that a crash of the compiler ended."""
    text = (
        f"{launch} does not compile for {targets}: the compiler of Triton {version('triton')} crashes "
        f"({signal_name(-returncode)}), which is a fault of the compiler's."
    )
    return Finding("compile-error", text, next_step=PASS_FAILS)
