"""What operations touch of memory, in whole sectors: runs in place of lanes, so that a large launch can be kept."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tritonpuzzles.engine.cache.touches import SECTOR
from tritonpuzzles.engine.interpreter.batch import Batch
from tritonpuzzles.engine.interpreter.values import Array

SECTOR_SHIFT = SECTOR.bit_length() - 1
MANY = 4  # lanes; where a run has fewer, the operation does not go along the rows of memory


@dataclass(frozen=True, eq=False)
class Footprint:
    """One load, store or atomic of a batch.

    Attributes:
        operation: "load", "store" or "atomic".
        argument, file, line: where it happens.
        time: position in the order of the launch's operations.
        storage: address of the memory.
        programs: linear program number of each run, from 0.
        firsts, lasts: sectors of each run, both included, counted from the beginning of the storage.
    """

    operation: str
    argument: str
    file: str
    line: int
    time: int
    storage: int
    programs: Array
    firsts: Array
    lasts: Array


def runs(elements: Array, programs: Array | None, width: int, batch: Batch) -> tuple[Array, Array, Array]:
    """Return the runs of sectors that lanes touch: program from 0, first and last sector of each.

    Lanes that stand next to each other in the operation and in memory are in one run; runs may overlap. Where nearly
    every lane would be a run, as in a tile that is loaded transposed, lanes are put in the order of memory first.

    Args:
        elements: number of each active lane's element in its storage.
        programs: of each lane, from 1; `None` where all live programs touch all of them.
        width: bytes of an element.
        batch: that the operation is of.
    """
    sectors = elements >> (SECTOR_SHIFT - (width.bit_length() - 1))
    if programs is not None:
        of_each, firsts, lasts = _in_few(sectors, programs)
        return of_each - 1, firsts, lasts
    _, firsts, lasts = _in_few(sectors, np.zeros(len(sectors), dtype=np.int64))
    live = batch.live_values(batch.linear)
    return np.repeat(live, len(firsts)) - 1, np.tile(firsts, len(live)), np.tile(lasts, len(live))


def _in_few(sectors: Array, programs: Array) -> tuple[Array, Array, Array]:
    """Return runs of lanes as they stand; where those are many, of lanes in the order of memory."""
    found = _runs(sectors, programs)
    if len(found[0]) * MANY <= len(sectors):
        return found
    order = np.lexsort((sectors, programs))
    return _runs(sectors[order], programs[order])


def _runs(sectors: Array, programs: Array) -> tuple[Array, Array, Array]:
    """Return program, first and last sector of each run of lanes that go up by no more than a sector at a time."""
    steps = np.diff(sectors)
    begins = ((steps != 0) & (steps != 1)) | (np.diff(programs) != 0)
    firsts = np.concatenate([[0], np.flatnonzero(begins) + 1])[: len(sectors)]
    lasts = np.concatenate([firsts[1:] - 1, [len(sectors) - 1]])[: len(firsts)]
    return programs[firsts], sectors[firsts], sectors[lasts]
