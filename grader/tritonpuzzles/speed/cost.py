"""The cost of one launch for a GPU, and the work of one warp of a program from start to end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tritonpuzzles.results.inspect import Code, Work

WARP = 32
GROUP = 4  # warps that share a product, on Hopper
ELEMENT = 4  # bytes
STEPS = 28  # shuffles of two successive sums over a tile; further ones belong to other rows
MOST_ALIKE = 8  # independent instructions of one warp in flight in a scheduler


@dataclass(frozen=True)
class Cost:
    """One launch of a call at full size."""

    kernel: str  # its name
    programs: int  # of the grid
    warps: int  # of each program
    per_multiprocessor: int  # programs that fit on one multiprocessor
    loads: float  # load operations per program, on average
    asked_bytes: float  # loaded by all lanes
    loaded_bytes: float  # whole sectors that all programs request from the L2 cache
    stored_bytes: float  # likewise, stored
    own_bytes: float  # loaded by programs, repeated loads of one program counted once
    lines: float  # of 128 bytes in warps' requests, loads and stores
    read_bytes: float  # read from DRAM
    written_bytes: float  # written to DRAM
    code: Code  # its machine code
    shared_bytes: int = 0  # of a program
    stack_bytes: int = 0  # local memory of a thread
    operations: float = 0.0  # multiplications and additions of its products; 0 if memory decides


@dataclass(frozen=True)
class Dynamic:
    """The work of one warp of a program."""

    rounds: float  # loads that it waits for one after the other, while others load too
    alike: float  # elements of a tile per thread: as many instructions are independent
    instructions: float
    special: float
    barriers: float
    shuffles: float
    local_bytes: float
    tensor_time: float  # in 16-bit operations on tensor cores
    queued: bool  # whether groups of warps take turns at them
    stalls: float  # loads that a product waits for, while nothing else runs; this and all below only for products
    ahead: bool  # whether loads overlap with products
    products: float  # passes through product loops, waited for
    shared: float
    narrow: float


def dynamic(cost: Cost) -> Dynamic:
    """Return the work of a warp: its machine code, with as many passes through the loops as the launch needs."""
    once, multiplies = cost.code.once, bool(cost.operations)
    if multiplies:
        loops = _products(cost)
        passes = _passes_of_products(cost, loops)
    else:
        loops = [loop for loop in cost.code.loops if loop.load_bytes or loop.ahead]
        passes = _passes(cost, once, loops)

    def total(name: str) -> float:
        return float(getattr(once, name) + passes * sum(getattr(loop, name) for loop in loops))

    waited = [loop for loop in loops if not loop.ahead]
    return Dynamic(
        rounds=bool(once.load_bytes) + (0 if multiplies else passes * len(loops)),
        alike=MOST_ALIKE if multiplies else max(one.load_bytes for one in (once, *loops)) / ELEMENT,
        instructions=total("instructions"),
        special=total("special"),
        barriers=total("barriers"),
        shuffles=min(STEPS, once.shuffles) + passes * sum(min(STEPS, loop.shuffles) for loop in loops),
        local_bytes=total("local_bytes"),
        tensor_time=total("tensor_time"),
        queued=any(loop.queued for loop in loops),
        stalls=passes * len(waited) if multiplies else 0.0,
        ahead=multiplies and not waited,
        products=passes if multiplies and any(loop.tensor_operations for loop in loops) else 0.0,
        shared=total("shared") if multiplies else 0.0,
        narrow=total("narrow") if multiplies else 0.0,
    )


def _products(cost: Cost) -> list[Work]:
    """Return the loop that computes products on tensor cores or, if none does, those on ordinary units."""
    on_tensor_cores = max(cost.code.loops, key=lambda loop: loop.tensor_operations, default=Work())
    if on_tensor_cores.tensor_operations:
        return [on_tensor_cores]
    return [loop for loop in cost.code.loops if loop.plain_operations]


def _passes_of_products(cost: Cost, loops: Sequence[Work]) -> float:
    """Return a program's passes through the loops that compute its products; 1 if no loop does."""
    each = sum(loop.tensor_operations or loop.plain_operations for loop in loops)
    return max(1.0, cost.operations / max(1, cost.programs) / cost.warps / each) if each else 1.0


def _passes(cost: Cost, once: Work, loops: Sequence[Work]) -> float:
    """Return a program's passes through each of the loops that load."""
    threads = WARP * cost.warps
    each = threads * sum(loop.load_bytes for loop in loops)
    if not loops:
        return 0.0
    if not each:  # whole tiles, whose size the machine code does not contain
        return max(1.0, cost.loads / len(loops))
    asked = cost.asked_bytes / max(1, cost.programs)
    return max(1.0, (asked - min(asked, threads * once.load_bytes)) / each)
