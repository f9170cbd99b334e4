"""Verify a function: run its calls and their variations by the engine, and judge them as a puzzle's cases are."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tritonpuzzles.curriculum.record import Task
from tritonpuzzles.decoding.marks import nearest
from tritonpuzzles.judge.checker import Checker
from tritonpuzzles.judge.drawn import DrawnCase
from tritonpuzzles.judge.environment import choose_devices
from tritonpuzzles.judge.options import CheckOptions, Progress
from tritonpuzzles.judge.resolve import tolerances_of
from tritonpuzzles.judge.tolerances import deviation
from tritonpuzzles.judge.workers.crew import Start
from tritonpuzzles.results.check import Finding, PuzzleResult, Verdict
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.results.words import listed
from tritonpuzzles.verifier.calls import GivenCall, VerifyError
from tritonpuzzles.verifier.drawn import Asked, drawn_case
from tritonpuzzles.verifier.subject import files_of
from tritonpuzzles.verifier.truth import OUT
from tritonpuzzles.verifier.vary import NEVER_REFUSED, varied
from tritonpuzzles.wire.authored import AuthorError

REFUSED, UNTRIED = "variant-refused", "variant-untried"
TAKEN = ("infinities", "nan")  # variations that are tried only if the reference still gives numbers
NEXT = {  # next steps that differ from a course's
    "torch-compute": 'Do its work in a kernel; or let PyTorch compute: host="eager", --host eager.',
    "input-modified": 'Store to the output only; or say that it may change: mutates=["x"], --mutates x.',
    "wrong-dtype": "Return the dtype that the reference returns, or have the reference return this one.",
    "missing-host-function": "Name one of these after the colon of FILE:FUNCTION.",
}


@dataclass(frozen=True)
class Verification:
    """A function under test, and how it is verified."""

    file: Submission  # the function's file
    asked: Asked  # the requirements on it
    calls: Sequence[GivenCall]  # that the user gave
    kinds: Collection[str]  # kinds of variation that make further calls
    start: Start  # starts a worker: part, device
    options: CheckOptions  # as of a check
    seed: int  # of what is drawn
    progress: Progress = lambda sentence: None  # called with the current step in words
    confined: bool = False  # whether another process imports the file
    # called with each case before any is run; returns it with what PyTorch computed
    recorded: Callable[[Task, DrawnCase], DrawnCase] = lambda task, drawn: drawn

    def at_kernels(self) -> Verification:
        """Return it with the kernels' file, if the function's own file has none of them, such as a lambda in a test.

        Errors are then located in that file.
        """
        drawn = drawn_case(self.calls[0], None, (), self._rng(self.calls[0]))
        files = files_of(self.start("recorder", "cpu"), self.file, self.asked.task(self.calls[:1], [drawn]), drawn)
        if not files or str(self.file.opened) in files:
            return self
        return replace(self, file=Submission.of(Path(files[0])))

    def run(self) -> PuzzleResult:
        """Run it all; a change that the function refuses is noted, and the rest is run again.

        Raises VerifyError if the reference raises for what the user gave; NoDeviceError, WorkerBrokenError as a check.
        """
        calls, cases, notes = self._drawn()
        result = self._checked(calls, cases)
        firm = {call.name for call in calls if call.kind in ("", *NEVER_REFUSED) or self.options.case is not None}
        refused = _refused(result, {call.name for call in calls} - firm)
        if refused and not _refused(result, firm):
            names = {call.name for call in calls if call.name in refused or call.after in refused}  # it shares memory
            kept = [call for call in calls if call.name not in names]
            result = self._checked(kept, [drawn for drawn in cases if drawn.name not in names])
            notes += [_refusal(name, finding) for name, finding in refused.items()]
        if result.passed and not any(case.programs for case in result.cases):
            text = f"{self.asked.host} launches no program in any case."
            none = Finding("no-launch", text, file=str(self.file), next_step="Launch the kernel: kernel[grid](...).")
            result = replace(result, verdict=Verdict.FAIL, findings=(none, *result.findings))
        held = result.confinement if self.confined else None
        told = (replace(finding, next_step=NEXT.get(finding.code, finding.next_step)) for finding in result.findings)
        return replace(result, findings=(*told, *notes), confinement=held, stars=0)

    def _drawn(self) -> tuple[list[GivenCall], list[DrawnCase], list[Finding]]:
        """Return the calls with their truth, and a note on those that the reference refuses."""
        for call, name in ((call, name) for call in self.calls for name in self.asked.mutates):
            if name not in call.tensors:
                raise VerifyError(f"mutates: {name!r} is no tensor of {call.name}.{nearest(name, call.tensors)}")
        made = varied(self.calls, self.kinds, self.asked.mutates, self.seed)
        calls, cases, untried = [], [], []
        for call in _only(self.options.case, [*self.calls, *made]):
            try:
                drawn = drawn_case(call, self.asked.reference, self.asked.mutates, self._rng(call))
            except AuthorError as error:
                if not call.kind:
                    raise VerifyError(f"For {call.name}, {error}.") from error
                untried.append(call.name)
                continue
            if self._is_told(call, drawn):
                calls.append(call)
                cases.append(drawn)
        self._check_limits(cases)
        # the reference runs completely before the function does, which may change objects that both see
        tasks = [self.asked.task([call], [drawn]) for call, drawn in zip(calls, cases, strict=True)]
        recorded = list(map(self.recorded, tasks, cases))
        if not untried:
            return calls, recorded, []
        text = f"Not tried, as the reference refuses {'it' if len(untried) == 1 else 'them'}: {listed(untried)}."
        return calls, recorded, [Finding(UNTRIED, text)]

    def _check_limits(self, cases: Sequence[DrawnCase]) -> None:
        """Raise a VerifyError for a limit on a name that is no tensor of any case."""
        known = {name for drawn in cases for name in drawn.sizes}
        for key in ("loads", "stores"):
            for name in getattr(self.asked.limits, key):
                if name not in known and not (self.asked.reference is None and name.startswith(OUT)):
                    raise VerifyError(f"limits, {key}: there is no tensor {name!r}.{nearest(name, known)}")

    def _is_told(self, call: GivenCall, drawn: DrawnCase) -> bool:
        """Return whether the truth of a call can distinguish right from wrong.

        Infinities and NaN are tried only if the reference still gives numbers, and larger numbers only if PyTorch
        itself stays within the tolerance in the dtypes of the call.
        """
        if call.kind in TAKEN:
            return not any(bool(golden.isnan().any()) for golden in drawn.golden)
        if call.kind != "magnitudes" or self.asked.reference is None:
            return True
        tensors = {name: layout.tensor() for name, layout in drawn.tensors.items()}
        try:
            given = self.asked.reference(call.described, tensors, call.values)
        except Exception:  # PyTorch computes nothing in such a dtype
            return False
        tolerances = tolerances_of(self.asked.task([call], [drawn]), drawn)
        return all(
            bool(golden.isfinite().all()) and not (golden.numel() and deviation(output, golden, tolerance).wrong)
            for output, golden, tolerance in zip(given, drawn.golden, tolerances, strict=True)
        )

    def _rng(self, call: GivenCall) -> random.Random:
        """Return the generator that lays out a call's tensors: the same for calls that share memory."""
        return random.Random(f"{self.seed}/{call.after or call.name}")

    def _checked(self, calls: Sequence[GivenCall], cases: Sequence[DrawnCase]) -> PuzzleResult:
        def draw(task: Task, device: str) -> Sequence[DrawnCase]:
            """Return the cases for a device; phantom and far-apart ones are tried on the CPU only."""
            return [drawn for drawn in cases if device == "cpu" or not (drawn.phantom or drawn.far_apart)]

        devices = choose_devices(self.options.device)
        checker = Checker(self.options, devices, self.seed, self.progress, None, draw, start=self.start)
        return checker.check_file(self.asked.task(calls, cases), self.file)


