"""Read a worker's messages until it is done, in bounded time and number, and add them to the evidence.

Nothing is trusted: the sender may not be our code.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator

from tritonpuzzles.judge.evidence.cases import Evidence, tampering
from tritonpuzzles.judge.workers.endings import CRASHES, Said
from tritonpuzzles.judge.workers.process import Worker, WorkerEndedError, WorkerTimeoutError
from tritonpuzzles.judge.workers.reader import Reader
from tritonpuzzles.results.check import Finding
from tritonpuzzles.wire.frames import OF_MACHINE, Frame, ProtocolError
from tritonpuzzles.wire.job import MOST_VARIANTS

SECONDS = {"import": 60.0, "run": 60.0, "benchmark": 180.0}  # of a stage; each case is one
REPLAY = 30.0  # for a case that runs again with a small change; the engine limits its compute time further
ENOUGH = 20.0  # seconds, or as many as a case may take, for a wrong file: further cases would seldom show more
OURS = frozenset({"compile", "benchmark"})  # stages whose length does not depend on the file: they have own limits
ALL_STAGES = 10.0  # times a case's limit: for all work of a file on a device
MOST_CLOCK = 3.0  # times the deadline, in wall-clock time: for a file that gets a third of a CPU, or less
IDLE = 1 / 8  # of a CPU: a file that uses less is sleeping, not waiting for a CPU
LEAST = 0.05  # seconds for which another wait is worthwhile

Progress = Callable[[str], None]
OnRecorded = Callable[[Frame], None]


class Deadline:
    """The CPU seconds that a file has for one stage, or on one device for import, host function and kernels together.

    Wall-clock time counts while a worker is waited for. When it reaches the deadline, the CPU time of recorder and
    engine counts instead. Wall-clock time alone would punish a file for others that are graded beside it; CPU time
    alone would let it sleep for ever. Triton's compiler has its own limits.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._workers: dict[int, Worker] = {}
        self._waited = self._forgiven = self._apart = self._computed = 0.0

    @property
    def left(self) -> float:
        """Wall-clock seconds until the deadline, or until the CPU time must be checked."""
        counted = self.seconds - (self._waited - self._forgiven)
        return max(0.0, min(counted, MOST_CLOCK * self.seconds - self._waited))

    @property
    def is_used_up(self) -> bool:
        """Whether the file's own processes were computing all the time, undisturbed by others."""
        return self.seconds - self._computed <= LEAST

    def wait_for(self, worker: Worker) -> None:
        """Include a worker's CPU time in the count."""
        self._workers[id(worker)] = worker

    def waited(self, seconds: float) -> None:
        """Add wall-clock time that was spent waiting for a worker."""
        self._waited += seconds

    def set_apart(self, computed: float) -> None:
        """Exclude CPU time that a worker spent for the grader, for example in the compiler."""
        self._apart += computed

    def has_more(self) -> bool:
        """Check the CPU time at the end of the wall-clock time; return whether the file was kept from computing."""
        self._computed = sum(worker.computed for worker in self._workers.values()) - self._apart
        if self._computed < IDLE * self._waited:
            return False
        self._forgiven = max(0.0, self._waited - self._computed)
        return self.left > LEAST


