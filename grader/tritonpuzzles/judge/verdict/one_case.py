"""Judge one case: compare its outputs, check its limits, and collect its findings.

Each case is judged as soon as its result arrives, while the worker runs the next ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import replace
from threading import BoundedSemaphore

from tritonpuzzles.curriculum.record import Task
from tritonpuzzles.judge.drawn import ANY, DrawnCase
from tritonpuzzles.judge.evidence.cases import CaseEvidence, OtherOrder, SomeRows
from tritonpuzzles.judge.evidence.fields import Output
from tritonpuzzles.judge.resolve import tolerances_of
from tritonpuzzles.judge.tolerances import Tolerance
from tritonpuzzles.judge.truth import with_rows
from tritonpuzzles.judge.verdict.compare import Comparison, compare, compare_rows, form_comparison
from tritonpuzzles.judge.verdict.judged import JudgedCase
from tritonpuzzles.judge.verdict.layouts import FAR_ROWS_STEP, far_rows_text
from tritonpuzzles.judge.verdict.limits import limit_findings
from tritonpuzzles.judge.verdict.traffic import dram_findings
from tritonpuzzles.judge.workers.trial import Trial
from tritonpuzzles.results.check import Finding, Verdict
from tritonpuzzles.results.cover import INT32_OVERFLOW, IS_EMPTY
from tritonpuzzles.results.words import listed
from tritonpuzzles.wire.frames import ProtocolError

RESET = (
    "The autotuner runs each configuration many times: name the tensor that the kernel adds to in "
    '@triton.autotune(..., reset_to_zero=["..."]).'
)
ANY_ORDER = (
    "Programs run in any order, and do not wait: let a second launch do what needs other programs' results, "
    "or wait for them."
)
NOTHING = "Nothing is to be computed where {sizes}: return the empty result before, if it has no elements."
JudgeOne = Callable[[Trial, DrawnCase, CaseEvidence], JudgedCase]

# Trials of a class are judged in parallel. A comparison is many short PyTorch operations, for which more threads only
# compete for Python's lock: with eight threads each comparison took three times as long.
AT_ONCE = BoundedSemaphore(4)


def order_finding(
    trial: Trial, drawn: DrawnCase, orders: Sequence[OtherOrder], tolerances: tuple[Tolerance, ...]
) -> Finding | None:
    """Return the finding for the first order in which a case's outputs are wrong; `None` if all are right.

    Each is compared with the truth, within the tolerance of the case: sums of floats may differ in their last bits.
    Raises ProtocolError if an output's bytes do not fit its shape and dtype.
    """
    for order in orders:
        found = compare(drawn, order.outputs, tolerances, trial.device, trial.task.call).result.mismatch
        if found is None:
            continue
        wrong = f"{found.wrong:,} of {found.total:,} elements of {found.output} are wrong"
        first = f"the first is [{', '.join(map(str, found.first))}], expected {found.expected:.6g}, got {found.got:.6g}"
        if order.way == "tuned":
            text = f"{wrong} where the autotuner has run the launch before, on the same memory: {first}."
            return Finding("tuned-in-place", text, order.file, order.line, drawn.name, RESET)
        which = "the last first" if order.way == "last first" else "each to its end"
        text = (
            f"{wrong} when the programs run one after the other, {which}: {first}. What a program sees in line "
            f"{order.line} depends on which programs have run."
        )
        return Finding("order-dependent", text, order.file, order.line, drawn.name, ANY_ORDER)
    return None


def judge_case(trial: Trial, drawn: DrawnCase, evidence: CaseEvidence) -> JudgedCase:
    """Compare one case and collect what was found in it."""
    if evidence.failure is not None:
        failure = replace(evidence.failure, case=drawn.name)
        if failure.code == "illegal-memory-access" and drawn.far_apart:  # only these rows can have caused it
            failure = replace(failure, code=INT32_OVERFLOW, message=far_rows_text(drawn), next_step=FAR_ROWS_STEP)
        if failure.code == "runtime-error" and failure.next_step is None and drawn.is_empty:
            sizes = listed([f"{name} is {size}" for name, size in drawn.dims.items()])
            failure = replace(failure, next_step=NOTHING.format(sizes=sizes), details={IS_EMPTY: True})
        return JudgedCase(drawn, evidence, None, [failure])
    known, comparison, tolerances = compared(trial, drawn, evidence.outputs, evidence.rows)
    findings = [replace(_weighed(trial.task, finding), case=drawn.name) for finding in evidence.findings]
    findings += comparison.findings
    if drawn.limited and not (comparison.findings or drawn.phantom):  # else multiples of a size mean nothing
        findings += limit_findings(trial.task.limits, drawn, evidence)
    if not comparison.findings:
        findings += dram_findings(trial.task.limits, drawn, evidence)
    if comparison.result.mismatch is None and (found := order_finding(trial, known, evidence.orders, tolerances)):
        findings.append(found)
    return JudgedCase(known, evidence, comparison, findings, tolerances)


def _weighed(task: Task, finding: Finding) -> Finding:
    """Return a finding; one value stored several times becomes a note if the task permits it."""
    shared = task.shares and finding.code == "written-twice"
    return replace(finding, code="written-alike") if shared else finding


def compared(
    trial: Trial, drawn: DrawnCase, outputs: Sequence[Output], rows: SomeRows | None
) -> tuple[DrawnCase, Comparison, tuple[Tolerance, ...]]:
    """Compare the outputs of a case, or some rows of them if whole ones are too large to be sent.

    Return the case with the truth of what was compared, the comparison, and the tolerances. Raises ProtocolError if an
    output's bytes do not fit its shape and dtype; RecordError if a family, the reference or a tolerance does not fit
    the record at this size.
    """
    task, device = trial.task, trial.device
    if drawn.drawing is None:
        drawn = _as_returned(drawn, outputs)
        untyped = any(wanted.dtype == ANY for wanted in drawn.outputs)  # then the form is wrong
        tolerances = () if drawn.phantom or untyped else tolerances_of(task, drawn)
        return drawn, compare(drawn, outputs, tolerances, device, task.call), tolerances
    if (form := form_comparison(drawn, outputs, device, task.call)) is not None:
        return drawn, form, ()
    if rows is None or len(rows.pieces) != len(outputs):
        raise ProtocolError(f"rows of {len(rows.pieces) if rows else 0} outputs arrived, of {len(outputs)}")
    sampled, tolerances = with_rows(task, drawn, rows.numbers, f"case {drawn.name!r}")
    return sampled, compare_rows(sampled, outputs, rows.pieces, tolerances, device, task.call), tolerances


def _as_returned(drawn: DrawnCase, outputs: Sequence[Output]) -> DrawnCase:
    """Return a case in which an output that may have any dtype gets the dtype that was returned."""
    if all(wanted.dtype != ANY for wanted in drawn.outputs) or len(outputs) != len(drawn.outputs):
        return drawn
    typed = (replace(one, dtype=one.dtype or given.dtype) for one, given in zip(drawn.outputs, outputs, strict=True))
    return drawn if any(one.type != "Tensor" for one in outputs) else replace(drawn, outputs=tuple(typed))


class EarlyJudge:
    """Judges the cases of one trial in a thread, for the length of a `with` block.

    An exception while judging a case is raised by `case`, as if the case were judged there. `on_wrong` is called, in
    that thread, with the first case that keeps the file from passing. A case that stores nothing does not count,
    because it may be a stub's.
    """

    def __init__(self, trial: Trial, on_wrong: Callable[[JudgedCase], None] | None = None) -> None:
        self._trial, self._on_wrong, self._pool = trial, on_wrong, ThreadPoolExecutor(1)
        self._known: dict[int, tuple[CaseEvidence, Future[JudgedCase]]] = {}

    def __enter__(self) -> EarlyJudge:
        self._trial.on_case = self._start
        self._trial.failed, self._trial.is_wrong = self._failed, self._is_wrong
        return self

    def __exit__(self, *ended_by: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def _start(self, drawn: DrawnCase, evidence: CaseEvidence) -> None:
        future = self._pool.submit(self._judge, drawn, evidence)
        self._known[id(evidence)] = evidence, future  # kept alive, so that its id is not used again

    def _judge(self, drawn: DrawnCase, evidence: CaseEvidence) -> JudgedCase:
        with AT_ONCE:
            judged = judge_case(self._trial, drawn, evidence)
        if self._on_wrong is not None and evidence.stored and not self._passes(judged):
            self._on_wrong(judged)
            self._on_wrong = None
        return judged

    def _passes(self, judged: JudgedCase) -> bool:
        return judged.result(self._trial.device).verdict is Verdict.PASS

    def _failed(self) -> bool:
        """Return whether any case is wrong, after waiting for all; a case that could not be judged does not count."""
        wait([future for _, future in list(self._known.values())])
        return self._is_wrong()

    def _is_wrong(self) -> bool:
        """Return whether any case judged so far is wrong."""
        done = [future for _, future in list(self._known.values()) if future.done()]
        return not all(self._passes(future.result()) for future in done if future.exception() is None)

    def case(self, trial: Trial, drawn: DrawnCase, evidence: CaseEvidence) -> JudgedCase:
        """Return a case's judgement, waiting if its thread is not done; see `judge_case`.

        The list of findings is a copy, so that the caller may add to it.
        """
        if id(evidence) not in self._known:
            return judge_case(trial, drawn, evidence)
        judged = self._known[id(evidence)][1].result()
        return replace(judged, findings=[*judged.findings])
