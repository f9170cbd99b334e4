"""Read a worker's report on memory: every access, bytes by tensor and line, an L2 cache, the compiled kernels.

Like all evidence it is not trusted: every size is limited.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from itertools import accumulate
from math import prod
from typing import Annotated, Any

import numpy as np

from tritonpuzzles.decoding.marks import Length, OneOf
from tritonpuzzles.hardware.gpus import TARGETS
from tritonpuzzles.judge.evidence.fields import SENT, Short
from tritonpuzzles.results.inspect import KernelResources
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.results.trace import OPERATIONS, Access, AccessedTensor, LaunchAccesses, Numbers, Tiles
from tritonpuzzles.results.traffic import INPUT, OUTPUT, SCRATCH, CacheTraffic, Traffic
from tritonpuzzles.wire import observed
from tritonpuzzles.wire.frames import Frame
from tritonpuzzles.wire.observed import TensorTraffic, row_major_places, spanned

MAX_ELEMENTS = 1 << 24  # of all tensors of all launches, gaps included
MAX_DIMENSIONS = 8
MOST_IN_A_TILE = 1 << 20  # lanes: Triton allows no more
FAR = 1 << 30  # rows or columns from a tensor: no tile is that far


Sizes = Annotated[tuple[int, ...], Length(MAX_DIMENSIONS)]
Operation = Annotated[str, OneOf(OPERATIONS)]


@dataclass(frozen=True)
class _Tensor:
    """A tensor as it is sent."""

    name: Short
    role: Short
    shape: Sizes
    stride: Sizes

    @property
    def extent(self) -> int:
        """The number of elements, or of elements spanned in memory if that is more."""
        if len(self.shape) != len(self.stride):
            raise ValueError(f"shape {self.shape!r:.80} does not go with stride {self.stride!r:.80}")
        return max(spanned(self.shape, self.stride), prod(self.shape))


@dataclass(frozen=True)
class _Access:
    """An access as it is sent: its numbers are in the payload."""

    operation: Operation
    tensor: int
    file: str
    line: int
    lanes: int


@dataclass(frozen=True)
class _Tiles:
    """Tiles as they are sent: their numbers are in the payload."""

    operation: Operation
    tensor: int
    access: int | None
    size: tuple[int, int]
    count: int


@dataclass(frozen=True)
class _Launch:
    """A launch as it is sent."""

    kernel: Short
    grid: tuple[int, ...]
    programs: int
    tensors: tuple[_Tensor, ...]
    accesses: tuple[_Access, ...]
    tiles: tuple[_Tiles, ...]


def launch_accesses(frame: Frame) -> tuple[LaunchAccesses, ...]:
    """Read a `picture` frame; raises ValueError or KeyError if it is not of the expected form."""
    launches = SENT.read(tuple[_Launch, ...], frame.header["launches"])
    elements = sum(tensor.extent for launch in launches for tensor in launch.tensors)
    if elements > MAX_ELEMENTS:
        raise ValueError(f"tensors of {elements} elements are too large for a picture")
    lanes = [access.lanes for launch in launches for access in launch.accesses]
    tiles = [one.count for launch in launches for one in launch.tiles]
    told = sum(lanes) * observed.BYTES_PER_LANE + sum(tiles) * observed.BYTES_PER_TILE
    too_many = max(len(lanes), len(tiles)) > observed.MAX_ACCESSES or sum(tiles) > observed.MAX_TILES
    if too_many or told != len(frame.payload):
        raise ValueError(f"{len(lanes)} accesses and {sum(tiles)} tiles do not fit {len(frame.payload)} bytes")
    numbers = np.frombuffer(frame.payload, dtype="<i4")
    after = numbers[2 * sum(lanes) :].reshape(-1, 4)
    starts, places = iter(accumulate(lanes, initial=0)), iter(accumulate(tiles, initial=0))
    return tuple(
        _launch(one, [numbers[2 * next(starts) :] for _ in one.accesses], [after[next(places) :] for _ in one.tiles])
        for one in launches
    )


def _launch(told: _Launch, lanes: list[Numbers], places: list[Numbers]) -> LaunchAccesses:
    """Read one launch; each array in `lanes` and `places` starts at the numbers of its access or its tiles."""
    # for each element of a tensor, in memory order: its row-major index, or -1 in gaps
    orders = [row_major_places(tensor.shape, tensor.stride, tensor.extent) for tensor in told.tensors]
    tensors = tuple(AccessedTensor(tensor.name, tensor.role, tensor.shape) for tensor in told.tensors)
    found = zip(told.accesses, lanes, strict=True)
    accesses = tuple(_access(access, numbers, told.programs, orders) for access, numbers in found)
    tiles = tuple(_tiles(one, numbers, told) for one, numbers in zip(told.tiles, places, strict=True))
    return LaunchAccesses(told.kernel, told.grid, told.programs, tensors, accesses, tiles)


def _tiles(told: _Tiles, numbers: Numbers, launch: _Launch) -> Tiles:
    rows, cols = told.size
    if not 0 < rows * cols <= MOST_IN_A_TILE:
        raise ValueError(f"there is no {told.operation} of {rows} x {cols} lanes")
    if told.tensor >= len(launch.tensors) or (told.access is not None and told.access >= len(launch.accesses)):
        raise ValueError(f"there is no tensor {told.tensor} or no access {told.access}")
    found = numbers[: told.count]
    by, corners, masked = found[:, 0], found[:, 1:3], found[:, 3]
    if len(found) and not (
        0 <= by.min() <= by.max() < launch.programs
        and np.abs(corners.astype(np.int64)).max() < FAR
        and 0 <= masked.min() <= masked.max() <= rows * cols
    ):
        raise ValueError("a tile lies too far from its tensor, its program outside the grid, or its mask is too long")
    return Tiles(told.operation, told.tensor, told.access, told.size, found)


def _access(told: _Access, numbers: Numbers, programs: int, orders: list[Numbers]) -> Access:
    lanes, tensor = told.lanes, told.tensor
    elements, by = numbers[:lanes], numbers[lanes : 2 * lanes]
    if tensor >= len(orders):
        raise ValueError(f"there is no {told.operation} of tensor {tensor}")
    if lanes and not (
        0 <= by.min() <= by.max() < programs and 0 <= elements.min() <= elements.max() < len(orders[tensor])
    ):
        raise ValueError("an access lies outside its tensor, or its program outside the grid")
    place = orders[tensor][elements]
    inside = place >= 0
    return Access(told.operation, tensor, told.file, told.line, place[inside], by[inside])


def traffic_of(moved: TensorTraffic, sizes: Mapping[str, int], outputs: Collection[str]) -> Traffic:
    """Return one tensor's traffic; multiples use the sizes that the judge knows, and for scratch the worker's.

    Atomic bytes count as written. On an input, where the atomic replaces a load, they also count as read.
    """
    tensor = moved.tensor
    size = sizes.get(tensor, moved.tensor_bytes)
    role = OUTPUT if tensor in outputs else INPUT if tensor in sizes else SCRATCH
    loaded, stored, atomic = moved.loaded_bytes, moved.stored_bytes, moved.atomic_bytes
    read, written = loaded + atomic * (role == INPUT), stored + atomic
    return Traffic(
        argument=moved.argument,
        loaded_bytes=loaded,
        stored_bytes=stored,
        loaded_times=read / size if size else 0.0,
        stored_times=written / size if size else 0.0,
        atomic_bytes=atomic,
        tensor=tensor,
        role=role,
    )


def cache_traffic(data: Any, file: Submission) -> CacheTraffic:
    """Read a `cache` frame, with the submission's lines under the file's public name.

    Raises DecodeError if it is not of the expected form.
    """
    found = SENT.read(CacheTraffic, data)
    return replace(found, lines=tuple(replace(line, file=file.known(line.file)) for line in found.lines))


def kernel_resources(item: Any) -> KernelResources:
    """Read one variant of a kernel; raises ValueError, TypeError or KeyError if it is not of the expected form."""
    given = SENT.read(dict[str, Any], item["constants"])
    constants = {name: value for name, value in given.items() if type(value) is int}
    found = SENT.read(KernelResources, item, constants=constants)
    for there in found.targets:
        if there.target not in TARGETS:
            raise ValueError(f"there is no target {there.target!r:.80}")
    return found