class Following:
    """Follows the workers of one file on one device."""

    def __init__(
        self,
        reader: Reader,  # adds frames to the evidence
        said: Said,  # words stages and failures
        timeout: float | None,  # seconds for each stage, or `None` for the defaults
        progress: Progress,  # takes what is being done
        failed: Callable[[], bool],  # whether any case is known to be wrong: the others then get `enough` seconds
        deadline: float | None = None,  # shared by all stages except compilation and timing, if any
    ) -> None:
        self._reader, self._said = reader, said
        self._timeout, self._progress, self._failed = timeout, progress, failed
        self._shared = None if deadline is None else Deadline(deadline)
        # frames that may answer a command: too many are as bad as none
        self._most = len(said.cases) * 4 + 3 * MOST_VARIANTS + 64
        self.begin()

    def begin(self) -> None:
        """Start counting the seconds of all stages together."""
        self._begun = time.monotonic()
        self._deadline = self._begun + self._in_all

    @property
    def seconds(self) -> float:
        """Return how long it has taken until now."""
        return time.monotonic() - self._begun

    def follow(
        self,
        worker: Worker,  # a worker that was sent a command
        evidence: Evidence,  # takes what it reports
        on_recorded: OnRecorded | None = None,  # takes each case that a recorder has recorded
        stage: str = "import",  # the first stage
        case: int | None = None,  # the first case, if any
    ) -> None:
        """Read frames until a worker is done, or until it fails; then the evidence says why.

        Raises OSError if the machine had no resources left for an engine, which says nothing about the file.
        """
        records, seconds = on_recorded is not None, 0.0
        try:
            with self._sharing(worker, stage) as shared:  # by the requested stage: the file may name another
                for _ in range(self._most):
                    seconds = self._seconds(stage)
                    frame = self._receive(worker, stage, seconds, shared)
                    if frame.kind == "done":
                        return
                    if frame.kind == "stage":
                        stage, case = str(frame.header["stage"]), self._reader.case_index(frame)
                        if not records or case is None:  # the engine reports the same case
                            self._progress(self._said.doing(stage, case))
                    elif frame.kind == "recorded" and on_recorded is not None:
                        on_recorded(frame)
                    else:
                        self._reader.take(frame, evidence)
                    if records and (evidence.is_over or self.has_enough(evidence)):
                        return
            raise ProtocolError(f"more than {self._most} messages came")
        except WorkerTimeoutError:
            if stage == "compile" and self._reader.compiling is not None:
                evidence.compile_findings.append(self._reader.compiling.timed_out())
            else:
                evidence.failure = self._timed_out(stage, seconds, case, records)
            worker.kill()
        except WorkerEndedError as error:
            if stage == "compile" and self._reader.compiling is not None and error.returncode in CRASHES:
                evidence.compile_findings.append(self._reader.compiling.crashed(error.returncode))
            elif error.returncode == OF_MACHINE and not records:  # of a recorder the exit code may be the file's own
                raise OSError(worker.output.strip().rpartition("\n")[2]) from error
            else:
                evidence.failure = self._said.ended(error, stage, case, records)
        except (ProtocolError, ValueError, TypeError, KeyError) as error:
            evidence.failure = tampering(self._said.file, str(error))
            worker.kill()

    def _receive(self, worker: Worker, stage: str, seconds: float, shared: Deadline | None) -> Frame:
        """Wait for a worker's next frame: the CPU seconds of its stage, or as long as the shared deadline permits."""
        if shared is None and stage in OURS:
            return worker.receive(min(seconds, self._left))
        if shared is None:
            shared = Deadline(seconds)
            shared.set_apart(worker.computed)  # before this frame
        shared.wait_for(worker)
        most = REPLAY if stage == "replay" else self._left
        while True:
            began = time.monotonic()
            try:
                return worker.receive(min(most, shared.left, self._left))
            except WorkerTimeoutError:
                pass
            finally:
                shared.waited(time.monotonic() - began)
            if stage == "replay" or not self._left or not shared.has_more():
                raise WorkerTimeoutError

    @contextlib.contextmanager
    def _sharing(self, worker: Worker, stage: str) -> Iterator[Deadline | None]:
        """Yield the deadline that a stage shares with others; exclude the CPU time of a stage with its own limits."""
        if self._shared is None or stage not in OURS:
            yield self._shared
            return
        before = worker.computed
        yield None
        self._shared.set_apart(worker.computed - before)

    @property
    def _left(self) -> float:
        return max(0.0, self._deadline - time.monotonic())

    def _timed_out(self, stage: str, seconds: float, case: int | None, records: bool) -> Finding:
        if self._shared is not None and stage != "benchmark":
            return self._said.out_of_time(self._shared.seconds, self._shared.is_used_up, stage, case, records)
        in_all = time.monotonic() >= self._deadline
        return self._said.timed_out(f"{self._in_all:g} s in all" if in_all else f"{seconds:g} s", stage, case)

    def _seconds(self, stage: str) -> float:
        if stage == "compile" and self._reader.compiling is not None:
            return self._reader.compiling.left
        if stage == "replay":
            return REPLAY
        seconds = self._timeout if self._timeout is not None else SECONDS.get(stage, 60.0)
        return min(seconds, self.enough) if stage == "run" and self._failed() else seconds

    @property
    def enough(self) -> float:
        """Seconds after which a wrong file gets no further cases."""
        return max(ENOUGH, self._timeout or 0.0)

    def has_enough(self, evidence: Evidence) -> bool:
        """Return whether a case is known to be wrong, and the seconds for a wrong file are over."""
        stopped = any(case.failure is not None for case in list(evidence.cases.values()))
        return self.seconds > self.enough and (stopped or self._failed())

    @property
    def _in_all(self) -> float:
        return ALL_STAGES * (self._timeout if self._timeout is not None else SECONDS["run"])
