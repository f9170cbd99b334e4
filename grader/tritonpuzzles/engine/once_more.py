"""Run a recorded call again on the CPU, and report every access of its kernels, or the values of their variables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from torch import Tensor

from tritonpuzzles.engine.interpreted import Interpreted, on_cpu, replay
from tritonpuzzles.engine.interpreter import BatchStates, Event, LaunchTrace, Tracer
from tritonpuzzles.engine.interpreter.values import Array
from tritonpuzzles.engine.memory import Memory
from tritonpuzzles.engine.program import Call
from tritonpuzzles.wire.observed import MAX_ACCESSES, MAX_TILES, NOTHING, row_major_places, spanned


def accesses(call: Call, inputs: Mapping[str, Tensor]) -> tuple[dict[str, Any], bytes]:
    """Run a call with every access kept, for pictures; a kernel's exceptions pass through.

    Returns `launches` with a description of each, and int32 data in two parts. First the lanes of all accesses: for
    each, element numbers, counted in memory from the argument's first element, then program numbers. Then the tiles,
    four numbers each.
    """
    tracer = Tracer(element_counts=True, user_file=str(call.path), check_undefined=False)
    memory = on_cpu(call, inputs)
    replay(call, tracer).run(memory, Interpreted(tracer))
    launches = _with_few_tiles(tracer.launches)
    told = [_described(launch, call, memory) for launch in launches]
    parts = [part for launch in launches for access in launch.accesses for part in (access.elements, access.programs)]
    parts += [tiles.found for launch in launches for tiles in launch.tiles]
    return {"launches": told}, b"".join(np.asarray(part, dtype="<i4").tobytes() for part in parts)


def _with_few_tiles(launches: Sequence[LaunchTrace]) -> list[LaunchTrace]:
    """Return launches without their tiles if these exceed the limits of a report."""
    all_tiles = [tiles for launch in launches for tiles in launch.tiles]
    few = len(all_tiles) <= MAX_ACCESSES and sum(len(tiles.found) for tiles in all_tiles) <= MAX_TILES
    return [replace(launch, tiles=launch.tiles if few else ()) for launch in launches]


def _described(launch: LaunchTrace, call: Call, memory: Memory) -> dict[str, Any]:
    numbers = {argument.name: number for number, argument in enumerate(launch.arguments)}
    times = {access.time: number for number, access in enumerate(launch.accesses)}
    return {
        "kernel": launch.kernel,
        "grid": launch.grid,
        "programs": launch.programs,
        "tensors": [
            {
                "name": argument.name,
                "role": call.name(memory.number(argument.storage)),
                "shape": argument.shape,
                "stride": argument.stride,
            }
            for argument in launch.arguments
        ],
        "accesses": [
            {
                "operation": access.operation,
                "tensor": numbers[access.argument],
                "file": access.file,
                "line": access.line,
                "lanes": len(access.elements),
            }
            for access in launch.accesses
        ],
        "tiles": [
            {
                "operation": tiles.operation,
                "tensor": numbers[tiles.argument],
                "access": None if tiles.time is None else times.get(tiles.time),
                "size": tiles.lanes,
                "count": len(tiles.found),
            }
            for tiles in launch.tiles
        ],
    }


def states(call: Call, inputs: Mapping[str, Tensor]) -> tuple[dict[str, Any], bytes]:
    """Run a call with its states kept, without TF32 rounding; a kernel's exceptions pass through.

    Returns `launches` with a description of each, and the data of all events one after the other: elements as int32,
    values as float32, then a byte for each program that says whether it took part.
    """
    tracer = Tracer(user_file=str(call.path), tf32=False, check_undefined=False, states=True)
    memory = on_cpu(call, inputs)
    replay(call, tracer).run(memory, Interpreted(tracer))
    tensors = Tensors(call, memory, list(inputs.values()))
    told = [tensors.launch(launch) for launch in tracer.launches]
    return {"launches": [header for header, _ in told]}, b"".join(data for _, data in told)


class Tensors:
    """Translates element numbers of a storage to row-major places in the host function's tensors, without gaps."""

    def __init__(self, call: Call, memory: Memory, inputs: Sequence[Tensor]) -> None:
        self._call, self._memory = call, memory
        self._places: dict[int, Array] = {
            number: _places(tensor.shape, tensor.stride(), int(tensor.storage_offset()))
            for number, tensor in enumerate(inputs)
        }

    def launch(self, launch: LaunchTrace) -> tuple[dict[str, Any], bytes]:
        """Return the description of a launch, and the data of its events."""
        for argument in launch.arguments:  # copies of inputs, and outputs
            number = self._memory.number(argument.storage)
            if number not in self._places:
                self._places[number] = _places(argument.shape, argument.stride, argument.origin)
        told = [self._batch(batch) for batch in launch.states]
        return {"batches": [header for header, _ in told]}, b"".join(data for _, data in told)

    def _batch(self, batch: BatchStates) -> tuple[dict[str, Any], bytes]:
        files = sorted({event.file for event in batch.events})
        described = [self._event(event, files.index(event.file)) for event in batch.events]
        data = b"".join(part for event in batch.events for part in self._numbers(event))
        return {"programs": batch.programs.tolist(), "files": files, "events": described}, data

    def _event(self, event: Event, file: int) -> dict[str, Any]:
        array = event.elements if event.elements is not None else event.values
        assert array is not None
        return {
            "kind": event.kind,
            "name": event.name,
            "tensor": self._call.name(self._memory.number(event.storage)) if event.elements is not None else None,
            "file": file,
            "line": event.line,
            "loops": event.loops,
            "calls": event.calls,
            "shape": array.shape,
            "some": event.live is not None,
        }

    def _numbers(self, event: Event) -> Iterator[bytes]:
        if event.elements is not None:
            places = self._places[self._memory.number(event.storage)]
            known = (event.elements >= 0) & (event.elements < len(places))
            found = np.where(known, places.take(event.elements, mode="clip"), NOTHING)
            yield np.ascontiguousarray(found, dtype="<i4").tobytes()
        if event.values is not None:
            yield np.ascontiguousarray(event.values, dtype="<f4").tobytes()
        if event.live is not None:
            yield event.live.astype(np.uint8).tobytes()


def _places(shape: Sequence[int], stride: Sequence[int], first: int) -> Array:
    """Return the row-major place of each element of a storage in a view of it, `NOTHING` outside the view."""
    if not all(shape):
        return np.full(1, NOTHING, dtype=np.int32)
    return row_major_places(shape, stride, first + spanned(shape, stride), first)
