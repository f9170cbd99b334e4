"""Choose the case that a trace shows: the one that a report names, or the clearest to draw; classify its elements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log2

import numpy as np
import torch

from tritonpuzzles.judge.drawn import DrawnCase
from tritonpuzzles.judge.evidence.cases import CaseEvidence, Evidence
from tritonpuzzles.judge.tolerances import wrong_elements
from tritonpuzzles.judge.verdict.decide import largest_case
from tritonpuzzles.judge.verdict.judged import JudgedCase
from tritonpuzzles.judge.verdict.limits import limit_findings
from tritonpuzzles.judge.workers.trial import Trial
from tritonpuzzles.results.check import PuzzleResult
from tritonpuzzles.results.cover import faulty_cases, wrong_values
from tritonpuzzles.results.trace import LOAD, LaunchAccesses, Numbers, Outcome
from tritonpuzzles.wire.observed import MAX_LANES

FEW_PROGRAMS = (3, 7)  # as many as there are colours that can be told apart
FEW_TILES = (6, 30)  # read and written by one program
ENOUGH_LANES = 1000  # of all programs: matrices of two columns show little
VISIBLE = 0.1  # of a tile
NO_TAIL = 1.0  # added for a case without a ragged tail, as if it had twice too many tiles


@dataclass(frozen=True)
class Shown:
    """The case that a trace shows."""

    index: int | None  # of the trial's case; `None` if no case has a ledger
    why: str | None = None  # why it is another one than the report names, or why there is nothing to draw


def case_to_draw(trial: Trial, evidence: Evidence, result: PuzzleResult, named: str | None) -> Shown:
    """Return the case to draw: the named one; if that is too large, or none is named, the clearest like it."""
    found = {index: cost(trial.cases[index], case) for index, case in sorted(evidence.cases.items())}
    costs = {index: far for index, far in found.items() if far is not None}
    wanted = _index(trial, named)
    if wanted is not None and wanted in costs:
        return Shown(wanted)
    alike = set(_alike(trial, evidence, result)) & costs.keys() or costs.keys()
    index = min(sorted(alike), key=lambda index: costs[index], default=None)
    if wanted is None:
        return Shown(index)
    name, moved = trial.cases[wanted].name, evidence.cases[wanted].moved_bytes if wanted in evidence.cases else 0
    lanes = moved // trial.cases[wanted].dtype.itemsize
    large = f'"{name}" moves {lanes:,} elements, and a picture shows {MAX_LANES:,} at most'
    moves = large if lanes > MAX_LANES else f'"{name}" reads and writes nothing'
    if index is None:
        return Shown(None, f"There is no picture: {moves}.")
    return Shown(index, f'{moves}: this is "{trial.cases[index].name}".')


def case_to_tell(trial: Trial, evidence: Evidence, named: str | None) -> int | None:
    """Return the case whose ledger is printed: the named one; else the largest, cases over their limits first."""
    wanted = _index(trial, named)
    if wanted is not None and wanted in evidence.cases and evidence.cases[wanted].traffic:
        return wanted
    judged = {index: _limited(trial, index, found) for index, found in sorted(evidence.cases.items())}
    largest = largest_case(list(judged.values()))
    return next((index for index, case in judged.items() if case is largest), None)


def _index(trial: Trial, named: str | None) -> int | None:
    names = [drawn.name.lower() for drawn in trial.cases]
    return names.index(named.lower()) if named is not None and named.lower() in names else None


def _alike(trial: Trial, evidence: Evidence, result: PuzzleResult) -> Iterator[int]:
    """Yield the cases with wrong values; if there are none, those of the most important finding.

    A case that is drawn only for pictures was not judged; it counts if it exceeds a limit.
    """
    wrong = {case.name for case in wrong_values(result)}
    seen = wrong or set(faulty_cases(result))
    for index, found in evidence.cases.items():
        unjudged = "cpu" not in trial.cases[index].case.devices
        over = unjudged and not wrong and bool(seen) and bool(_limited(trial, index, found).findings)
        if trial.cases[index].name in seen or over:
            yield index


def _limited(trial: Trial, index: int, found: CaseEvidence) -> JudgedCase:
    """Return a case with the findings of its limits; a stub's case too, which has read but not written."""
    drawn = trial.cases[index]
    return JudgedCase(drawn, found, None, list(limit_findings(trial.task.limits, drawn, found)))


def cost(drawn: DrawnCase, found: CaseEvidence) -> float | None:
    """Return how far a case is from a clear picture, in doublings; `None` if it gives none."""
    launches = [launch for launch in found.launches if launch.programs]
    lanes = found.moved_bytes / drawn.dtype.itemsize
    if not launches or not 0 < lanes <= MAX_LANES:
        return None
    programs = max(launch.programs for launch in launches)
    tile = max(launch.largest_tile or 1 for launch in launches)
    tiles = {value for launch in launches for value in launch.constants.values() if value > 1}  # from constexprs
    ends = any(VISIBLE < size % width / width < 1 - VISIBLE for size in drawn.shape for width in tiles)
    return (
        doublings(programs, *FEW_PROGRAMS)
        + doublings(lanes / programs / tile, *FEW_TILES)
        + doublings(lanes, ENOUGH_LANES, MAX_LANES)
        + (0.0 if ends else NO_TAIL)
    )


def doublings(value: float, low: float, high: float) -> float:
    """Return by how many doublings a value lies outside a range."""
    return max(0.0, log2(low / value), log2(value / high))


def outcomes(judged: JudgedCase, launches: Sequence[LaunchAccesses]) -> tuple[str, Numbers | None]:
    """Return the name of the output with the most wrong elements, and the outcome of every element of it.

    These are `Outcome` numbers in the output's shape; `None` if no element is wrong.
    """
    found: dict[str, Numbers] = {}
    for number, value in enumerate(judged.values):
        name = judged.drawn.outputs[number].name
        golden, kinds = judged.drawn.golden[number], torch.zeros(value.shape, dtype=torch.uint8)
        stored = torch.from_numpy(written(launches, name, tuple(value.shape)))
        wrong = wrong_elements(value, golden, judged.tolerances[number])
        kinds[wrong & (value < golden)] = Outcome.TOO_SMALL
        kinds[wrong & (value > golden)] = Outcome.TOO_LARGE
        kinds[wrong & ~(torch.isfinite(value) & torch.isfinite(golden))] = Outcome.NOT_FINITE
        kinds[wrong & ~stored] = Outcome.UNWRITTEN
        found[name] = kinds.numpy()
    worst = max(found, key=lambda name: np.count_nonzero(found[name]), default="")
    return (worst, found[worst]) if worst and found[worst].any() else ("", None)


def written(
    launches: Sequence[LaunchAccesses], output: str, shape: tuple[int, ...]
) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Return the mask of an output's elements that some program stored; all true if no launch got it in this shape."""
    stored, seen = np.zeros(shape, dtype=np.bool_), False
    for launch in launches:
        for index, tensor in enumerate(launch.tensors):
            if tensor.role == output and tensor.shape == shape:
                seen = True
                for access in launch.accesses:
                    if access.tensor == index and access.operation != LOAD:
                        stored.reshape(-1)[access.elements] = True
    return stored if seen else np.ones(shape, dtype=np.bool_)
