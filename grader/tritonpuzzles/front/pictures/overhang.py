"""Lanes of a tile that move nothing: past the end of a tensor, or inside and switched off by a mask."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from tritonpuzzles.front.pictures.style import GROUND, SHARED, VERMILLION, key
from tritonpuzzles.results.trace import LaunchAccesses, Tiles

OFF, STRAY = "\\" * 4, "xxxx"  # hatches; dots would make files of megabytes
OFF_WORDS, STRAY_WORDS = "past the end, masked off", "past the end and not masked off"
PALLOR = 0.28  # of a program's colour where its lanes are off
MOST_SHOWN = 0.6  # of a tensor's rows or columns: more past its end is cut
MOST_PARTS = 400  # drawn one by one


@dataclass(frozen=True)
class Box:
    """The smallest area that holds what one program moved at once; rows and columns from `first` to before `end`."""

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
        """Return the part that lies in another box; one without area where there is none."""
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


def tiles_of(launch: LaunchAccesses, tensor: int, operations: Iterable[str]) -> tuple[Tile, ...]:
    """Return the whole tiles of some operations on a tensor, each once."""
    asked = set(operations)
    told = (one for one in launch.tiles if one.tensor == tensor and one.operation in asked)
    return tuple(dict.fromkeys(tile for one in told for tile in _tiles(one)))


def tiles_by_access(launch: LaunchAccesses, program: int) -> dict[int, Tile]:
    """Return one program's whole tile for each access of which it is known."""
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
    """Return before which row and column the tiles end, at least the matrix's own."""
    return max([rows, *(tile.box.bottom for tile in tiles)]), max([cols, *(tile.box.right for tile in tiles)])


def shown_end(end: int, size: int) -> float:
    """Return how far a picture goes of what ends there."""
    return min(end, size * (1 + MOST_SHOWN))


def outer_parts(tile: Tile, rows: int, cols: int) -> Iterator[Box]:
    """Yield the part of a tile to the right of a matrix, and the part below it."""
    box = tile.box
    for part in (Box(0, rows, cols, max(cols, box.right)), Box(rows, max(rows, box.bottom), 0, max(cols, box.right))):
        found = box.within(part)
        if found.height and found.width:
            yield found


def draw_beyond(axes: Axes, tiles: Sequence[Tile], rows: int, cols: int, colours: dict[int, str]) -> None:
    """Draw what lies past the end of a matrix: pale and hatched where a mask switches it off, else crossed."""
    parts = dict[tuple[Box, bool], str]()
    for tile in tiles:
        for part in outer_parts(tile, rows, cols):
            kind = part, tile.masked >= tile.beyond(rows, cols)
            parts[kind] = colours.get(tile.program, GROUND) if kind not in parts else SHARED
    if len(parts) > MOST_PARTS:
        parts = {(_around([part for part, _ in parts]), all(off for _, off in parts)): SHARED}
    for (part, off), colour in parts.items():
        axes.add_patch(part_patch(part, colour, off))


def _around(parts: Sequence[Box]) -> Box:
    """Return the smallest box around others."""
    tops, bottoms = min(part.top for part in parts), max(part.bottom for part in parts)
    return Box(tops, bottoms, min(part.left for part in parts), max(part.right for part in parts))


def pale(colour: str) -> tuple[float, float, float]:
    """Return a colour mixed with the ground: what hatches on a face that shines through is lost in some viewers."""
    mixed = (PALLOR * mine + (1 - PALLOR) * ground for mine, ground in zip(to_rgb(colour), to_rgb(GROUND), strict=True))
    red, green, blue = mixed
    return red, green, blue


def part_patch(part: Box, colour: str, off: bool) -> Rectangle:
    """Return a rectangle that is hatched if its lanes are off, and crossed if they are not."""
    look = pale(colour if off else VERMILLION)
    place = (part.left, part.top), part.width, part.height
    return Rectangle(*place, facecolor=look, hatch=OFF if off else STRAY, linewidth=0)


def keys_beyond(tiles: Sequence[tuple[Tile, int, int]]) -> list[Any]:
    """Return the legend's entries for what lies past the end; of each tile with its matrix' rows and columns."""
    kinds = {tile.masked >= beyond for tile, rows, cols in tiles if (beyond := tile.beyond(rows, cols))}
    found = [key("none", OFF_WORDS, OFF)] if True in kinds else []
    return [*found, *([key(pale(VERMILLION), STRAY_WORDS, STRAY)] if False in kinds else [])]
