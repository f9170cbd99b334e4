"""The memory that operations touch: in whole sectors, for a cache, and in whole tiles, for pictures.

Sectors are kept in runs instead of lanes, so that a large launch fits in memory. A tile's addresses alone do not show
to which row a lane past the end of a row belongs: the lanes that move data, and the tile's strides, show it. If they
leave a doubt, no tile is reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tritonpuzzles.engine.cache.pieces import SECTOR
from tritonpuzzles.engine.interpreter.batch import Batch
from tritonpuzzles.engine.interpreter.values import Array, Handle, lift

if TYPE_CHECKING:
    from tritonpuzzles.engine.interpreter.regions import Lanes, Region

SECTOR_SHIFT = SECTOR.bit_length() - 1
LINE_SHIFT = 7  # of 128 bytes
WARP = 32  # lanes
MOST_LANES = 1 << 14  # of an operation that are inspected
MANY = 4  # lanes; if runs have fewer on average, the operation does not follow the rows of memory


@dataclass(frozen=True, eq=False)
class Footprint:
    """One load, store or atomic of a batch."""

    operation: str  # "load", "store" or "atomic"
    argument: str
    file: str
    line: int
    time: int  # position in the order of the launch's operations
    storage: int  # address of the memory
    programs: Array  # linear program number of each run, from 0
    firsts: Array  # first sector of each run, counted from the beginning of the storage
    lasts: Array  # last sector of each, included
    lines: float  # of 128 bytes, summed over all warps' requests: see `lines_of`


def lines_of(lanes: Lanes, width: int) -> float:
    """Return the number of 128-byte lines in the requests of an operation, of one program or of all.

    A warp's 32 threads make one request; of narrow elements a thread has several. The compiler chooses the lanes of a
    warp: neighbours along the axis that is densest in memory, and this is assumed here. A sample of the lanes stands
    for all. `width` is of one element, in bytes.
    """
    together = max(WARP, (1 << LINE_SHIFT) // width)
    sample = lanes.offsets[: max(1, MOST_LANES // max(1, lanes.offsets[0].size))] >> LINE_SHIFT
    least = min((_lines(sample, axis, together) for axis in range(1, sample.ndim)), default=1.0)
    return least * lanes.count() / together


def _lines(lines: Array, axis: int, together: int) -> float:
    """Return the mean number of lines of a request of `together` elements, if `axis` varies fastest."""
    flat = np.moveaxis(lines, axis, -1).reshape(-1)[:MOST_LANES]
    if len(flat) < together:
        return float(len(np.unique(flat)))
    requests = np.sort(flat[: len(flat) // together * together].reshape(-1, together), axis=1)
    return 1.0 + float((np.diff(requests, axis=1) != 0).sum(axis=1).mean())


def runs(elements: Array, programs: Array | None, width: int, batch: Batch) -> tuple[Array, Array, Array]:
    """Return the runs of sectors that lanes touch: program from 0, first and last sector of each.

    Lanes that are neighbours in the operation and in memory form one run; runs may overlap. If runs would be very
    short, as in a tile that is loaded transposed, lanes are sorted by address first.

    elements: number of each active lane's element, of `width` bytes, in its storage. programs: of each lane, from 1;
    `None` if all live programs touch all of them.
    """
    sectors = elements >> (SECTOR_SHIFT - (width.bit_length() - 1))
    if programs is not None:
        of_each, firsts, lasts = _in_few(sectors, programs)
        return of_each - 1, firsts, lasts
    _, firsts, lasts = _in_few(sectors, np.zeros(len(sectors), dtype=np.int64))
    live = batch.live_values(batch.linear)
    return np.repeat(live, len(firsts)) - 1, np.tile(firsts, len(live)), np.tile(lasts, len(live))


def _in_few(sectors: Array, programs: Array) -> tuple[Array, Array, Array]:
    """Return runs of lanes in their given order or, if those are too many, of lanes sorted by address."""
    found = _runs(sectors, programs)
    if len(found[0]) * MANY <= len(sectors):
        return found
    order = np.lexsort((sectors, programs))
    return _runs(sectors[order], programs[order])


def _runs(sectors: Array, programs: Array) -> tuple[Array, Array, Array]:
    """Return program, first and last sector of each run of lanes whose sectors increase by 0 or 1 at a time."""
    steps = np.diff(sectors)
    begins = ((steps != 0) & (steps != 1)) | (np.diff(programs) != 0)
    firsts = np.concatenate([[0], np.flatnonzero(begins) + 1])[: len(sectors)]
    lasts = np.concatenate([firsts[1:] - 1, [len(sectors) - 1]])[: len(firsts)]
    return programs[firsts], sectors[firsts], sectors[lasts]


@dataclass(frozen=True)
class Tiles:
    """The tiles of one load, store or atomic of a batch, in a tensor of one or two dimensions."""

    operation: str
    argument: str
    time: int | None  # of their access; `None` if no lane is active
    lanes: tuple[int, int]  # rows and columns of them; a vector is one row
    found: Array  # (tiles, 4) int32: program from 0, row and column of the first lane, masked-off lanes


def tiles_of(
    batch: Batch, ptrs: Handle, mask: Handle | None, region: Region, lanes: Lanes | None
) -> tuple[tuple[int, int], Array] | None:
    """Return size and positions of an operation's tiles, as in `Tiles`; `None` if they are in doubt.

    `lanes` are the active ones, if there are any.
    """
    block = ptrs.data.shape[1:]
    offsets = (ptrs.data - np.uint64(region.base)).view(np.int64)
    shape, stride = tuple(region.tensor.shape), region.tensor.stride()
    if (
        not 1 <= len(shape) <= 2
        or not all(shape)
        or np.prod(block, dtype=np.int64) < 2
        or (offsets % region.width).any()
    ):
        return None
    offsets = offsets // region.width
    along = _dimensions(offsets, stride)
    if along is None:
        return None
    programs = batch.live_indices
    flat = np.broadcast_to(offsets.reshape(len(offsets), -1), (batch.count, offsets[0].size))[programs]
    first, anchored = _anchors(batch, block, lanes, programs)
    if len(shape) == 2:  # a vector's tile can be located without an active lane
        programs, flat, first = programs[anchored], flat[anchored], first[anchored]
    else:
        first = np.where(anchored, first, 0)
    places = _places(flat[np.arange(len(flat)), first], stride)
    lane = np.unravel_index(first, block)
    size = [1, 1]
    for axis, dimension in along.items():
        places[dimension] = places[dimension] - lane[axis]
        size[dimension - len(shape)] = block[axis]
    rows, cols = places if len(shape) == 2 else (np.zeros_like(places[0]), places[0])
    found = np.stack([batch.linear[programs] - 1, rows, cols, _masked(batch, mask, block)[programs]], axis=1)
    return ((size[0], size[1]), found.astype(np.int32)) if len(found) else None


def _dimensions(offsets: Array, stride: Sequence[int]) -> dict[int, int] | None:
    """Map each axis of a block to the dimension of the tensor that it follows; `None` unless each follows one."""
    if len(set(stride)) < len(stride) or min(stride) < 1:
        return None
    found = dict[int, int]()
    expected = offsets.reshape(len(offsets), -1)[:, 0].reshape(-1, *[1] * (offsets.ndim - 1))
    for axis, lanes in enumerate(offsets.shape[1:]):
        if lanes > 1:
            step = int(offsets[0].take(1, axis).flat[0] - offsets[0].flat[0])
            if step not in stride or stride.index(step) in found.values():
                return None
            found[axis] = stride.index(step)
            ticks = [1] * offsets.ndim
            ticks[axis + 1] = lanes
            expected = expected + step * np.arange(lanes).reshape(ticks)
    return found if (expected == offsets).all() else None


def _anchors(batch: Batch, block: Sequence[int], lanes: Lanes | None, programs: Array) -> tuple[Array, Array]:
    """Return for each program its first active lane, and whether it has one."""
    moves = np.zeros((batch.count, *block), dtype=np.bool_)
    if lanes is not None:
        moves[...] = True if lanes.active is None else lanes.active
    moves = moves.reshape(batch.count, -1)[programs]
    return moves.argmax(axis=1), np.asarray(moves.any(axis=1))


def _places(elements: Array, stride: Sequence[int]) -> list[Array]:
    """Return the indices of elements in their tensor, one array for each dimension."""
    places, left = [elements] * len(stride), elements
    for dimension in sorted(range(len(stride)), key=lambda dimension: -stride[dimension]):
        places[dimension], left = left // stride[dimension], left % stride[dimension]
    return places


def _masked(batch: Batch, mask: Handle | None, block: Sequence[int]) -> Array:
    """Return how many lanes of each program the mask switches off."""
    if mask is None:
        return np.zeros(batch.count, dtype=np.int64)
    on = np.broadcast_to(lift(mask.data, len(block)), (batch.count, *block)).astype(np.bool_)
    return np.asarray(np.count_nonzero(~on.reshape(batch.count, -1), axis=1))
