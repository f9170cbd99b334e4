"""Check one file: draw its cases, have workers run them on each device, judge the evidence, explain what is wrong."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from tritonpuzzles.curriculum.record import Task
from tritonpuzzles.curriculum.tables import RecordError
from tritonpuzzles.hardware.l2 import l2_named
from tritonpuzzles.judge.environment import choose_devices, gpu_name, has_cores_to_spare, one_thread
from tritonpuzzles.judge.options import CheckOptions, Progress, seed_of
from tritonpuzzles.judge.verdict.devices import combine
from tritonpuzzles.judge.workers.cards import Card
from tritonpuzzles.judge.workers.crew import Crew, Start
from tritonpuzzles.judge.workers.parent import Stop, StoppedError, warm_parent
from tritonpuzzles.judge.workers.process import Worker, WorkerBrokenError
from tritonpuzzles.results.check import Finding, Preliminary, PuzzleResult, Verdict
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.results.words import DEVICES

if TYPE_CHECKING:
    from tritonpuzzles.judge.drawn import DrawnCase
    from tritonpuzzles.judge.evidence.cases import Evidence
    from tritonpuzzles.judge.inputs import Draws
    from tritonpuzzles.judge.verdict.judged import JudgedCase
    from tritonpuzzles.judge.workers.trial import Trial
    from tritonpuzzles.results.speed import Benchmark

Found = TypeVar("Found")
Draw = Callable[[Task, str], "Sequence[DrawnCase]"]  # returns the cases of a task that run on a device
Tell = Callable[[Preliminary], None]


def ready_for(tasks: Iterable[Task], options: CheckOptions) -> tuple[tuple[str, ...], int, Draws]:
    """Return the devices, the seed and the cases of a run; report an author's error before anything runs.

    Raises:
        NoDeviceError: if `options.device` is "cuda" and there is no GPU.
        RecordError: if a puzzle's record names something that does not exist, or its parts contradict each other.
    """
    warm_parent()  # its imports run in parallel with those of this process
    devices = choose_devices(options.device)
    from tritonpuzzles.judge.inputs import Draws
    from tritonpuzzles.judge.resolve import resolve

    for task in tasks:
        resolve(task)
    seed = seed_of(options.seed)
    return devices, seed, Draws(seed)


@dataclass(frozen=True)
class Begun:
    """A check on one device, prepared up to the point where the file is needed: its workers wait for the file."""

    trial: Trial
    crew: Crew
    too_large: Sequence[Finding]  # notes on cases that do not fit into the GPU's memory


@dataclass(frozen=True)
class Checker:
    """Checks one file after the other under the same options, seed and devices."""

    options: CheckOptions
    devices: tuple[str, ...]
    seed: int
    progress: Progress
    cache: Path | None
    draw: Draw
    tell: Tell | None = None  # takes a preliminary result while the check continues
    stop: Stop | None = None  # ends a check from another thread
    begun: dict[str, Begun] = field(default_factory=dict)  # by device: checks that `begin` has prepared
    helpers: int = 0  # further engines that run cases on the CPU
    start: Start = Worker  # starts a worker: part, device
    card: Card = field(default_factory=Card)  # the GPU that the check runs on, which other checks may share
    yardsticks: Benchmark | None = None  # as `Trial` takes them

    def crew(self, task: Task, device: str) -> Crew:
        """Start the workers of a check on one device; returns at once."""
        from tritonpuzzles.judge.resolve import own_of

        helpers = self.helpers if device == "cpu" else 0
        return Crew(device, self.cache, self.start, self.stop, helpers, own_of(task, device))

    def begin(self, task: Task, file: Submission, device: str, crew: Crew) -> Begun:
        """Draw the cases while the workers start: this is all that can be done before the file is read.

        Raises RecordError if the puzzle's families or reference do not fit its record.
        """
        from tritonpuzzles.judge.inputs import fitting
        from tritonpuzzles.judge.truth import wake
        from tritonpuzzles.judge.workers.trial import Trial

        targets = self.options.targets if device == "cpu" else ()
        cases, too_large = fitting(self.draw(task, device), device)
        where = self.card.device if device == "cuda" else device
        cases = [replace(drawn, drawn_on=where) if drawn.drawing else drawn for drawn in cases]
        asked = self.options
        trial = Trial(
            task, file, device, cases, asked.timeout, self.progress, targets,
            deadline=asked.deadline, yardsticks=self.yardsticks, chosen=asked.case is not None,
        )  # fmt: skip
        if any(drawn.drawing for drawn in cases):
            wake(where)
        return Begun(trial, crew, too_large)

    def check_file(self, task: Task, file: Submission) -> PuzzleResult:
        """Check one file on every device; a fault of the grader itself becomes a result, and does not end the run.

        Raises:
            RecordError: if the puzzle's families or reference do not fit its record.
            StoppedError: if the user stops the check.
            WorkerBrokenError: if no worker starts.
        """
        from tritonpuzzles.judge.verdict.speed import stars

        started = time.perf_counter()
        with ExitStack() as stack:
            crews = {}
            for device in self.devices:  # workers that wait already, or new ones
                begun = self.begun.get(device)
                crews[device] = stack.enter_context(begun.crew if begun is not None else self.crew(task, device))
            found = combine(self._on_devices(task, file, crews))
        return replace(
            found, seconds=time.perf_counter() - started, stars=stars(found) if self.options.case is None else 0
        )

    def _on_devices(self, task: Task, file: Submission, crews: Mapping[str, Crew]) -> list[PuzzleResult]:
        """Check a file on all devices, a thread each; drop the GPU's result if the CPU could not run the file."""
        (device, crew), *others = crews.items()
        first: Future[PuzzleResult] = Future()
        pool = ThreadPoolExecutor(len(crews))
        running = [pool.submit(self._tried, task, file, *other, first) for other in others]
        pool.shutdown(wait=False)
        try:
            with one_thread() if self.devices == ("cpu",) else nullcontext():  # a GPU's cases are large
                first.set_result(self._tried(task, file, device, crew))
            crew.close()
            if running:
                self._tell(first.result(), f"running on the {DEVICES['cuda']}")
            if not has_cores_to_spare():
                wait(running)  # nothing may be timed while a prediction runs
            found = [self._with_prediction(task, file, first.result(), running)]
        except Exception as error:
            if not first.done():
                first.set_exception(error)
            wait(running)  # they use workers that are closed next
            raise
        found += [other.result() for other in running]
        return found[:1] if found[0].verdict in (Verdict.ERROR, Verdict.UNSOLVED) else found

    def _tried(
        self, task: Task, file: Submission, device: str, crew: Crew, first: Future[PuzzleResult] | None = None
    ) -> PuzzleResult:
        """Check a file on one device; a fault of the grader itself becomes a result."""
        try:
            return self._try(task, file, device, crew, first)
        except (WorkerBrokenError, RecordError, StoppedError):
            raise
        except Exception as error:
            if self.options.verbose:
                raise
            text = f"The grader itself failed ({type(error).__name__}: {error}); this says nothing about the file."
            step = f"Run again with --verbose --seed {self.seed}, and report what it prints."
            finding = Finding("grader-fault", text, file=str(file), next_step=step)
            fault, first_device = Verdict.INFRA_ERROR, self.devices[0]
            return PuzzleResult(task.number, task.slug, file, fault, first_device, self.seed, (finding,))

    def _try(
        self, task: Task, file: Submission, device: str, crew: Crew, first: Future[PuzzleResult] | None
    ) -> PuzzleResult:
        """Check a file on one device; `first` will hold the first device's result, and timing waits for it."""
        from tritonpuzzles.judge.diagnosis.mend import mended, wanted
        from tritonpuzzles.judge.verdict.decide import judge, name_mistakes
        from tritonpuzzles.judge.verdict.divergence.row import row_states
        from tritonpuzzles.judge.verdict.judged import with_doubt
        from tritonpuzzles.judge.verdict.one_case import EarlyJudge
        from tritonpuzzles.judge.verdict.speed import time_on_gpu

        begun = self.begun.pop(device, None) or self.begin(task, file, device, crew)
        trial = begun.trial
        known: list[list[Finding]] = []
        seen: list[JudgedCase] = []

        def named(trial: Trial, judged: Sequence[JudgedCase]) -> list[Finding]:
            """Explain wrong values once: later compilations do not change them."""
            if not known:
                seen.extend(judged)
                known.append(self._located(trial, judged, name_mistakes(trial, judged), crew))
            return known[0]

        on_wrong = None if self.tell is None else partial(self._tell_wrong, trial, first)
        with self._on_card(crew) if device == "cuda" else nullcontext(), EarlyJudge(trial, on_wrong) as early:

            def judged(evidence: Evidence) -> PuzzleResult:
                found = judge(trial, evidence, self.seed, early.case, named)
                return replace(found, findings=(*found.findings, *begun.too_large))

            if self.tell is not None:
                doing = f"compiling for {' and '.join(trial.targets) or 'the GPU'}"
                trial.on_values = lambda evidence: self._tell(judged(evidence), doing, first)
            evidence = trial.gather(crew)
            result = judged(evidence)
            if result.passed and device == "cuda" and self.options.benchmark:
                self._tell(result, "timing it on the GPU", first)
                wait([first] if first is not None else [])
                result = time_on_gpu(trial, crew, evidence, result, self.card.alone)
            if self.options.values and evidence.failure is None:
                told = next((finding.case for finding in result.findings if finding.case is not None), None)
                asked = partial(row_states, trial, seen, told, partial(trial.states, crew))
                result = replace(result, states=self._unless_at_fault(asked, None))
            failed = device == "cpu" and result.verdict is Verdict.FAIL
            if self.options.mend and failed and wanted(result.findings) is not None:
                self._tell(result, "looking for the line that is wrong", first)
                crew.keep()  # without this, the engine would be closed here
                look = partial(mended, trial, seen, result.findings, partial(trial.replay, crew))
                result = replace(result, findings=tuple(self._unless_at_fault(look, result.findings)))
        return replace(result, findings=tuple(map(with_doubt, result.findings)))

    @contextmanager
    def _on_card(self, crew: Crew) -> Iterator[None]:
        """Reserve a share of the GPU until the workers have released all of their memory on it."""
        with self.card.shared(), crew:
            yield

    def _with_prediction(
        self, task: Task, file: Submission, result: PuzzleResult, running: Sequence[Future[PuzzleResult]]
    ) -> PuzzleResult:
        """Add a model's prediction of the speed to a correct result; this runs the file once more, in other workers."""
        from tritonpuzzles.judge.predicted.speed import predicted_speed

        gpu = self.options.gpu
        if not result.passed or self.devices[0] != "cpu" or gpu is None or self.options.case is not None:
            return result
        if "cuda" in self.devices and (own := l2_named(gpu_name())) is not None:
            gpu = own.gpu  # so that the timing shows how far off the prediction is
        if self.tell is not None and all(other.done() for other in running):
            known = combine([result, *(other.result() for other in running)])
            self.tell(Preliminary(known, f"predicting its speed on the {gpu}"))
        start = partial(Crew, "cpu", self.cache, self.start, self.stop)
        look = partial(predicted_speed, task, file, gpu, start, self.seed, self.options.timeout)
        return replace(result, predicted=self._unless_at_fault(look, None))

    def _located(self, trial: Trial, judged: Sequence[JudgedCase], named: list[Finding], crew: Crew) -> list[Finding]:
        """Add to findings the line where values first go wrong, or the change that would give the same values."""
        from tritonpuzzles.judge.diagnosis.predict import predicted
        from tritonpuzzles.judge.verdict.divergence.locate import located

        found = self._unless_at_fault(partial(located, trial, judged, named, partial(trial.states, crew)), named)
        return self._unless_at_fault(partial(predicted, trial, judged, found), found)

    def _unless_at_fault(self, look: Callable[[], Found], otherwise: Found) -> Found:
        """Return the result of `look`, a closer look at a case.

        The verdict does not depend on it: if it fails by a fault of ours, return `otherwise`; with --verbose, raise.
        """
        try:
            return look()
        except (RecordError, StoppedError, WorkerBrokenError):
            raise
        except Exception:
            if self.options.verbose:
                raise
            return otherwise

    def _tell_wrong(self, trial: Trial, first: Future[PuzzleResult] | None, case: JudgedCase) -> None:
        """Report that the file does not pass, as soon as one case shows it."""
        found = case.result(trial.device)
        result = PuzzleResult(
            trial.task.number, trial.task.slug, trial.file, found.verdict, trial.device, self.seed,
            tuple(case.findings), (found,),
        )  # fmt: skip
        self._tell(result, "running the other cases", first)

    def _tell(self, result: PuzzleResult, doing: str, first: Future[PuzzleResult] | None = None) -> None:
        """Report what is known so far, together with the first device's result."""
        if self.tell is not None and (first is None or first.done()):
            self.tell(Preliminary(combine([result] if first is None else [first.result(), result]), doing))
