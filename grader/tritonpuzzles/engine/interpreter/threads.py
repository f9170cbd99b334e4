"""What a program loads again after it has stored it: other threads may hold it, or a pipelined loop may load it early.

Triton places barriers only for shared memory: no warp waits for another's stores to global memory. Which thread holds a
lane depends on the shape of a tile and on what the compiler knows of its addresses, not on their values: `s + i` and
`s + i * n // n` may be spread differently. So an address has a recipe, the expression that it was made by.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tritonpuzzles.engine.interpreter.values import Array, Handle

if TYPE_CHECKING:
    from tritonpuzzles.engine.interpreter.conflicts import Touch

SIZE_BITS = 21  # bits for the number of elements of a tile, at most 2^20
WARP = 32
_LANE = (1 << 2 * SIZE_BITS) - 1
_SUMS = ("create_add", "create_addptr", "create_splat", "create_broadcast")  # of one part, the last two
_RECIPE = (1 << 61) - 1


def recipe_of(name: str, *parts: Any) -> int:
    """Return a number for an expression; sums are the same in any order, whatever is spread over a tile first."""
    if name in _SUMS:
        return sum(part.recipe for part in parts if isinstance(part, Handle)) & _RECIPE
    return hash((name, *(part.recipe if isinstance(part, Handle) else str(part) for part in parts))) & _RECIPE


def noting(name: str, operation: Callable[..., Any]) -> Callable[..., Any]:
    """Return an operation of the builder that notes the recipe of the integers or addresses that it returns."""

    def noted(self: Any, *arguments: Any, **more: Any) -> Any:
        made = operation(self, *arguments, **more)
        if isinstance(made, Handle) and made.data.dtype.kind in "iu" and not any(made is one for one in arguments):
            made.recipe = recipe_of(name, *arguments)
        return made

    return noted


def owners(touch: Touch) -> Array:
    """Return a number for each active lane that encodes its position, the tile's shape and recipe, and the moment."""
    lanes, ledger = touch.lanes, touch.ledger
    shape = lanes.offsets.shape[1:]
    layout = ledger.layouts.setdefault((shape, lanes.recipe), len(ledger.layouts)) % (1 << SIZE_BITS)
    numbers = np.arange(lanes.block_size).reshape(shape)
    return lanes.pick(numbers + (layout << SIZE_BITS) + (ledger.moment << 2 * SIZE_BITS))


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
