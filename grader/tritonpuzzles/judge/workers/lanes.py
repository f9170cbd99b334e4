"""The engines of one file side by side: each runs a case as soon as it is free."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from threading import BoundedSemaphore

from tritonpuzzles.judge.workers.process import Worker

AHEAD = 2  # cases that wait for an engine
Run = Callable[[Worker], None]


@dataclass(frozen=True)
class CaseProgram:
    """The program of a case, and the texts of the files that its kernels stand in."""

    index: int
    payload: bytes
    texts: dict[str, str]
    known: tuple[str, ...] = ()  # texts of all files until then: what it compiles to is kept by them


class Lanes:
    """One thread for each of several engines, for the length of a `with` block; a single one works in the caller's.

    The first engine is the one that does everything else, too. Where there is a `before`, it is called with every
    program before any of them is run; without it each is run as soon as it comes.
    """

    def __init__(self, engines: Sequence[Worker], before: Callable[[CaseProgram], None] | None = None) -> None:
        self._first, self._before = engines[0], before
        self._waiting: list[tuple[CaseProgram, Run]] = []
        self._pool = ThreadPoolExecutor(len(engines)) if len(engines) > 1 else None
        self._free: SimpleQueue[Worker] = SimpleQueue()
        for engine in engines:
            self._free.put(engine)
        self._room = BoundedSemaphore(len(engines) + AHEAD)
        self._futures: list[Future[None]] = []
        self.begun: set[int] = set()  # cases that were given to one
        self.run_by_helpers: list[CaseProgram] = []  # what others than the first ran

    def __enter__(self) -> Lanes:
        return self

    def __exit__(self, *raised: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def begin(self, program: CaseProgram, run: Run) -> None:
        """Run a case on an engine that is free; waits only where many wait already."""
        self.begun.add(program.index)
        if self._before is None:
            self._begin(program, run)
        else:
            self._waiting.append((program, run))

    def _begin(self, program: CaseProgram, run: Run) -> None:
        if self._pool is None:
            run(self._first)
            return
        self._room.acquire()
        self._futures.append(self._pool.submit(self._run, program, run))

    def finish(self) -> None:
        """Wait until every case was run; raises what running one raised."""
        if self._before is not None:
            for program, _ in self._waiting:
                self._before(program)
        for program, run in self._waiting:
            self._begin(program, run)
        for future in self._futures:
            future.result()

    def _run(self, program: CaseProgram, run: Run) -> None:
        engine = self._free.get()
        try:
            run(engine)
        finally:
            if engine is not self._first:
                self.run_by_helpers.append(program)
            self._free.put(engine)
            self._room.release()
