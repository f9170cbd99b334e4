"""Before anything is timed: is the file correct on a small matrix of each size, and how many bytes does it move?

The tracing interpreter finds both on the CPU. Traffic as a multiple of the tensors' sizes does not depend on the number
of rows, so a few rows show what a matrix of any height costs. A model of the GPU's L2 cache gives each row the share of
the cache that it would have among all rows.
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
AGAIN = 1.01  # times the least possible traffic: more means that something is read or written twice


@dataclass(frozen=True)
class Counted:
    """What the interpreter counted for one file."""

    ledger_bytes: tuple[int | None, ...]  # of one call at each point of the plan; `None` unless the bench counts bytes
    dram_bytes: tuple[int | None, ...]  # DRAM traffic behind the L2 cache; `None` where no model of the cache exists
    refusal: Finding | None = None  # why the file is not timed, or `None`


def count(plan: Plan, entrant: Entrant, crews: Crews, timeout: float | None, l2: L2 | None = None) -> Counted:
    """Run a file on the CPU at every point of a plan, with few rows.

    A file that exceeds the resources its puzzle allows is still correct, and is timed. Raises WorkerBrokenError if the
    worker never became ready.
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
    """Compile the kernels for cases with repeated traffic; return how many programs of each fit on a multiprocessor.

    Where everything moves once, a cache changes nothing, and compiling some of these kernels takes a minute.
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
    """Return the bytes that a call moves at a point: those of the ledger, and those that reach DRAM past an L2 cache.

    `room` is the number of programs of each kernel that fit on one multiprocessor.
    """
    shape = plan.bench.ledger_shape_at(point.size)
    index = next(index for index, drawn in enumerate(trial.cases) if drawn.shape == shape)
    times = point.minimum_bytes / sum(trial.cases[index].sizes.values())
    cache = None if l2 is None else trial.behind_l2(crew, index, l2, times, room).cache
    dram = None if cache is None else cache.dram_bytes
    return round(times * evidence.cases[index].moved_bytes), None if dram is None else round(times * dram)


def ledger_cases(plan: Plan) -> Sequence[Case]:
    """Return one case per size, or a single one where the traffic does not depend on the size."""
    timed = timed_case(plan.puzzle, plan.spec)
    cases: dict[tuple[int, ...], Case] = {}
    for point in plan.points:
        shape = plan.bench.ledger_shape_at(point.size)
        name = f"{plan.bench.axis} {point.size:,}"
        made = replace(timed, name=name, shape=shape, dtype=plan.dtype, devices=("cpu",))
        cases.setdefault(shape, made)
    return list(cases.values())
