"""What the launches of a call ask of a GPU at full size, found on a CPU from a smaller call with the same launches.

The host function is recorded twice: at the full size, where only its grids are of interest, and with fewer rows, which
are run. Bytes grow with the rows; how many programs share them, the grids tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tritonpuzzles.curriculum.record import Case
from tritonpuzzles.hardware.l2 import L2
from tritonpuzzles.judge.evidence.cases import Evidence
from tritonpuzzles.judge.workers.crew import Crew
from tritonpuzzles.judge.workers.trial import Trial
from tritonpuzzles.results.inspect import KernelResources, Resources, variant_of
from tritonpuzzles.results.traffic import LaunchTraffic
from tritonpuzzles.speed.cost import Cost


def full_and_few(timed: Case, full: Sequence[int], few: Sequence[int], name: str) -> tuple[Case, Case]:
    """Return the two cases that tell what a call costs at a size: at full size, and with few rows."""
    usual = replace(timed, devices=("cpu",), after=None, layout="contiguous", gpu="H100")
    whole = replace(usual, name=f"{name}, whole", shape=tuple(full), phantom=True)
    return whole, replace(usual, name=f"{name}, few rows", shape=tuple(few))


def costs(
    trial: Trial, crew: Crew, evidence: Evidence, whole: int, few: int, l2: L2, times: float
) -> tuple[Cost, ...] | None:
    """Return what each launch costs; `None` where that cannot be told.

    Args:
        trial: that has run, with resources for the GPU's target.
        crew: that ran it.
        evidence: of it.
        whole: index of the case at full size.
        few: that of the case with few rows.
        l2: of the GPU.
        times: how many times as many bytes the first one moves.
    """
    used = {
        variant_of(kernel.kernel, kernel.constants): there.resources
        for kernel in reversed(evidence.resources)
        for there in kernel.targets
        if there.target == l2.target and there.resources is not None
    }
    room = {name: found.occupancy.blocks_per_sm for name, found in used.items() if found.occupancy is not None}
    traffic = trial.behind_l2(crew, few, l2, times, room).cache
    launches = evidence.cases[whole].launches if whole in evidence.cases else ()
    if traffic is None or traffic.problem or len(launches) != len(traffic.launches):
        return None
    found = [
        _cost(asked, used.get(asked.variant), launch.programs, times)
        for asked, launch in zip(traffic.launches, launches, strict=True)
    ]
    return None if any(cost is None for cost in found) else tuple(cost for cost in found if cost is not None)


def _cost(asked: LaunchTraffic, used: Resources | None, programs: int, times: float) -> Cost | None:
    if used is None or used.code is None or used.occupancy is None:
        return None
    return Cost(
        asked.variant,
        programs,
        asked.warps,
        used.occupancy.blocks_per_sm,
        asked.loads * times / max(1, programs),
        asked.asked_bytes * times,
        asked.loaded_bytes * times,
        asked.stored_bytes * times,
        asked.own_bytes * times,
        asked.lines * times,
        asked.read_bytes * times,
        asked.written_bytes * times,
        used.code,
        used.shared_bytes,
        used.stack_bytes or 0,
        used.num_stages,
    )


__all__ = ["KernelResources", "costs", "full_and_few"]
