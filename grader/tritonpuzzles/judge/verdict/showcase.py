"""Which case of a trial makes the clearest picture, by its ledger."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import log2

from tritonpuzzles.judge.drawn import DrawnCase
from tritonpuzzles.judge.evidence.accesses import MAX_LANES
from tritonpuzzles.judge.evidence.cases import CaseEvidence, Evidence, Launch
from tritonpuzzles.judge.workers.trial import Trial

FEW_PROGRAMS = (3, 7)  # as many colours as one can tell apart
FEW_TILES = (6, 30)  # read and written by one program
ENOUGH_LANES = 1000  # of all programs: matrices of two columns show little
VISIBLE = 0.1  # of a tile
NO_TAIL = 1.0  # a case without a ragged tail counts as one whose tiles are twice too many


def clearest_case(trial: Trial, evidence: Evidence, wrong: Collection[str]) -> int | None:
    """Return the index of the case with a few programs, a few tiles in each and a ragged tail; the first of several.

    Args:
        trial: what was tried.
        evidence: what it told.
        wrong: names of cases with wrong values; if there are any, one of them is taken.
    """
    costs = {
        index: found_cost
        for index, found in sorted(evidence.cases.items())
        for found_cost in (cost(trial.cases[index], found),)
        if found_cost is not None and (not wrong or trial.cases[index].name in wrong)
    }
    return min(costs, key=lambda index: costs[index], default=None)


def cost(drawn: DrawnCase, found: CaseEvidence) -> float | None:
    """Return how far a case is from a clear picture, in doublings; `None` if it gives none."""
    launches = [launch for launch in found.launches if launch.programs]
    itemsize = drawn.dtype.itemsize
    lanes = sum(row.loaded_bytes + row.stored_bytes + row.atomic_bytes for row in found.traffic) / itemsize
    if not launches or not 0 < lanes <= MAX_LANES:
        return None
    programs = max(launch.programs for launch in launches)
    tile = max(launch.largest_tile or 1 for launch in launches)
    return (
        doublings(programs, *FEW_PROGRAMS)
        + doublings(lanes / programs / tile, *FEW_TILES)
        + doublings(lanes, ENOUGH_LANES, MAX_LANES)
        + tail(drawn, launches)
    )


def doublings(value: float, low: float, high: float) -> float:
    """Return by how many doublings a value lies outside a range."""
    return max(0.0, log2(low / value), log2(value / high))


def tail(drawn: DrawnCase, launches: Sequence[Launch]) -> float:
    """Return nothing if some dimension ends well inside a tile, else `NO_TAIL`; constexprs tell the tiles' sizes."""
    tiles = {value for launch in launches for value in launch.constants.values() if value > 1}
    parts = (size % tile / tile for size in drawn.shape for tile in tiles)
    return 0.0 if any(VISIBLE < part < 1 - VISIBLE for part in parts) else NO_TAIL
