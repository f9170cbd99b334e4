"""Find what slows a call down: model its time without each possible fault, and take the largest gain.

Each reason changes the cost of a launch to the cost without the fault, and the model is evaluated again. Reasons are
independent, and only the one with the largest gain is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import floor
from typing import TypeVar

from tritonpuzzles.results.inspect import Code, Work
from tritonpuzzles.speed.cost import GROUP, WARP, Cost
from tritonpuzzles.speed.machine import Machine
from tritonpuzzles.speed.model import FITTED, LINE, NEARLY, call_us, fastest, launch_times

LEAST_GAIN = 0.08  # of the time: a smaller gain is not reported
LARGER = 8  # factor of a larger tile
SMALL_ROUND = 4096  # bytes that a program loads at once: with fewer, its tiles are small
FEW_WARPS, ENOUGH_WARPS = 2, 8
SMALL_PRODUCT = 2 * 64 * 64 * 32  # operations of a program between waits: with fewer, its tiles are small
ALIKE = 1.05  # times the fastest: such similar configurations leave no choice
TWICE = 1.15  # times the minimum bytes: something is read or written again

T = TypeVar("T", Cost, Work)
Change = Callable[[Cost, Machine], Cost | None]


@dataclass(frozen=True)
class Reason:
    """One thing that slows a call down: its code, the launch's number, the share of the time that would be saved."""

    code: str
    launch: int
    gain: float


def reason(launches: Sequence[Sequence[Cost]], machine: Machine, minimum_bytes: float) -> Reason | None:
    """Return what slows a call down most, `None` if nothing gains enough.

    launches: each in all configurations of its autotuner; minimum_bytes: DRAM traffic that no kernel can avoid
    """
    costs = fastest(launches, machine)
    now, times = call_us(costs, machine)
    number = max(range(len(costs)), key=lambda index: times[index].all)
    found = []
    for code, change in CHANGES.items():
        if change(costs[number], machine) is not None:
            changed = [change(cost, machine) or cost for cost in costs]  # a fault of several launches counts as one
            found.append(Reason(code, number, 1 - call_us(changed, machine)[0] / now))
    spared = FITTED.between_us * (len(costs) - 1) + sum(one.all for index, one in enumerate(times) if index != number)
    moved = sum(cost.read_bytes + cost.written_bytes for cost in costs)
    if moved >= TWICE * minimum_bytes:
        names = ("read_bytes", "written_bytes", "loaded_bytes", "asked_bytes", "lines")
        again = [_scaled(cost, minimum_bytes / moved, *names) for cost in costs]
        found.append(Reason("extra-pass", number, 1 - call_us(again, machine)[0] / now))
    if len(costs) > 2 and not costs[number].operations:
        found.append(Reason("many-launches", number, spared / now))
    best = max(found, key=lambda one: one.gain, default=None)
    if best is None or best.gain < LEAST_GAIN:
        return None
    return replace(best, code=CANNOT_CHOOSE) if _are_alike(launches[best.launch], machine) else best


def _are_alike(configurations: Sequence[Cost], machine: Machine) -> bool:
    """Return whether an autotuner has several configurations, which all take about the same time."""
    times = [launch_times(cost, machine).all for cost in configurations]
    return len(times) > 1 and max(times) <= ALIKE * min(times)


def _scaled(one: T, times: float, *names: str) -> T:
    """Return a launch, or a pass through code, with some of its quantities multiplied."""
    return replace(one, **{name: times * getattr(one, name) for name in names})


def in_wide_loads(cost: Cost, machine: Machine) -> Cost | None:
    """Remove narrow loads: a thread loads whole registers, ahead of the product that needs them."""
    if not any(work.narrow for work in (cost.code.once, *cost.code.loops)):
        return None
    return replace(cost, code=_each(cost.code, lambda work: replace(work, narrow=0, ahead=bool(work.load_bytes))))


def in_order(cost: Cost, machine: Machine) -> Cost | None:
    """Remove strided access: neighbouring lanes access neighbouring elements."""
    ideal = (cost.asked_bytes + cost.stored_bytes) / LINE
    if cost.operations or cost.lines < 2 * ideal:
        return None
    waste = cost.loaded_bytes / max(1.0, cost.asked_bytes)
    read = cost.read_bytes / max(1.0, waste)
    return replace(cost, lines=ideal, loaded_bytes=min(cost.loaded_bytes, cost.asked_bytes), read_bytes=read)


def without_spills(cost: Cost, machine: Machine) -> Cost | None:
    """Remove spills: every value stays in a register."""
    if not any(work.local_bytes for work in (cost.code.once, *cost.code.loops)):
        return None
    return replace(cost, stack_bytes=0, code=_each(cost.code, lambda work: replace(work, local_bytes=0)))


