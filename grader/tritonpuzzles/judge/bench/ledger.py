"""Before anything is timed: is the file right on a small matrix of each size, and how many bytes does it move?

Both are found on the CPU by the tracing interpreter. Traffic in multiples of the tensors' sizes does not depend on the
number of rows, so that a few rows tell what a matrix of any height costs; a model of the GPU's L2 cache gives each of
them the share that it has beside the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tritonpuzzles.curriculum.record import Case
from tritonpuzzles.hardware.gpus import TARGETS
from tritonpuzzles.hardware.l2 import L2
from tritonpuzzles.judge.bench import Entrant
from tritonpuzzles.judge.bench.plan import Plan, timed_case
from tritonpuzzles.judge.environment import one_thread
from tritonpuzzles.judge.evidence.cases import Evidence
from tritonpuzzles.judge.inputs import draw
from tritonpuzzles.judge.verdict.decide import unsound
from tritonpuzzles.judge.workers.crew import Crew
from tritonpuzzles.judge.workers.trial import Trial
from tritonpuzzles.results.bench import BenchPoint
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.inspect import programs_per_sm

Crews = Callable[[], Crew]
AGAIN = 1.01  # times the least possible: something is read or written twice


@dataclass(frozen=True)
class Counted:
    """What the interpreter says of one file."""

    ledger_bytes: tuple[int | None, ...]  # of one call at each point of the plan; `None` where bytes do not decide
    dram_bytes: tuple[int | None, ...]  # that the L2 cache leaves to DRAM; `None` where nothing models it
    refusal: Finding | None = None  # why its speed is not worth knowing, if it is not


def count(plan: Plan, entrant: Entrant, crews: Crews, timeout: float | None, l2: L2 | None = None) -> Counted:
    """Run a file on the CPU at every point of a plan, with few rows.

    A file that asks for more than its puzzle allows is right all the same, and is timed. Raises WorkerBrokenError if
    the worker never became ready.
    """
    cases = ledger_cases(plan)
    puzzle = replace(plan.puzzle, cases=tuple(cases), benchmark=None)
    with one_thread(), crews() as crew:
        trial = Trial(puzzle, entrant.file, "cpu", draw(puzzle, plan.seed, "cpu"), timeout, lambda _: None)
        evidence = trial.gather(crew)
        problem = unsound(trial, evidence)
        nothing = (None,) * len(plan.points)
        if problem is not None or not plan.spec.memory_bound:
            return Counted(nothing, nothing, problem)
        room = {} if l2 is None else _room(plan, trial, evidence, crews, l2.target)
        found = [_at(plan, trial, evidence, crew, point, l2, room) for point in plan.points]
    return Counted(tuple(ledger for ledger, _ in found), tuple(dram for _, dram in found))


def _room(plan: Plan, trial: Trial, evidence: Evidence, crews: Crews, target: str) -> dict[str, int]:
    """Compile what reads or writes anything twice, and return how many of its programs a multiprocessor has room for.

    Where everything moves once, a cache changes nothing, and some of these kernels take the compiler a minute.
    """
    least = [sum(drawn.sizes.values()) for drawn in trial.cases]
    cases = [drawn for i, drawn in enumerate(trial.cases) if evidence.cases[i].moved_bytes > AGAIN * least[i]]
    if not cases or target not in TARGETS:
        return {}
    puzzle = replace(plan.puzzle, cases=tuple(drawn.case for drawn in cases), benchmark=None)
    with crews() as crew:
        compiled = Trial(puzzle, trial.file, "cpu", cases, trial.timeout, trial.progress, (target,), resources=True)
        return programs_per_sm(compiled.gather(crew).resources, target)


def _at(
    plan: Plan, trial: Trial, evidence: Evidence, crew: Crew, point: BenchPoint, l2: L2 | None, room: dict[str, int]
) -> tuple[int, int | None]:
    """Return the bytes of a call at a point: those of the ledger, and those that DRAM moves behind an L2 cache.

    One multiprocessor has room for so many programs of each kernel.
    """
    shape = plan.bench.ledger_shape_at(point.size)
    index = next(index for index, drawn in enumerate(trial.cases) if drawn.shape == shape)
    times = point.minimum_bytes / sum(trial.cases[index].sizes.values())
    cache = None if l2 is None else trial.behind_l2(crew, index, l2, times, room).cache
    dram = None if cache is None else cache.dram_bytes
    return round(times * evidence.cases[index].moved_bytes), None if dram is None else round(times * dram)


def ledger_cases(plan: Plan) -> Sequence[Case]:
    """Return one case per size, or one in all where the traffic does not depend on it."""
    timed = timed_case(plan.puzzle, plan.spec)
    cases: dict[tuple[int, ...], Case] = {}
    for point in plan.points:
        shape = plan.bench.ledger_shape_at(point.size)
        name = f"{plan.bench.axis} {point.size:,}"
        made = replace(timed, name=name, shape=shape, dtype=plan.dtype, devices=("cpu",))
        cases.setdefault(shape, made)
    return list(cases.values())
