"""What the operations of a launch touch, in sectors: the least that moves between a GPU's DRAM and its L2 cache."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[np.int64]

SECTOR = 32  # bytes
LOAD, STORE, ATOMIC = 0, 1, 2


@dataclass(frozen=True, eq=False)
class Touches:
    """Runs of sectors, each of one operation of one program; arrays of one length.

    Runs of one operation may overlap: what it touches, it touches once.

    Attributes:
        programs: linear number of the program.
        times: of the operation; for any one program, operations in order of time.
        firsts, lasts: sectors of the run, both included, in one numbering of all memory.
        kinds: `LOAD`, `STORE` or `ATOMIC`, the same for all runs of an operation.
        labels: what its bytes are counted under, a small number, the same for all runs of an operation.
    """

    programs: Numbers
    times: Numbers
    firsts: Numbers
    lasts: Numbers
    kinds: Numbers
    labels: Numbers

    def __len__(self) -> int:
        return len(self.programs)


def as_numbers(values: Any) -> Numbers:
    """Return an array of whole numbers."""
    return np.asarray(values, dtype=np.int64)


def joined(parts: Sequence[Any]) -> Numbers:
    """Return arrays of whole numbers one after the other; of none, an empty one."""
    return np.concatenate([as_numbers(part) for part in parts]) if parts else as_numbers([])


def in_order_of_stores(touches: Touches) -> Touches:
    """Return the same touches with programs numbered by the first sector that each stores: a matrix's, row by row.

    Programs that store nothing come last.
    """
    if not len(touches):
        return touches
    firsts = np.full(int(touches.programs.max()) + 1, np.iinfo(np.int64).max)
    stores = touches.kinds == STORE
    np.minimum.at(firsts, touches.programs[stores], touches.firsts[stores])
    numbers = np.empty_like(firsts)
    numbers[np.argsort(firsts, kind="stable")] = np.arange(len(firsts))
    return replace(touches, programs=numbers[touches.programs])
