"""What one launch asks of a GPU, and what one warp of a program does from its beginning to its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tritonpuzzles.results.inspect import Code, Work

WARP = 32
GROUP = 4  # warps that share a product, on Hopper
ELEMENT = 4  # bytes
STEPS = 28  # of two sums over a tile, one after the other; what is more are sums of other rows
MOST_ALIKE = 8  # instructions that a scheduler has in work of one warp


@dataclass(frozen=True)
class Cost:
    """One launch of a call at full size."""

    kernel: str  # its name
    programs: int  # of the grid
    warps: int  # of each program
    per_multiprocessor: int  # programs that one multiprocessor has room for
    loads: float  # load operations of each program, in the mean
    asked_bytes: float  # that all lanes load
    loaded_bytes: float  # whole sectors that all programs ask of the L2 cache
    stored_bytes: float  # likewise
    own_bytes: float  # that programs load, what one of them loads twice counted once
    lines: float  # of 128 bytes that warps' requests ask for, loads and stores
    read_bytes: float  # what of it DRAM moves
    written_bytes: float  # likewise
    code: Code  # its machine code
    shared_bytes: int = 0  # of a program
    stack_bytes: int = 0  # local memory of a thread
    operations: float = 0.0  # multiplications and additions of its products, where those decide; 0 where memory does


@dataclass(frozen=True)
class Dynamic:
    """What one warp of a program does."""

    rounds: float  # loads that it waits for in turn, where others load, too
    alike: float  # elements that a thread has of a tile: so many instructions do not wait for each other
    instructions: float
    special: float
    barriers: float
    shuffles: float
    local_bytes: float
    tensor_time: float  # operations of 16 bits on tensor cores
    queued: bool  # whether groups of warps take turns at them
    stalls: float  # loads that a product waits for, and nothing else goes on; this and what follows of products alone
    ahead: bool  # whether loads go on meanwhile
    products: float  # that something waits for
    shared: float
    narrow: float


def dynamic(cost: Cost) -> Dynamic:
    """Return what a warp does: its machine code, with as many passes through the loops as its work needs."""
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
    """Return the loop that makes the products; those of ordinary units if none is made on tensor cores."""
    on_tensor_cores = max(cost.code.loops, key=lambda loop: loop.tensor_operations, default=Work())
    if on_tensor_cores.tensor_operations:
        return [on_tensor_cores]
    return [loop for loop in cost.code.loops if loop.plain_operations]


def _passes_of_products(cost: Cost, loops: Sequence[Work]) -> float:
    """Return how often a program goes through the loops that make its products; once where all is made in none."""
    each = sum(loop.tensor_operations or loop.plain_operations for loop in loops)
    return max(1.0, cost.operations / max(1, cost.programs) / cost.warps / each) if each else 1.0


def _passes(cost: Cost, once: Work, loops: Sequence[Work]) -> float:
    """Return how often a program goes through each of the loops that load."""
    threads = WARP * cost.warps
    each = threads * sum(loop.load_bytes for loop in loops)
    if not loops:
        return 0.0
    if not each:  # whole tiles, of a size that the machine code does not tell
        return max(1.0, cost.loads / len(loops))
    asked = cost.asked_bytes / max(1, cost.programs)
    return max(1.0, (asked - min(asked, threads * once.load_bytes)) / each)
