"""What one warp of a program does from its beginning to its end: its machine code, and its passes through loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from tritonpuzzles.results.inspect import Work
from tritonpuzzles.speed.cost import Cost

WARP = 32
GROUP = 4  # warps that share a product, on Hopper
ELEMENT = 4  # bytes
STEPS = 28  # of two sums over a tile, one after the other; what is more are sums of other rows
MOST_ALIKE = 8  # instructions that a scheduler has in work of one warp


@dataclass(frozen=True)
class Dynamic:
    """What one warp of a program does.

    Attributes:
        passes: through its loops.
        rounds: loads that it waits for in turn, where others load, too.
        alike: elements that a thread has of a tile: so many instructions do not wait for each other.
        tensor_time: operations of 16 bits on tensor cores.
        queued: whether groups of warps take turns at them.
        stalls: loads that a product waits for, and nothing else goes on; this and what follows of products alone.
        ahead: whether loads go on meanwhile.
        products: that something waits for.
    """

    passes: float
    rounds: float
    alike: float
    instructions: float
    special: float
    barriers: float
    shuffles: float
    local_bytes: float
    tensor_time: float
    queued: bool
    stalls: float = 0.0
    ahead: bool = False
    products: float = 0.0
    shared: float = 0.0
    narrow: float = 0.0


def dynamic(cost: Cost) -> Dynamic:
    """Return what a warp does: its machine code, with as many passes through the loops as its work needs."""
    once = cost.code.once
    if not cost.operations:
        loops = [loop for loop in cost.code.loops if loop.load_bytes or loop.ahead]
        passes = _passes(cost, once, loops)
        alike = max(one.load_bytes for one in (once, *loops)) / ELEMENT
        return _summed(once, loops, passes, bool(once.load_bytes) + passes * len(loops), alike)
    loops = _products(cost)
    passes = _passes_of_products(cost, loops)
    waited = [loop for loop in loops if not loop.ahead]
    return replace(
        _summed(once, loops, passes, bool(once.load_bytes), MOST_ALIKE),
        stalls=passes * len(waited),
        ahead=not waited,
        products=passes if any(loop.tensor_operations for loop in loops) else 0.0,
        shared=_total(once, loops, passes, "shared"),
        narrow=_total(once, loops, passes, "narrow"),
    )


def _summed(once: Work, loops: Sequence[Work], passes: float, rounds: float, alike: float) -> Dynamic:
    """Return what is done once, and in so many passes through loops."""
    total = partial(_total, once, loops, passes)
    return Dynamic(
        passes=passes,
        rounds=rounds,
        alike=alike,
        instructions=total("instructions"),
        special=total("special"),
        barriers=total("barriers"),
        shuffles=min(STEPS, once.shuffles) + passes * sum(min(STEPS, loop.shuffles) for loop in loops),
        local_bytes=total("local_bytes"),
        tensor_time=total("tensor_time"),
        queued=any(loop.queued for loop in loops),
    )


def _total(once: Work, loops: Sequence[Work], passes: float, name: str) -> float:
    return float(getattr(once, name) + passes * sum(getattr(loop, name) for loop in loops))


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
