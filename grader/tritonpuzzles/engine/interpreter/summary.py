"""Summarise a finished launch as a `LaunchTrace`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tritonpuzzles.engine.interpreter.arguments import programs_of
from tritonpuzzles.engine.interpreter.ledger import Place
from tritonpuzzles.engine.interpreter.records import ArgumentTrace, LaunchTrace
from tritonpuzzles.engine.interpreter.regions import Region
from tritonpuzzles.engine.interpreter.values import Array

if TYPE_CHECKING:
    from tritonpuzzles.engine.interpreter.launch import Launch


def trace_of(launch: Launch, place: Place, options: dict[str, Any]) -> LaunchTrace:
    """Return what a launch has done."""
    total = launch.ledger.total
    return LaunchTrace(
        kernel=launch.function.__name__,
        file=place[0],
        line=place[1],
        grid=launch.grid,
        programs=programs_of(launch.grid),
        arguments=tuple(_argument(launch, region) for region in launch.memory.regions),
        lines=dict(total.bytes),
        largest_tile=launch.builder.largest_tile,
        most_together=launch.builder.most_together,
        fallback=launch.fallback,
        batches=launch.batches,
        splits=launch.splits,
        function=launch.function,
        bound=launch.bound,
        options=options,
        answers=launch.control.asking.answers,
        accesses=tuple(total.accesses),
        footprints=tuple(total.footprints),
        tiles=tuple(total.tiles),
        states=() if launch.ledger.states is None else tuple(launch.ledger.states.batches),
    )


def _argument(launch: Launch, region: Region) -> ArgumentTrace:
    tensor, total = region.tensor, launch.ledger.total
    moved = {"load": 0, "store": 0, "atomic": 0}
    for (_, _, argument, operation), count in total.bytes.items():
        if argument == region.name:
            moved[operation] += count
    counted = launch.ledger.element_counts
    return ArgumentTrace(
        name=region.name,
        shape=tuple(tensor.shape),
        stride=tuple(tensor.stride()),
        dtype=str(tensor.dtype).removeprefix("torch."),
        element_size=region.width,
        storage=region.storage.address,
        origin=region.first_byte // region.width,
        nbytes=tensor.numel() * region.width,
        loaded_bytes=moved["load"],
        stored_bytes=moved["store"],
        atomic_bytes=moved["atomic"],
        read_counts=_element_counts(launch, region, ("load", "atomic")) if counted else None,
        write_counts=_element_counts(launch, region, ("store", "atomic")) if counted else None,
    )


def _element_counts(launch: Launch, region: Region, operations: tuple[str, ...]) -> Array:
    """Return how often each element took part in some operations, in the tensor's shape."""
    extent = region.limit // region.width
    counts = np.zeros(extent, dtype=np.int64)
    for access in launch.ledger.total.accesses:
        if access.argument == region.name and access.operation in operations:
            counts += np.bincount(access.elements, minlength=extent)[:extent]
    strides = [8 * stride for stride in region.tensor.stride()]
    shaped: Array = np.lib.stride_tricks.as_strided(counts, tuple(region.tensor.shape), strides).copy()
    return shaped
