"""A launch's accesses as areas of matrices: which program, how often, and where the tiles lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritonpuzzles.front.pictures.overhang import Box, Tile, masked_inside, tiles_of
from tritonpuzzles.front.pictures.style import name_of
from tritonpuzzles.results.trace import LOAD, OPERATIONS, Access, AccessedTensor, LaunchAccesses, Numbers

NOBODY, SEVERAL, MASKED = -1, -2, -3  # in place of a program's number; nobody, for a mask keeps its lanes off
MOST_ROWS = 64  # of what is moved at once and is no rectangle; with more, the smallest rectangle around it is taken


@dataclass(frozen=True)
class Area:
    """One tensor of a launch, read or written, as a matrix.

    Attributes:
        name, role: of the tensor.
        written: whether its stores and atomics are meant, and not its loads.
        rows, cols: of the matrix.
        who: (rows, cols) program number, `NOBODY`, `SEVERAL` or `MASKED`.
        by: (rows, cols) how many programs.
        count: (rows, cols) how often.
        moves: (program, what it moved at once), each once.
        tiles: the whole tiles, as far as they are known.
    """

    name: str
    role: str
    written: bool
    rows: int
    cols: int
    who: Numbers
    by: Numbers
    count: Numbers
    moves: tuple[tuple[int, Box], ...]
    tiles: tuple[Tile, ...] = ()

    @property
    def title(self) -> str:
        """Return the tensor and what is done to it."""
        return f"{self.name} {'written' if self.written else 'read'}"

    @property
    def row_starts(self) -> list[int]:
        """Where tiles begin along the rows."""
        return sorted({box.top for _, box in self.moves})

    @property
    def col_starts(self) -> list[int]:
        """Where tiles begin along the columns."""
        return sorted({box.left for _, box in self.moves})


def areas(launch: LaunchAccesses) -> list[Area]:
    """Return every tensor that is read, then every one that is written."""
    found = []
    for written in (False, True):
        for index, tensor in enumerate(launch.tensors):
            accesses = [
                access
                for access in launch.accesses
                if access.tensor == index and (access.operation == LOAD) != written and len(access.elements)
            ]
            if accesses:
                operations = [operation for operation in OPERATIONS if (operation == LOAD) != written]
                found.append(_area(tensor, written, accesses, tiles_of(launch, index, operations)))
    return found


def boxes_of(access: Access, cols: int) -> dict[int, tuple[Box, ...]]:
    """Return for each program of an access the area that it moved; in one box if that is full, else row by row."""
    order = np.lexsort((access.elements, access.programs))
    programs, elements = access.programs[order], access.elements[order]
    numbers, starts = np.unique(programs, return_index=True)
    parts = np.split(elements, starts[1:]) if len(numbers) else []
    return {int(number): _boxes(np.unique(part), cols) for number, part in zip(numbers, parts, strict=True)}


def _boxes(elements: Numbers, cols: int) -> tuple[Box, ...]:
    """Return the boxes of one program's elements, each element once, in rising order."""
    rows, columns = elements // cols, elements % cols
    whole = Box(int(rows[0]), int(rows[-1]) + 1, int(columns.min()), int(columns.max()) + 1)
    starts = np.flatnonzero(np.diff(rows, prepend=-1))
    if whole.height * whole.width == len(elements) or len(starts) > MOST_ROWS:
        return (whole,)
    ends = [*starts[1:], len(rows)]
    spans = zip(rows[starts], columns[starts], columns[[end - 1 for end in ends]], strict=True)
    return tuple(Box(int(row), int(row) + 1, int(left), int(right) + 1) for row, left, right in spans)


def _area(tensor: AccessedTensor, written: bool, accesses: Sequence[Access], tiles: tuple[Tile, ...]) -> Area:
    rows, cols = tensor.size
    elements, programs = (np.concatenate([getattr(a, part) for a in accesses]) for part in ("elements", "programs"))
    many = int(programs.max()) + 1
    moved, movers = np.divmod(np.unique(elements * many + programs), many)  # each element with each program, once
    by = np.bincount(moved, minlength=rows * cols)
    who = np.full(rows * cols, NOBODY)
    who[moved] = movers
    who[by > 1] = SEVERAL
    count = np.bincount(elements, minlength=rows * cols)
    moves = dict.fromkeys(
        (program, box) for access in accesses for program, boxes in boxes_of(access, cols).items() for box in boxes
    )
    size = rows, cols
    who[(who == NOBODY) & masked_inside(tiles, rows, cols).reshape(-1)] = MASKED
    shaped = who.reshape(size), by.reshape(size), count.reshape(size)
    return Area(name_of(tensor.name), name_of(tensor.role), written, *size, *shaped, tuple(moves), tiles)


def shrunk(values: Numbers, most: tuple[int, int], priority: NDArray[np.integer[Any]]) -> tuple[Numbers, int, int]:
    """Return values with as many cells as a picture can show; each cell has the value of highest priority in it.

    A single odd element among thousands stays visible that way.

    Args:
        values: (rows, cols).
        most: rows and columns of the result at most.
        priority: (rows, cols); of equals, the first element of a cell counts.

    Returns:
        The cells, and how many rows and columns of elements the largest of them stands for.
    """
    rows, cols = values.shape
    tops, lefts = (
        np.linspace(0, n, min(n, m), endpoint=False).astype(int) for n, m in zip((rows, cols), most, strict=True)
    )
    tall, wide = -(-rows // len(tops)), -(-cols // len(lefts))
    order = np.arange(values.size).reshape(values.shape)
    rank = priority.astype(np.int64) * values.size + (values.size - 1 - order)  # unique; the first of equals wins
    best = np.maximum.reduceat(np.maximum.reduceat(rank, tops, axis=0), lefts, axis=1)
    return values.reshape(-1)[values.size - 1 - best % values.size], tall, wide
