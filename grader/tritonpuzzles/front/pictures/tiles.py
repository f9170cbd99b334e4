"""A launch's accesses as areas of matrices: which program, how often, the tiles' places, which lanes move nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritonpuzzles.front.pictures.style import name_of
from tritonpuzzles.results.trace import LOAD, Access, AccessedTensor, LaunchAccesses, Numbers, Tiles

NOBODY, SEVERAL, MASKED = -1, -2, -3  # replace a program's number; MASKED is nobody, because a mask disables the lanes
MOST_ROWS = 64  # of one access's elements if they are no rectangle; with more rows, their bounding box is used
MOST_SHOWN = 0.6  # share of a tensor's rows or columns that is drawn past its end


@dataclass(frozen=True)
class Area:
    """One tensor of a launch, read or written, as a matrix."""

    name: str  # of the tensor
    role: str  # of the tensor
    written: bool  # true for its stores and atomics, false for its loads
    rows: int  # of the matrix
    cols: int  # of the matrix
    who: Numbers  # (rows, cols) program number, `NOBODY`, `SEVERAL` or `MASKED`
    by: Numbers  # (rows, cols) how many programs
    count: Numbers  # (rows, cols) how often
    moves: tuple[tuple[int, Box], ...]  # (program, what it moved at once), each once
    tiles: tuple[Tile, ...] = ()  # the whole tiles, as far as they are known

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
                told = (one for one in launch.tiles if one.tensor == index and (one.operation == LOAD) != written)
                tiles = dict.fromkeys(tile for one in told for tile in _tiles(one))
                found.append(_area(tensor, written, accesses, tuple(tiles)))
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


@dataclass(frozen=True)
class Box:
    """The bounding box of what one program moved at once; `bottom` and `right` are exclusive."""

    top: int
    bottom: int
    left: int
    right: int

    @property
    def height(self) -> int:
        return self.bottom - self.top

    @property
    def width(self) -> int:
        return self.right - self.left

    def within(self, other: Box) -> Box:
        """Return the intersection with another box; without area if there is none."""
        top, left = max(self.top, other.top), max(self.left, other.left)
        return Box(top, max(top, min(self.bottom, other.bottom)), left, max(left, min(self.right, other.right)))


@dataclass(frozen=True)
class Tile:
    """A program's whole tile; `masked` is how many of its lanes a mask switches off."""

    program: int
    box: Box
    masked: int

    def beyond(self, rows: int, cols: int) -> int:
        """Return how many lanes lie outside of a matrix."""
        inside = self.box.within(Box(0, rows, 0, cols))
        return self.box.height * self.box.width - inside.height * inside.width


def tiles_by_access(launch: LaunchAccesses, program: int) -> dict[int, Tile]:
    """Return one program's whole tile by access number, for each access where it is known."""
    return {
        one.access: tile
        for one in launch.tiles
        if one.access is not None
        for tile in _tiles(one)
        if tile.program == program
    }


def _tiles(told: Tiles) -> Iterator[Tile]:
    tall, wide = told.size
    for program, top, left, masked in told.found.tolist():
        yield Tile(program, Box(top, top + tall, left, left + wide), masked)


def masked_inside(tiles: Sequence[Tile], rows: int, cols: int) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Return which elements lie in a tile some of whose lanes are switched off inside the matrix."""
    covered = np.zeros((rows, cols), dtype=np.bool_)
    for tile in tiles:
        if tile.masked > tile.beyond(rows, cols):
            box = tile.box.within(Box(0, rows, 0, cols))
            covered[box.top : box.bottom, box.left : box.right] = True
    return covered


def ends(tiles: Sequence[Tile], rows: int, cols: int) -> tuple[int, int]:
    """Return the exclusive end row and column of the tiles, at least the matrix's own."""
    return max([rows, *(tile.box.bottom for tile in tiles)]), max([cols, *(tile.box.right for tile in tiles)])


def shown_end(end: int, size: int) -> float:
    """Return how far a picture extends for tiles that end at `end`."""
    return min(end, size * (1 + MOST_SHOWN))


def outer_parts(box: Box, rows: int, cols: int) -> Iterator[Box]:
    """Yield the part of a box to the right of a matrix, and the part below it."""
    for part in (Box(0, rows, cols, max(cols, box.right)), Box(rows, max(rows, box.bottom), 0, max(cols, box.right))):
        found = box.within(part)
        if found.height and found.width:
            yield found
