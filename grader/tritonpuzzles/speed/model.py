"""The time of one launch: the time of each limit as if it were alone, and their combination.

A launch moves its bytes through DRAM and the L2 cache, issues its instructions, and each of its programs waits: for
loads, which take memory's latency whatever their size, and for the other threads of the program. A GPU hides the
waiting of one program by the work of others, if others run at the same time [1]. So the time is about the longest of
these; if two are similar, somewhat more.

[1] Volkov, Understanding Latency Hiding on GPUs, thesis, Berkeley 2016; Hong and Kim, An Analytical Model for a GPU
Architecture with Memory-level and Thread-level Parallelism Awareness, ISCA 2009.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import ceil, floor

from tritonpuzzles.speed.cost import ELEMENT, GROUP, MOST_ALIKE, WARP, Cost, Dynamic, dynamic
from tritonpuzzles.speed.machine import Machine

LINE = 128  # bytes of one line in a warp's request
PORT = 64.0  # bytes per cycle from the L2 cache into one multiprocessor
SCHEDULERS = 4  # of a multiprocessor; each issues an instruction per cycle
SPECIAL_CYCLES = 2.0  # of a multiprocessor per warp-wide exponential: 16 lanes per cycle
QUEUED = 64  # launches that the host can queue; with more, the GPU waits for the host
LOCAL_CYCLES = 40  # that a warp waits for a spilled register
UNQUEUED = 0.62  # of the tensor cores' rate, for synchronous products of a single warp on Hopper
NEARLY = 0.02  # of a wave: a smaller rest is ignored


@dataclass(frozen=True)
class Constants:
    """Constants without a data sheet; fitted on half of the kernels of `benchmarks/speeds.py`, tested on the rest."""

    launch_us: float = 5.5  # overhead of a launch: the time of a copy of 0 bytes
    between_us: float = 2.0  # overhead of each further launch in a call
    host_us: float = 24.0  # Python's time for a launch: with many short ones, the GPU waits for it
    load_us: float = 0.3  # from a load to its value, while others load too
    barrier_us: float = 0.006  # that a program's threads wait at a barrier
    shuffle_us: float = 0.015  # one step of a sum within a warp
    cycles: float = 6.0  # that an instruction waits for the result of the one before
    line_cycles: float = 2.7  # of a multiprocessor for each 128-byte line in a warp's request
    dispatch_us: float = 0.0006  # from the start of one program to that of the next, on the whole GPU
    start_us: float = 0.35  # of a program, before its first load
    stall_us: float = 0.85  # from a load to its value, if a product waits for it
    narrow_cycles: float = 30.0  # of a multiprocessor per request of less than 4 bytes per thread
    products_blend: float = 4.2  # like `blend`, for launches with products
    product_us: float = 0.15  # from the start of a product to its first use, without its own time
    blend: float = 3.0  # how similar limits add up: the exponent of a norm


FITTED = Constants()
# The error that nine of ten kernels do not exceed, as a share: without a reason that slows them down, and with one.
BAND, WIDE_BAND = 0.2, 0.7  # where memory decides
PRODUCTS_BAND, WIDE_PRODUCTS_BAND = 0.3, 0.6
LIMITS = ("dram", "l2", "lines", "issue", "special", "shared", "narrow", "tensor", "dispatch", "latency")


@dataclass(frozen=True)
class Times:
    """Microseconds of one launch, of each limit alone, and of one program that runs alone."""

    all: float
    by_limit: dict[str, float]
    program_us: float

    @property
    def limit(self) -> str:
        """The limit that takes longest."""
        return max(self.by_limit, key=lambda name: self.by_limit[name])


def call_us(costs: Sequence[Cost], machine: Machine, constants: Constants = FITTED) -> tuple[float, list[Times]]:
    """Return the microseconds of a call, and of each of its launches."""
    times = [launch_times(cost, machine, constants) for cost in costs]
    waiting = constants.launch_us + constants.between_us * (len(times) - 1)
    least = constants.host_us if len(times) > QUEUED else 0.0
    return waiting + sum(max(least, one.all) for one in times), times


def fastest(launches: Sequence[Sequence[Cost]], machine: Machine, constants: Constants = FITTED) -> tuple[Cost, ...]:
    """Return each launch in the configuration that an autotuner would choose: the fastest."""
    return tuple(
        alike[0] if len(alike) == 1 else min(alike, key=lambda cost: launch_times(cost, machine, constants).all)
        for alike in launches
    )


def launch_times(cost: Cost, machine: Machine, constants: Constants = FITTED) -> Times:
    """Return the time of one launch.

    Full waves of programs come first; the rest, a partial wave, takes at least the time of one program.
    """
    does = dynamic(cost)
    room = machine.multiprocessors * max(1, cost.per_multiprocessor)
    waves = cost.programs / room
    program_us = _program_us(cost, does, machine, constants)
    full = floor(waves + NEARLY) if waves > 1 else 0
    parts = [(full / waves, machine.multiprocessors, full * program_us)] if full else []
    rest = cost.programs - min(cost.programs, full * room)
    if rest > NEARLY * room or not full:
        parts.append((1 - full / waves, min(machine.multiprocessors, rest), program_us))
    by_limit = dict.fromkeys(LIMITS, 0.0)
    total = 0.0
    for share, busy, waiting in parts:
        here = _limits(cost, does, machine, constants, share, busy) | {"latency": waiting}
        total += _norm(here.values(), constants.products_blend if cost.operations else constants.blend)
        by_limit = {name: by_limit[name] + here[name] for name in LIMITS}
    return Times(total, by_limit, program_us)


def _norm(values: Collection[float], exponent: float) -> float:
    """Return the norm of values with an exponent: their sum for 1, about the largest of them for a large one."""
    largest = max(values)
    return largest * float(sum((value / largest) ** exponent for value in values) ** (1 / exponent))


def _limits(
    cost: Cost, does: Dynamic, machine: Machine, constants: Constants, share: float, busy: int
) -> dict[str, float]:
    """Return the time of each limit except latency, for a share of the programs on `busy` multiprocessors."""
    cycle_us = 1e-3 / machine.ghz
    programs = cost.programs * share
    each = programs / busy
    warps = cost.warps * (ceil(each) if each < machine.multiprocessors else each)  # the fullest multiprocessor decides
    through_l2, local_dram = _through_l2(cost, does, machine)
    dram = share * (cost.read_bytes + cost.written_bytes + local_dram) / machine.copy_gb_per_s / 1e3
    l2 = share * through_l2
    return {
        "dram": dram,
        "l2": max(l2 / machine.l2_gb_per_s / 1e3, l2 / busy / PORT * cycle_us),
        "lines": 0.0 if cost.operations else share * cost.lines * constants.line_cycles / busy * cycle_us,
        "issue": does.instructions * warps / SCHEDULERS * cycle_us,
        "special": does.special * warps * SPECIAL_CYCLES * cycle_us,
        "shared": does.shared * warps * cycle_us,
        "narrow": does.narrow * warps * constants.narrow_cycles * cycle_us,
        "tensor": does.tensor_time * warps / _tensor_rate(does, machine),
        "dispatch": programs * constants.dispatch_us,
    }


def _program_us(cost: Cost, does: Dynamic, machine: Machine, constants: Constants) -> float:
    """Return the time of one program that runs alone: the sum of its waits, transfers and computation."""
    cycle_us = 1e-3 / machine.ghz
    moved = (cost.loaded_bytes + cost.stored_bytes) / max(1, cost.programs)
    apart = 1 + constants.cycles / min(MOST_ALIKE, max(1.0, does.alike))
    cycles = (
        does.instructions * max(apart, cost.warps / SCHEDULERS)
        + does.special * max(SCHEDULERS, cost.warps) * SPECIAL_CYCLES
        + does.local_bytes / ELEMENT * LOCAL_CYCLES
        + (0.0 if does.ahead else moved / PORT)
    )
    waits = (
        does.rounds * constants.load_us
        + does.stalls * constants.stall_us
        + does.products * constants.product_us
        + does.barriers * constants.barrier_us
        + does.shuffles * constants.shuffle_us
    )
    taking_turns = GROUP if does.queued else cost.warps  # warps that wait for a product
    products = does.tensor_time * taking_turns / _tensor_rate(does, machine)
    return constants.start_us + waits + products + cycles * cycle_us


def _tensor_rate(does: Dynamic, machine: Machine) -> float:
    """Return the 16-bit operations per microsecond of one multiprocessor's tensor cores."""
    share = 1.0 if does.queued or not machine.queues_products else UNQUEUED
    return share * machine.tensor_tflop_per_s * 1e6 / machine.multiprocessors


def _through_l2(cost: Cost, does: Dynamic, machine: Machine) -> tuple[float, float]:
    """Return the bytes that pass through the L2 cache, and those of local memory that spill over to DRAM."""
    programs = max(1, cost.programs)
    beside = min(cost.per_multiprocessor, ceil(programs / machine.multiprocessors))
    first_level = machine.l1_bytes - beside * cost.shared_bytes
    again = cost.loaded_bytes if beside * cost.own_bytes / programs > first_level else cost.own_bytes
    threads = WARP * cost.warps
    local = does.local_bytes * threads * programs
    resident = cost.stack_bytes * threads * min(programs, machine.multiprocessors * cost.per_multiprocessor)
    beyond_l1 = max(0.0, 1 - first_level / max(1.0, cost.stack_bytes * threads * beside))
    beyond_l2 = max(0.0, 1 - machine.l2_bytes / max(1.0, resident))
    return again + cost.stored_bytes + local * beyond_l1, local * beyond_l2
