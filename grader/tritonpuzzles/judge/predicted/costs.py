"""Costs of a call's launches at full size on a GPU, computed on a CPU from a smaller call with the same launches.

The host function is recorded twice: at full size, where only its grids are used, and with fewer rows, where it runs.
Bytes scale with the rows; the grids give the number of programs that share them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tritonpuzzles.curriculum.record import Case
from tritonpuzzles.hardware.l2 import L2
from tritonpuzzles.judge.evidence.cases import Evidence
from tritonpuzzles.judge.workers.crew import Crew
from tritonpuzzles.judge.workers.trial import Trial
from tritonpuzzles.results.inspect import Code, Resources, Work, programs_per_sm
from tritonpuzzles.results.traffic import CacheTraffic, LaunchTraffic
from tritonpuzzles.speed.cost import WARP, Cost
from tritonpuzzles.speed.reuse import missed_share
from tritonpuzzles.wire.observed import LaunchSummary

SHARED = (
    *("loads", "stores", "asked_bytes", "loaded_bytes", "stored_bytes"),
    *("own_bytes", "lines", "read_bytes", "written_bytes"),
)
PYTORCH = "PyTorch"  # stands for copies and fills by the host function


@dataclass(frozen=True)
class Costs:
    """Costs of a call.

    Its launches, each in all configurations of its autotuner, and the bytes that PyTorch moves beside them; the traffic
    of the smaller call; the launches as reported at full size, in the first configuration.
    """

    launches: tuple[tuple[Cost, ...], ...]
    traffic: CacheTraffic
    told: tuple[LaunchSummary, ...]


@dataclass(frozen=True)
class Whole:
    """The call at full size relative to the one with few rows: `times` as many bytes loaded, `stores` as many stored.

    If products decide the speed, also their operations, and the least DRAM bytes.
    """

    times: float
    stores: float
    operations: float = 0.0
    moved_bytes: float = 0.0


class NoCostsError(ValueError):
    """The costs of a call cannot be determined; the message is a sentence."""


def whole_and_few(timed: Case, whole: Sequence[int], few: Sequence[int], gpu: str, name: str) -> tuple[Case, Case]:
    """Return the two cases from which a call's costs are computed: at full size, and with few rows."""
    usual = replace(timed, devices=("cpu",), after=None, layout="contiguous", gpu=gpu)
    at_full_size = replace(usual, name=f"{name}, whole", shape=tuple(whole), phantom=True)
    return at_full_size, replace(usual, name=f"{name}, few rows", shape=tuple(few))


def costs_of(trial: Trial, crew: Crew, evidence: Evidence, indices: tuple[int, int], l2: L2, whole: Whole) -> Costs:
    """Return the costs of a call whose trial has run, with resources for the GPU's target.

    `indices` are those of the cases at full size and with few rows; `whole` is the ratio of the first to the second.
    Raises NoCostsError if the costs cannot be determined.
    """
    used = {
        kernel.code: there.resources
        for kernel in evidence.resources
        for there in kernel.targets
        if there.target == l2.target and there.resources is not None
        if there.resources.code is not None and there.resources.occupancy is not None
    }
    full, few = indices
    room = programs_per_sm(evidence.resources, l2.target)
    traffic = trial.behind_l2(crew, few, l2, whole.times, room).cache
    told = evidence.cases[full].launches if full in evidence.cases else []
    if traffic is None or traffic.problem:
        raise NoCostsError((traffic and traffic.problem) or "The call could not be run with a model of an L2 cache.")
    first = [launch for launch in told if launch.tuner is None or launch.tuner[1] == 0]
    asked = _shared_out(traffic.launches, len(first))
    shares = _shares(asked, [used.get(launch.code) for launch in first])
    found = []
    for launch, one, share in zip(first, asked, shares, strict=True):
        alike = [launch] if launch.tuner is None else _configurations(launch, first, told)
        known = [(other, used[other.code]) for other in alike if other.code in used]
        if not known:
            raise NoCostsError(f"The machine code of {launch.kernel} cannot be read here.")
        found.append(tuple(_at_full_size(one, whole, share, l2, *compiled) for compiled in known))
    moved = whole.stores * (2 * traffic.copied_bytes + traffic.filled_bytes)
    return Costs((*found, *([(_plain(moved),)] if moved else [])), traffic, tuple(first))


