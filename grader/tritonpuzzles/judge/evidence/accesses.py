"""Read what a worker tells of every access, with the same suspicion as `evidence`: nothing is larger than agreed."""

from __future__ import annotations

from itertools import accumulate
from math import prod
from typing import Any

import numpy as np

from tritonpuzzles.judge.evidence.fields import count, items, optional_count, tables, text
from tritonpuzzles.results.accesses import OPERATIONS, Access, AccessedTensor, LaunchAccesses, Numbers, Tiles
from tritonpuzzles.wire.frames import Frame
from tritonpuzzles.wire.pictured import BYTES_PER_LANE, BYTES_PER_TILE, MAX_ACCESSES, MAX_TILES
from tritonpuzzles.wire.places import row_major_places, spanned

MAX_ELEMENTS = 1 << 24  # of all tensors of all launches, gaps included
MAX_DIMENSIONS = 8
MAX_NAME = 80
MOST_IN_A_TILE = 1 << 20  # lanes: Triton allows no more
FAR = 1 << 30  # rows or columns from a tensor: no tile is that far


def launch_accesses(frame: Frame) -> tuple[LaunchAccesses, ...]:
    """Read a `picture` frame.

    Raises:
        ValueError, TypeError, KeyError: if it is not of the expected form.
    """
    launches = tables(frame.header["launches"])
    extents = [_extent(*_layout(tensor)) for launch in launches for tensor in tables(launch["tensors"])]
    if sum(extents) > MAX_ELEMENTS:
        raise ValueError(f"tensors of {sum(extents)} elements are too large for a picture")
    lanes = [count(access["lanes"]) for launch in launches for access in tables(launch["accesses"])]
    tiles = [count(one["count"]) for launch in launches for one in tables(launch["tiles"])]
    told = sum(lanes) * BYTES_PER_LANE + sum(tiles) * BYTES_PER_TILE
    if max(len(lanes), len(tiles)) > MAX_ACCESSES or sum(tiles) > MAX_TILES or told != len(frame.payload):
        raise ValueError(f"{len(lanes)} accesses and {sum(tiles)} tiles do not fit {len(frame.payload)} bytes")
    numbers = np.frombuffer(frame.payload, dtype="<i4")
    behind = numbers[2 * sum(lanes) :].reshape(-1, 4)
    starts, places = iter(accumulate(lanes, initial=0)), iter(accumulate(tiles, initial=0))
    return tuple(
        _launch(
            launch,
            [numbers[2 * next(starts) :] for _ in launch["accesses"]],
            [behind[next(places) :] for _ in launch["tiles"]],
        )
        for launch in launches
    )


def _launch(data: dict[str, Any], lanes: list[Numbers], places: list[Numbers]) -> LaunchAccesses:
    """Read one launch; each access begins where its numbers do, and so do the tiles."""
    programs = count(data["programs"])
    tensors = [_tensor(item) for item in tables(data["tensors"])]
    orders = [order for _, order in tensors]
    return LaunchAccesses(
        kernel=text(data["kernel"])[:MAX_NAME],
        grid=tuple(count(size) for size in items(data["grid"])),
        programs=programs,
        tensors=tuple(tensor for tensor, _ in tensors),
        accesses=tuple(
            _access(access, numbers, programs, orders) for access, numbers in zip(data["accesses"], lanes, strict=True)
        ),
        tiles=tuple(_tiles(one, numbers, data, programs) for one, numbers in zip(data["tiles"], places, strict=True)),
    )


def _tiles(data: dict[str, Any], numbers: Numbers, launch: dict[str, Any], programs: int) -> Tiles:
    tensor, operation, access = count(data["tensor"]), text(data["operation"]), optional_count(data["access"])
    rows, cols = (count(size) for size in items(data["size"]))
    if operation not in OPERATIONS or not 0 < rows * cols <= MOST_IN_A_TILE:
        raise ValueError(f"there is no {operation!r:.80} of {rows} x {cols} lanes")
    if tensor >= len(launch["tensors"]) or (access is not None and access >= len(launch["accesses"])):
        raise ValueError(f"there is no tensor {tensor} or no access {access}")
    found = numbers[: count(data["count"])]
    by, corners, masked = found[:, 0], found[:, 1:3], found[:, 3]
    if len(found) and not (
        0 <= by.min() <= by.max() < programs
        and np.abs(corners.astype(np.int64)).max() < FAR
        and 0 <= masked.min() <= masked.max() <= rows * cols
    ):
        raise ValueError("a tile lies too far from its tensor, its program outside the grid, or its mask is too long")
    return Tiles(operation, tensor, access, (rows, cols), found)


def _layout(data: dict[str, Any]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return a tensor's shape and stride."""
    shape, stride = (tuple(count(size) for size in items(data[key])) for key in ("shape", "stride"))
    if len(shape) != len(stride) or len(shape) > MAX_DIMENSIONS:
        raise ValueError(f"shape {shape!r:.80} does not go with stride {stride!r:.80}")
    return shape, stride


def _extent(shape: tuple[int, ...], stride: tuple[int, ...]) -> int:
    """Return the elements that a tensor has or, if that is more, that it spans in memory."""
    return max(spanned(shape, stride), prod(shape))


def _tensor(data: dict[str, Any]) -> tuple[AccessedTensor, Numbers]:
    """Return a tensor, and for each element from its first in memory on the row-major number, -1 in gaps."""
    shape, stride = _layout(data)
    order = row_major_places(shape, stride, _extent(shape, stride))
    return AccessedTensor(text(data["name"])[:MAX_NAME], text(data["role"])[:MAX_NAME], shape), order


def _access(data: dict[str, Any], numbers: Numbers, programs: int, orders: list[Numbers]) -> Access:
    lanes, tensor, operation = count(data["lanes"]), count(data["tensor"]), text(data["operation"])
    elements, by = numbers[:lanes], numbers[lanes : 2 * lanes]
    if operation not in OPERATIONS or tensor >= len(orders):
        raise ValueError(f"there is no {operation!r:.80} of tensor {tensor}")
    if lanes and not (
        0 <= by.min() <= by.max() < programs and 0 <= elements.min() <= elements.max() < len(orders[tensor])
    ):
        raise ValueError("an access lies outside its tensor, or its program outside the grid")
    place = orders[tensor][elements]
    inside = place >= 0
    return Access(operation, tensor, text(data["file"]), count(data["line"]), place[inside], by[inside])
