"""Messages on a running trial, on its compile stage, and on a worker that ended too early."""

from __future__ import annotations

import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path

from tritonpuzzles.curriculum.record import Task
from tritonpuzzles.judge.drawn import DrawnCase
from tritonpuzzles.judge.workers.process import WorkerEndedError, signal_name
from tritonpuzzles.results.check import Finding, PuzzleResult, Verdict, named
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.results.words import COMPILES_FASTER, DEVICES, PASS_FAILS

COMPILING = 60.0  # seconds for one launch on one target; a usual one takes a tenth of a second
COMPILING_FAILED = 10.0  # for a file that fails already: more results would only show more failures
INSPECTING = 60.0  # if the compiler's figures were requested
IN_ALL = 4  # times as many seconds for all launches
COMPILER_GRACE = 5.0  # the engine limits itself to these seconds, but nothing interrupts a pass of the compiler
OF_OTHERS = frozenset({"out-of-memory", "crash", "timeout", "not-compiled"})  # other processes may cause these
USED_UP = "computed_all"  # in details of a timeout: whether the file itself was computing all the time
FAR_TOO_MANY = "Look for a loop that never ends, or for tiles so small that programs or iterations are far too many"
CRASHES = tuple(-number for number in (signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE))


def ended(who: str, during: str, error: WorkerEndedError, lacking: str) -> Finding:
    """Return the finding for the end of a worker: "The file ended its process", "while it was imported"."""
    returncode = error.returncode
    if error.of_memory:
        return Finding("out-of-memory", f"Memory ran out {during}; {lacking}.")
    if returncode is not None and returncode < 0:
        return Finding("crash", f"The process was killed by {signal_name(-returncode)} {during}.")
    how = f"with exit code {returncode}" if returncode is not None else "by closing its channel"
    return Finding("exit", f"{who} {how} {during}; {lacking}.")


def may_be_of_others(result: PuzzleResult) -> bool:
    """Return whether other processes on this machine, and not only the file, may have caused the end of a check."""
    ends = [finding for finding in result.errors if finding.code in OF_OTHERS]
    return result.verdict is Verdict.INFRA_ERROR or any(not finding.details.get(USED_UP) for finding in ends)


def compile_seconds(timeout: float | None, failed: bool, resources: bool) -> float:
    """Return the seconds in which a launch must be compiled for a target."""
    if timeout is not None and not failed:
        return timeout
    seconds = INSPECTING if resources else COMPILING_FAILED if failed else COMPILING
    return seconds if timeout is None else min(seconds, timeout)


class Compiling:
    """The compile stage: `each` seconds for one launch on one target, `seconds` for all launches."""

    def __init__(self, each: float, file: Path, targets: Sequence[str]) -> None:
        self.each, self.seconds = each, IN_ALL * each
        self._submitted, self._targets = str(file), targets
        self._end = time.monotonic() + self.seconds + COMPILER_GRACE
        self.begin("the first kernel")

    def begin(self, launch: str, file: str | None = None, line: int | None = None) -> None:
        """Record which launch the compiler starts now, and the place of its kernel."""
        self.launch, self._file, self._line = launch, file or self._submitted, line
        self._launch_end = time.monotonic() + self.each * max(1, len(self._targets)) + COMPILER_GRACE

    @property
    def left(self) -> float:
        """Seconds until the engine is ended."""
        return max(0.0, min(self._end, self._launch_end) - time.monotonic())

    def timed_out(self) -> Finding:
        """Return the finding for an engine that was ended because a compiler pass used up the time."""
        what = f"{self.launch} was not compiled for {' and '.join(self._targets)}, nor what comes after it"
        text = f"{what}: the {self.each:g} s for it are over."
        return Finding("not-compiled", text, file=self._file, line=self._line, next_step=COMPILES_FASTER)

    def crashed(self, returncode: int) -> Finding:
        """Return the finding for an engine that ended in a crash of the compiler."""
        text = (
            f"{self.launch} does not compile for {' or '.join(self._targets)}: the compiler of Triton "
            f"{version('triton')} crashes ({signal_name(-returncode)}), which is a fault of the compiler's."
        )
        return Finding("compile-error", text, file=self._file, line=self._line, next_step=PASS_FAILS)


@dataclass(frozen=True)
class Said:
    """Messages on one file on one device; each takes the stage, and the index of the case if there is one."""

    task: Task
    file: Submission
    device: str
    cases: Sequence[DrawnCase]

    def doing(self, stage: str, case: int | None) -> str:
        """Return the line of progress: "p03 online_softmax on the CPU: one row (2 of 25)"."""
        name = f"{named(self.task.number, self.task.slug)} on the {DEVICES[self.device]}"
        if case is None:
            return f"{name}: {stage}"
        return f"{name}: {self.cases[case].name} ({case + 1} of {len(self.cases)})"

    def timed_out(self, time: str, stage: str, case: int | None) -> Finding:
        """Return the finding for a file that took longer than `time`, in words."""
        text = f"{self.task.call} did not finish within {time}, {self._during(stage, case)}."
        step = f"{FAR_TOO_MANY}; a slow machine may need --timeout with more seconds."
        return Finding("timeout", text, file=str(self.file), case=self._name(case), next_step=step)

    def out_of_time(self, seconds: float, used_up: bool, stage: str, case: int | None, records: bool) -> Finding:
        """Return the finding for a file that has used up its seconds for all stages.

        `used_up`: it was computing all the time; `records`: its own Python was running, not its kernels.
        """
        part = "its import" if stage == "import" and records else "its host function" if records else "a kernel"
        text = f"Import, host function and kernels have {seconds:g} s together, and {part} was still running then"
        during = "" if case is None else f", {self._during(stage, case)}"
        found = Finding("timeout", f"{text}{during}.", file=str(self.file), case=self._name(case))
        return replace(found, next_step=f"{FAR_TOO_MANY}.", details={USED_UP: used_up})

    def ended(self, error: WorkerEndedError, stage: str, case: int | None, records: bool) -> Finding:
        """Return the finding for a worker that ended, see `ended`; the file's own Python runs only in a recorder."""
        who = "The file ended its process" if records else "The process that runs and compiles its kernels ended"
        found = ended(who, self._during(stage, case), error, "no result came back")
        step = "Return a tensor; never exit." if found.code == "exit" and records else None
        return replace(found, file=str(self.file), case=self._name(case), next_step=step)

    def _name(self, case: int | None) -> str | None:
        return None if case is None else self.cases[case].name

    def _during(self, stage: str, case: int | None) -> str:
        if case is None:
            return {"import": f"while {self.file.name} was imported"}.get(stage, f"during the {stage}")
        drawn = self.cases[case]
        return f'in case "{drawn.name}", shape {"x".join(str(n) for n in drawn.shape)}'
