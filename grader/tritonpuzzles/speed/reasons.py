"""What holds a call back: what its time would be if one thing about it were otherwise, and which of them gains most.

Each reason changes what a launch costs to what it would cost without the fault, and asks the model again. No reason
knows of another, and the one that gains most is told.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import floor

from tritonpuzzles.results.inspect import Code, Work
from tritonpuzzles.speed.cost import Cost
from tritonpuzzles.speed.machine import Machine
from tritonpuzzles.speed.model import FITTED, LINE, NEARLY, WARP, call_us

LEAST_GAIN = 0.08  # of the time: what gains less is not worth a word
LARGER = 8  # times as large a tile
SMALL_ROUND = 4096  # bytes that a program loads at once: below, its tiles are small
FEW_WARPS, ENOUGH_WARPS = 2, 8
TWICE = 1.15  # times the least possible: something is read or written again

Change = Callable[[Cost, Machine], Cost | None]


@dataclass(frozen=True)
class Reason:
    """One thing that holds a call back.

    Attributes:
        code: of it.
        launch: number of the launch.
        gain: the share of the call's time that would be saved.
    """

    code: str
    launch: int
    gain: float


def reason(costs: Sequence[Cost], machine: Machine, minimum_bytes: float) -> Reason | None:
    """Return what holds a call back most, `None` where nothing is worth a word.

    Args:
        costs: of its launches.
        machine: that it is predicted for.
        minimum_bytes: that no kernel can do without.
    """
    now, times = call_us(costs, machine)
    number = max(range(len(costs)), key=lambda index: times[index].all)
    found = []
    for code, change in CHANGES.items():
        other = change(costs[number], machine)
        if other is not None:
            changed = [*costs[:number], other, *costs[number + 1 :]]
            found.append(Reason(code, number, 1 - call_us(changed, machine)[0] / now))
    spared = FITTED.between_us * (len(costs) - 1) + sum(one.all for index, one in enumerate(times) if index != number)
    moved = sum(cost.read_bytes + cost.written_bytes for cost in costs)
    if moved >= TWICE * minimum_bytes:
        again = [_less(cost, minimum_bytes / moved) for cost in costs]
        found.append(Reason("extra-pass", number, 1 - call_us(again, machine)[0] / now))
    if len(costs) > 2:
        found.append(Reason("many-launches", number, spared / now))
    best = max(found, key=lambda one: one.gain, default=None)
    return best if best is not None and best.gain >= LEAST_GAIN else None


def _less(cost: Cost, share: float) -> Cost:
    """Return a launch that moves a share of its bytes."""
    names = ("read_bytes", "written_bytes", "loaded_bytes", "asked_bytes", "lines")
    return replace(cost, **{name: share * getattr(cost, name) for name in names})


def in_order(cost: Cost, machine: Machine) -> Cost | None:
    """Lanes next to each other ask for elements next to each other."""
    ideal = (cost.asked_bytes + cost.stored_bytes) / LINE
    if cost.lines < 2 * ideal:
        return None
    waste = cost.loaded_bytes / max(1.0, cost.asked_bytes)
    read = cost.read_bytes / max(1.0, waste)
    return replace(cost, lines=ideal, loaded_bytes=min(cost.loaded_bytes, cost.asked_bytes), read_bytes=read)


def without_spills(cost: Cost, machine: Machine) -> Cost | None:
    """Every value stays in a register."""
    if not any(work.local_bytes for work in (cost.code.once, *cost.code.loops)):
        return None
    return replace(cost, stack_bytes=0, code=_each(cost.code, lambda work: replace(work, local_bytes=0)))


def spread_out(cost: Cost, machine: Machine) -> Cost | None:
    """The same work is shared out among enough programs for every multiprocessor."""
    room = machine.multiprocessors * cost.per_multiprocessor
    return replace(cost, programs=4 * room) if cost.programs < min(room, 2 * machine.multiprocessors) else None


def in_full_waves(cost: Cost, machine: Machine) -> Cost | None:
    """The last wave of programs is as full as the others."""
    waves = cost.programs / (machine.multiprocessors * cost.per_multiprocessor)
    rest = waves - floor(waves + NEARLY)
    if not (1 < waves < LARGER and rest > NEARLY):
        return None
    return replace(cost, programs=floor(waves + NEARLY) * machine.multiprocessors * cost.per_multiprocessor)


def with_larger_tiles(cost: Cost, machine: Machine) -> Cost | None:
    """Tiles are several times as large, so that a program waits less often."""
    loops = [loop for loop in cost.code.loops if loop.load_bytes]
    threads = WARP * cost.warps
    if loops:
        if max(loop.load_bytes for loop in loops) * threads >= SMALL_ROUND:
            return None
        return replace(cost, code=Code(cost.code.once, tuple(_larger(loop) for loop in cost.code.loops)))
    if not 0 < cost.code.once.load_bytes * threads < SMALL_ROUND / 4:
        return None
    return replace(cost, programs=max(1, cost.programs // LARGER), code=Code(_larger(cost.code.once)))


def with_more_warps(cost: Cost, machine: Machine) -> Cost | None:
    """The same tile is shared out among more warps."""
    if cost.warps > FEW_WARPS:
        return None
    times = ENOUGH_WARPS // cost.warps
    code = _each(cost.code, lambda work: _shared_out(work, times))
    return replace(cost, warps=ENOUGH_WARPS, per_multiprocessor=max(1, cost.per_multiprocessor // 2), code=code)


CHANGES: dict[str, Change] = {
    "strided-loads": in_order,
    "spills": without_spills,
    "few-programs": spread_out,
    "wave-tail": in_full_waves,
    "tiny-tiles": with_larger_tiles,
    "few-warps": with_more_warps,
}


def _each(code: Code, change: Callable[[Work], Work]) -> Code:
    return Code(change(code.once), tuple(change(loop) for loop in code.loops))


def _larger(work: Work) -> Work:
    """Return a pass through code that does several times as much, and waits for it once."""
    return replace(
        work,
        instructions=work.instructions * LARGER // 2,
        load_bytes=work.load_bytes * LARGER,
        loads=work.loads * LARGER,
        store_bytes=work.store_bytes * LARGER,
        stores=work.stores * LARGER,
        special=work.special * LARGER,
    )


def _shared_out(work: Work, times: int) -> Work:
    names = ("instructions", "load_bytes", "loads", "store_bytes", "stores", "local_bytes", "special")
    return replace(work, **{name: -(-getattr(work, name) // times) for name in names})