def spread_out(cost: Cost, machine: Machine) -> Cost | None:
    """Spread the same work over enough programs for every multiprocessor."""
    room = machine.multiprocessors * cost.per_multiprocessor
    return replace(cost, programs=4 * room) if cost.programs < min(room, 2 * machine.multiprocessors) else None


def in_full_waves(cost: Cost, machine: Machine) -> Cost | None:
    """Remove the partial last wave of programs."""
    waves = cost.programs / (machine.multiprocessors * cost.per_multiprocessor)
    rest = waves - floor(waves + NEARLY)
    if not (1 < waves < LARGER and rest > NEARLY):
        return None
    return replace(cost, programs=floor(waves + NEARLY) * machine.multiprocessors * cost.per_multiprocessor)


def on_tensor_cores(cost: Cost, machine: Machine) -> Cost | None:
    """Compute products on tensor cores, not with an instruction for each multiplication of each lane."""
    if not cost.operations or any(loop.tensor_operations for loop in cost.code.loops):
        return None
    return replace(cost, stack_bytes=0, code=_each(cost.code, lambda work: _as_product(work, machine)))


def with_loads_ahead(cost: Cost, machine: Machine) -> Cost | None:
    """Load the next tiles while a product of the current ones is computed."""
    if not cost.operations or any(loop.ahead for loop in cost.code.loops):
        return None
    return replace(cost, code=_each(cost.code, lambda work: replace(work, ahead=bool(work.load_bytes))))


def with_larger_tiles(cost: Cost, machine: Machine) -> Cost | None:
    """Make tiles several times as large, so that a program waits less often."""
    if cost.operations:
        return _with_larger_products(cost)
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
    """Divide the same tile among more warps."""
    if cost.warps > FEW_WARPS:
        return None
    enough = GROUP if cost.operations else ENOUGH_WARPS
    times = enough // cost.warps
    code = _each(cost.code, lambda work: _shared_out(work, times, machine))
    return replace(cost, warps=enough, per_multiprocessor=max(1, cost.per_multiprocessor // 2), code=code)


CHANGES: dict[str, Change] = {
    "strided-loads": in_order,
    "narrow-loads": in_wide_loads,
    "spills": without_spills,
    "few-programs": spread_out,
    "wave-tail": in_full_waves,
    "tiny-tiles": with_larger_tiles,
    "few-warps": with_more_warps,
    "no-tensor-cores": on_tensor_cores,
    "no-pipelining": with_loads_ahead,
}
CANNOT_CHOOSE = "autotuner-cannot-choose"


def _each(code: Code, change: Callable[[Work], Work]) -> Code:
    return Code(change(code.once), tuple(change(loop) for loop in code.loops))


def _larger(work: Work) -> Work:
    """Return a pass through code that does several times as much work with the same waits."""
    larger = _scaled(work, LARGER, "load_bytes", "loads", "store_bytes", "stores", "special")
    return replace(larger, instructions=work.instructions * LARGER // 2)


def _shared_out(work: Work, times: int, machine: Machine) -> Work:
    names = (
        *("instructions", "load_bytes", "loads", "store_bytes", "stores", "local_bytes", "special", "shared"),
        *("tensor_operations", "tensor_time", "plain_operations"),
    )
    shared = {name: -(-getattr(work, name) // times) for name in names}
    return replace(work, **shared, queued=work.queued or (machine.queues_products and bool(work.tensor_operations)))


def _as_product(work: Work, machine: Machine) -> Work:
    """Return a pass through code with its multiplications moved to tensor cores."""
    made = work.tensor_operations or work.plain_operations
    spared = work.plain_operations // (2 * WARP)  # a multiplication and an addition per lane
    return replace(
        work,
        instructions=max(1, work.instructions - spared),
        tensor_operations=made,
        tensor_time=made,
        plain_operations=0,
        shared=0,
        local_bytes=0,
        queued=machine.queues_products,
    )


def _with_larger_products(cost: Cost) -> Cost | None:
    """Return a launch whose programs have tiles of twice as many rows and columns; `None` if they are large."""
    main = max(cost.code.loops, key=lambda loop: loop.tensor_operations, default=Work())
    if not 0 < main.tensor_operations * cost.warps < SMALL_PRODUCT:
        return None

    def larger(work: Work) -> Work:
        longer = _scaled(work, 2, "instructions", "load_bytes", "loads", "shared")
        return _scaled(longer, 4, "tensor_operations", "tensor_time", "plain_operations", "special")

    half = _scaled(cost, 0.5, "asked_bytes", "loaded_bytes", "own_bytes", "lines")
    return replace(half, programs=max(1, cost.programs // 4), code=_each(cost.code, larger))
