"""Judge each case as soon as its result is there, while the worker runs the next ones."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from types import TracebackType

from tritonpuzzles.judge.drawn import DrawnCase
from tritonpuzzles.judge.evidence.cases import CaseEvidence
from tritonpuzzles.judge.verdict.judged import JudgedCase
from tritonpuzzles.judge.verdict.one_case import judge_case
from tritonpuzzles.judge.workers.trial import Trial
from tritonpuzzles.results.check import Verdict


class EarlyJudge:
    """A thread that judges the cases of one trial; for the length of a `with` block.

    What judging a case raises, `case` raises: the same as if it were judged there and then.

    Args:
        trial: whose cases are judged.
        on_wrong: called, in that thread, with the first case that keeps the file from passing. A case that stores
            nothing is none: it may be a stub's.
    """

    def __init__(self, trial: Trial, on_wrong: Callable[[JudgedCase], None] | None = None) -> None:
        self._trial = trial
        self._on_wrong = on_wrong
        self._pool = ThreadPoolExecutor(1)
        self._known: dict[int, tuple[CaseEvidence, Future[JudgedCase]]] = {}

    def __enter__(self) -> EarlyJudge:
        self._trial.on_case, self._trial.failed = self._start, self._failed
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown(cancel_futures=True)

    def _start(self, drawn: DrawnCase, evidence: CaseEvidence) -> None:
        future = self._pool.submit(self._judge, drawn, evidence)
        self._known[id(evidence)] = evidence, future  # the evidence is kept: its id stays its own

    def _judge(self, drawn: DrawnCase, evidence: CaseEvidence) -> JudgedCase:
        judged = judge_case(self._trial, drawn, evidence)
        if self._on_wrong is not None and evidence.stored and not self._passes(judged):
            self._on_wrong(judged)
            self._on_wrong = None
        return judged

    def _passes(self, judged: JudgedCase) -> bool:
        return judged.result(self._trial.device).verdict is Verdict.PASS

    def _failed(self) -> bool:
        """Return whether any case is wrong; one that could not be judged is not known to be."""
        futures = [future for _, future in list(self._known.values())]
        judged = [future.result() for future in futures if future.exception() is None]
        return not all(map(self._passes, judged))

    def case(self, trial: Trial, drawn: DrawnCase, evidence: CaseEvidence) -> JudgedCase:
        """Return a case's judgement, waiting for it where it has been started; see `judge_case`.

        It is the caller's own: findings that it adds are not there for the next.
        """
        if id(evidence) not in self._known:
            return judge_case(trial, drawn, evidence)
        judged = self._known[id(evidence)][1].result()
        return replace(judged, findings=[*judged.findings])