def _only(name: str | None, calls: list[GivenCall]) -> list[GivenCall]:
    """Return the call of a name, and those before it that share its memory; all without a name.

    Raises VerifyError if there is none.
    """
    if name is None:
        return calls
    named = {call.name.lower(): call for call in calls}
    wanted: str | None = name.lower()
    if wanted not in named:
        raise VerifyError(f"There is no case {name!r}.{nearest(name, [call.name for call in calls])}")
    chain: list[GivenCall] = []
    while wanted is not None:
        chain.insert(0, named[wanted.lower()])
        wanted = chain[0].after
    return chain


def _refused(result: PuzzleResult, changed: Collection[str]) -> dict[str, Finding | None]:
    """Return the varied calls that ended with an exception or were rejected, with the finding."""
    broken = [case.name for case in result.cases if case.verdict is Verdict.ERROR and case.name in changed]
    told = {finding.case: finding for finding in reversed(result.errors)}  # `None`: a kernel that does not compile
    return {name: told.get(name, told.get(None)) for name in broken}


def _refusal(name: str, finding: Finding | None) -> Finding:
    why = "" if finding is None else f": {finding.message}"
    text = f'"{name}" is refused{why or "."}'
    place = (None, None) if finding is None else (finding.file, finding.line)
    return Finding(REFUSED, text, *place, case=name)
