"""Run several engines of one file in parallel: each runs a case as soon as it is free."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from queue import SimpleQueue
from threading import BoundedSemaphore

from tritonpuzzles.judge.workers.process import Worker

AHEAD = 2  # cases that may wait for an engine
Run = Callable[[Worker], None]
Note = Callable[["CaseProgram"], None]


@dataclass(frozen=True)
class CaseProgram:
    """The program of a case, and the texts of the files that contain its kernels."""

    index: int
    payload: bytes
    texts: dict[str, str]
    known: tuple[str, ...] = ()  # texts of all files so far: its compiled code is kept under them


class Lanes:
    """One thread for each of several engines, for the length of a `with` block; a single engine runs in the caller's.

    The first engine also does all other work: when no case waits for an engine any more, it is told what the others ran
    (`note`). If `before` is given, it is called with every program before any runs; otherwise each runs as soon as it
    arrives.
    """

    def __init__(self, engines: Sequence[Worker], note: Note, before: Note | None = None) -> None:
        self._first, self._note, self._before = engines[0], note, before
        self._waiting: list[tuple[CaseProgram, Run]] = []
        self._pool = ThreadPoolExecutor(len(engines)) if len(engines) > 1 else None
        self._free: SimpleQueue[Worker] = SimpleQueue()
        for engine in engines:
            self._free.put(engine)
        self._room = BoundedSemaphore(len(engines) + AHEAD)
        self._futures: list[Future[None]] = []
        self._run_by_helpers: SimpleQueue[CaseProgram] = SimpleQueue()
        self.begun: set[int] = set()  # cases that were started

    def __enter__(self) -> Lanes:
        return self

    def __exit__(self, *raised: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def begin(self, program: CaseProgram, run: Run) -> None:
        """Run a case on a free engine; block only if many cases wait already."""
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
        """Wait until every case has run and the first engine knows them; raise what a run raised."""
        if self._before is not None:
            for program, _ in self._waiting:
                self._before(program)
        for program, run in self._waiting:
            self._begin(program, run)
        if self._pool is not None:
            self._pool.submit(self._catch_up).result()

    def _catch_up(self) -> None:
        """Tell the first engine of each case that a helper has run; no further case waits for a thread by then."""
        helpers = []
        while (engine := self._free.get()) is not self._first:
            helpers.append(engine)
        for engine in helpers:  # cases that have started may still need one
            self._free.put(engine)
        for future in as_completed(self._futures):
            future.result()
            while not self._run_by_helpers.empty():
                self._note(self._run_by_helpers.get())

    def _run(self, program: CaseProgram, run: Run) -> None:
        engine = self._free.get()
        try:
            run(engine)
        finally:
            if engine is not self._first:
                self._run_by_helpers.put(program)
            self._free.put(engine)
            self._room.release()
