"""What the launches of a call ask of a GPU at full size, found on a CPU from a smaller call with the same launches.

The host function is recorded twice: at the full size, where only its grids are of interest, and with fewer rows, which
are run. Bytes grow with the rows; how many programs share them, the grids tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tritonpuzzles.curriculum.record import Case
from tritonpuzzles.hardware.l2 import L2
from tritonpuzzles.judge.evidence.cases import Evidence
from tritonpuzzles.judge.workers.crew import Crew
from tritonpuzzles.judge.workers.trial import Trial
from tritonpuzzles.results.inspect import Code, Resources, Work, variant_of
from tritonpuzzles.results.traffic import CacheTraffic, LaunchTraffic
from tritonpuzzles.speed.cost import Cost
from tritonpuzzles.wire.observed import LaunchSummary

SHARED = (
    *("loads", "stores", "asked_bytes", "loaded_bytes", "stored_bytes"),
    *("own_bytes", "lines", "read_bytes", "written_bytes"),
)
PYTORCH = "PyTorch"  # what the host function has it copy or fill


@dataclass(frozen=True)
class Costs:
    """What a call costs.

    Attributes:
        launches: of its kernels, and what PyTorch moves beside them.
        traffic: of the smaller call.
        told: its launches, as they were recorded at full size.
    """

    launches: tuple[Cost, ...]
    traffic: CacheTraffic
    told: tuple[LaunchSummary, ...]


class NoCostsError(ValueError):
    """What a call costs cannot be told; the message is a sentence."""


def whole_and_few(timed: Case, whole: Sequence[int], few: Sequence[int], gpu: str, name: str) -> tuple[Case, Case]:
    """Return the two cases that tell what a call costs at a size: at full size, and with few rows."""
    usual = replace(timed, devices=("cpu",), after=None, layout="contiguous", gpu=gpu)
    at_full_size = replace(usual, name=f"{name}, whole", shape=tuple(whole), phantom=True)
    return at_full_size, replace(usual, name=f"{name}, few rows", shape=tuple(few))


def costs_of(trial: Trial, crew: Crew, evidence: Evidence, whole: int, few: int, l2: L2, times: float) -> Costs:
    """Return what a call costs.

    Args:
        trial: that has run, with resources for the GPU's target.
        crew: that ran it.
        evidence: of it.
        whole: index of the case at full size.
        few: that of the case with few rows.
        l2: of the GPU.
        times: how many times as many bytes the first one moves.

    Raises:
        NoCostsError: if that cannot be told.
    """
    used = {
        variant_of(kernel.kernel, kernel.constants): there.resources
        for kernel in reversed(evidence.resources)
        for there in kernel.targets
        if there.target == l2.target and there.resources is not None
    }
    room = {name: found.occupancy.blocks_per_sm for name, found in used.items() if found.occupancy is not None}
    traffic = trial.behind_l2(crew, few, l2, times, room).cache
    launches = tuple(evidence.cases[whole].launches) if whole in evidence.cases else ()
    if traffic is None or traffic.problem:
        raise NoCostsError((traffic and traffic.problem) or "The call could not be run with a model of an L2 cache.")
    asked, times_each = _shared_out(traffic.launches, len(launches))
    found = [
        _cost(one, used.get(one.variant), launch.programs, times * times_each)
        for one, launch in zip(asked, launches, strict=True)
    ]
    moved = times * (2 * traffic.copied_bytes + traffic.filled_bytes)
    return Costs((*found, *([_plain(moved)] if moved else [])), traffic, launches)


def _shared_out(few: Sequence[LaunchTraffic], count: int) -> tuple[Sequence[LaunchTraffic], float]:
    """Return what each of so many launches asks, and how many times: of one kernel more launches share the work.

    Raises:
        NoCostsError: if they are of several kernels.
    """
    if len(few) == count:
        return few, 1.0
    if len({one.variant for one in few}) != 1:
        raise NoCostsError("The call launches other kernels at full size than with few rows.")
    sums = {name: sum(getattr(one, name) for one in few) for name in SHARED}
    return [replace(few[0], **sums)] * count, 1 / count


def _cost(asked: LaunchTraffic, used: Resources | None, programs: int, times: float) -> Cost:
    if used is None or used.code is None or used.occupancy is None:
        raise NoCostsError(f"The machine code of {asked.variant.split()[0]} cannot be read here.")
    return Cost(
        kernel=asked.variant,
        programs=programs,
        warps=asked.warps,
        per_multiprocessor=used.occupancy.blocks_per_sm,
        loads=asked.loads * times / max(1, programs),
        asked_bytes=asked.asked_bytes * times,
        loaded_bytes=asked.loaded_bytes * times,
        stored_bytes=asked.stored_bytes * times,
        own_bytes=asked.own_bytes * times,
        lines=asked.lines * times,
        read_bytes=asked.read_bytes * times,
        written_bytes=asked.written_bytes * times,
        code=used.code,
        shared_bytes=used.shared_bytes,
        stack_bytes=used.stack_bytes or 0,
        stages=used.num_stages,
    )


def _plain(moved: float) -> Cost:
    """Return the cost of bytes that PyTorch moves at the speed of a copy."""
    programs = max(1, int(moved) >> 14)
    return Cost(PYTORCH, programs, 8, 8, 1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, moved, Code(Work()))