def _configurations(
    launch: LaunchSummary, first: Sequence[LaunchSummary], told: Sequence[LaunchSummary]
) -> list[LaunchSummary]:
    """Return the same launch in each configuration, found by its position among its autotuner's launches."""
    assert launch.tuner is not None
    number = launch.tuner[0]
    place = [one for one in first if one.tuner == launch.tuner].index(launch)
    by_configuration: dict[int, list[LaunchSummary]] = defaultdict(list)
    for one in told:
        if one.tuner is not None and one.tuner[0] == number:
            by_configuration[one.tuner[1]].append(one)
    return [there[place] for there in by_configuration.values() if place < len(there)]


def _shares(asked: Sequence[LaunchTraffic], used: Sequence[Resources | None]) -> list[float]:
    """Return each launch's share of a call's products, by loaded bytes; if any use tensor cores, only those."""
    on_tensor_cores = [one is not None and bool(one.tensor_core) for one in used]
    makes = on_tensor_cores if any(on_tensor_cores) else [True] * len(asked)
    weights = [one.asked_bytes * counts for one, counts in zip(asked, makes, strict=True)]
    return [weight / max(1, sum(weights)) for weight in weights]


def _bytes_per_operation(used: Resources) -> float:
    """Return the bytes that a program loads per operation of its product; 0 if the code does not show it.

    For tiles that are copied ahead, this is the shared memory of one stage.
    """
    assert used.code is not None
    main = max(used.code.loops, key=lambda loop: loop.tensor_operations, default=Work())
    whole = used.shared_bytes / max(1, used.num_stages) if main.ahead and not main.load_bytes else 0.0
    loaded = used.num_warps * WARP * main.load_bytes or whole
    return loaded / (used.num_warps * main.tensor_operations) if main.tensor_operations else 0.0


def _shared_out(few: Sequence[LaunchTraffic], count: int) -> Sequence[LaunchTraffic]:
    """Return the traffic of each of `count` launches: launches of one kernel share the work evenly.

    Raises NoCostsError if they are of several kernels.
    """
    if len(few) == count:
        return few
    if len({one.variant for one in few}) != 1:
        raise NoCostsError("The call launches other kernels at full size than with few rows.")
    means = {name: round(sum(getattr(one, name) for one in few) / count) for name in SHARED}
    return [replace(few[0], **means)] * count


def _at_full_size(
    asked: LaunchTraffic, whole: Whole, share: float, l2: L2, launch: LaunchSummary, used: Resources
) -> Cost:
    """Return the cost at full size of a launch of the smaller call, as compiled for the full size."""
    assert used.code is not None
    assert used.occupancy is not None
    times, operations = whole.times, share * whole.operations
    loaded = operations * _bytes_per_operation(used)  # the smaller call may have smaller tiles
    at_once = l2.multiprocessors * used.occupancy.blocks_per_sm  # these start together, and so read together
    each = (loaded or times * asked.loaded_bytes) / max(1, launch.programs)
    again = max(0, launch.programs - at_once) * each * missed_share(launch.reuse, each, l2.usable_bytes)
    return Cost(
        kernel=asked.variant,
        programs=launch.programs,
        warps=used.num_warps,
        per_multiprocessor=used.occupancy.blocks_per_sm,
        loads=times * asked.loads / max(1, launch.programs),
        asked_bytes=loaded or times * asked.asked_bytes,
        loaded_bytes=loaded or times * asked.loaded_bytes,
        stored_bytes=whole.stores * asked.stored_bytes,
        own_bytes=loaded or times * asked.own_bytes,
        lines=times * asked.lines,
        read_bytes=max(share * whole.moved_bytes, again) if whole.operations else times * asked.read_bytes,
        written_bytes=0.0 if whole.operations else times * asked.written_bytes,
        code=used.code,
        shared_bytes=used.shared_bytes,
        stack_bytes=used.stack_bytes or 0,
        operations=operations,
    )


def _plain(moved: float) -> Cost:
    """Return the cost of bytes that PyTorch moves at the speed of a copy."""
    programs = max(1, int(moved) >> 14)
    return Cost(PYTORCH, programs, 8, 8, 1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, moved, Code(Work()))
