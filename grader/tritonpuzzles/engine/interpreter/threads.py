"""What a program loads again after it has stored it: other threads may hold it, or a pipelined loop may load it early.

Triton places barriers only for shared memory: no warp waits for another's stores to global memory. Which thread holds a
lane is taken to depend on its position and the size of its tile alone. The compiler may also spread two tiles unlike
each other because it knows more of one's addresses: docs/limits.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tritonpuzzles.engine.interpreter.values import Array

if TYPE_CHECKING:
    from tritonpuzzles.engine.interpreter.conflicts import Touch

SIZE_BITS = 21  # bits for the number of elements of a tile, at most 2^20
WARP = 32
_LANE = (1 << 2 * SIZE_BITS) - 1


def owners(touch: Touch) -> Array:
    """Return a number for each active lane that encodes its position, the tile's size, and the moment."""
    lanes, ledger = touch.lanes, touch.ledger
    numbers = np.arange(lanes.block_size).reshape(lanes.offsets.shape[1:])
    return lanes.pick(numbers + (lanes.block_size << SIZE_BITS) + (ledger.moment << 2 * SIZE_BITS))


def stored_apart(touch: Touch, writers: Array, loads: bool) -> Array:
    """Return which elements another thread of the same program has stored since its threads last synchronised.

    A tile of fewer elements than threads is stored by some of them, and loaded by all.
    """
    if touch.ledger.threads <= WARP:
        return np.zeros(len(writers), dtype=np.bool_)
    owner = touch.region.storage.owner[touch.width][touch.elements]
    few = loads and touch.lanes.block_size < touch.ledger.threads
    apart = ((owner ^ owners(touch)) & _LANE != 0) | few
    found: Array = apart & (writers == touch.programs) & (owner >= touch.ledger.met << 2 * SIZE_BITS)
    return found


def loaded_ahead(touch: Touch, writers: Array) -> Array:
    """Return which elements the same program has stored in a loop that the compiler pipelines: it loads them before.

    With `num_stages` at the loop this holds for every load of a tile, without it for operands of `tl.dot` alone.
    """
    loops, rank = touch.ledger.loops, touch.lanes.offsets.ndim - 1
    begun = [moment for moment, hinted in loops if rank > 1 or hinted]
    if not begun or touch.lanes.block_size == 1:
        return np.zeros(len(writers), dtype=np.bool_)
    owner = touch.region.storage.owner[touch.width][touch.elements]
    found: Array = (writers == touch.programs) & (owner >= min(begun) << 2 * SIZE_BITS)
    return found
