"""Read what a worker tells of every access, with the same suspicion as `evidence`: nothing is larger than agreed."""

from __future__ import annotations

from itertools import accumulate
from math import prod
from typing import Any

import numpy as np

from tritonpuzzles.judge.evidence.fields import count, items, tables, text
from tritonpuzzles.results.accesses import OPERATIONS, Access, AccessedTensor, LaunchAccesses, Numbers
from tritonpuzzles.wire.frames import Frame
from tritonpuzzles.wire.places import row_major_places, spanned

MAX_LANES = 1 << 20  # of all accesses: what a picture can still show
MAX_ACCESSES = 10_000
MAX_ELEMENTS = 1 << 24  # of all tensors of all launches, gaps included
MAX_DIMENSIONS = 8
MAX_NAME = 80
BYTES_PER_LANE = 8  # element and program number, int32 each
MAX_PAYLOAD = MAX_LANES * BYTES_PER_LANE


def launch_accesses(frame: Frame) -> tuple[LaunchAccesses, ...]:
    """Read a `picture` frame.

    Raises:
        ValueError, TypeError, KeyError: if it is not of the expected form.
    """
    launches = tables(frame.header["launches"])
    extents = [_extent(*_layout(tensor)) for launch in launches for tensor in tables(launch["tensors"])]
    if sum(extents) > MAX_ELEMENTS:
        raise ValueError(f"tensors of {sum(extents)} elements are too large for a picture")
    lanes = [count(access["lanes"]) for launch in launches for access in _accesses(launch)]
    if len(lanes) > MAX_ACCESSES or sum(lanes) * BYTES_PER_LANE != len(frame.payload):
        raise ValueError(f"{len(lanes)} accesses do not fit {len(frame.payload)} bytes")
    numbers = np.frombuffer(frame.payload, dtype="<i4")
    starts = iter(accumulate(lanes, initial=0))
    return tuple(_launch(launch, [numbers[2 * next(starts) :] for _ in _accesses(launch)]) for launch in launches)


def _accesses(launch: dict[str, Any]) -> list[dict[str, Any]]:
    accesses = launch["accesses"]
    if not isinstance(accesses, list) or not all(isinstance(access, dict) for access in accesses):
        raise TypeError("a launch's accesses are no list of objects")
    return accesses


def _launch(data: dict[str, Any], numbers: list[Numbers]) -> LaunchAccesses:
    """Read one launch; each access begins where its numbers do."""
    programs = count(data["programs"])
    tensors = [_tensor(item) for item in tables(data["tensors"])]
    return LaunchAccesses(
        kernel=text(data["kernel"])[:MAX_NAME],
        grid=tuple(count(size) for size in items(data["grid"])),
        programs=programs,
        tensors=tuple(tensor for tensor, _ in tensors),
        accesses=tuple(
            _access(access, lanes, programs, [order for _, order in tensors])
            for access, lanes in zip(_accesses(data), numbers, strict=True)
        ),
    )


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
