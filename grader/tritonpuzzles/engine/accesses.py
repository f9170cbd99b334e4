"""Run a recorded call once more with every access kept, for pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from torch import Tensor

from tritonpuzzles.engine.interpreted import Interpreted, on_cpu, replay
from tritonpuzzles.engine.interpreter import LaunchTrace, Tracer
from tritonpuzzles.engine.memory import Memory
from tritonpuzzles.engine.observation import Call
from tritonpuzzles.engine.program import Facts
from tritonpuzzles.wire.pictured import MAX_ACCESSES, MAX_TILES


def accesses(call: Call, inputs: Mapping[str, Tensor]) -> tuple[list[dict[str, Any]], bytes]:
    """Run a call on the CPU; what a kernel raises passes through.

    Returns:
        One description per launch, and two parts one after the other, all int32. The lanes of all accesses: element
        numbers, counted in memory from the argument's first element, then program numbers. Then their tiles, four
        numbers each.
    """
    tracer = Tracer(element_counts=True, user_file=str(call.facts.path), check_undefined=False)
    memory = on_cpu(call, inputs)
    replay(call, tracer).run(memory, Interpreted(tracer))
    launches = _with_few_tiles(tracer.launches)
    return [_described(launch, call.facts, memory) for launch in launches], _lanes(launches) + _tiles(launches)


def _with_few_tiles(launches: Sequence[LaunchTrace]) -> list[LaunchTrace]:
    """Return launches without their tiles where these are more than is told of."""
    all_tiles = [tiles for launch in launches for tiles in launch.tiles]
    few = len(all_tiles) <= MAX_ACCESSES and sum(len(tiles.found) for tiles in all_tiles) <= MAX_TILES
    return [replace(launch, tiles=launch.tiles if few else ()) for launch in launches]


def _described(launch: LaunchTrace, facts: Facts, memory: Memory) -> dict[str, Any]:
    numbers = {argument.name: number for number, argument in enumerate(launch.arguments)}
    times = {access.time: number for number, access in enumerate(launch.accesses)}
    return {
        "kernel": launch.kernel,
        "grid": launch.grid,
        "programs": launch.programs,
        "tensors": [
            {
                "name": argument.name,
                "role": facts.name(memory.number(argument.storage)),
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


def _lanes(launches: Sequence[LaunchTrace]) -> bytes:
    lanes = (part for launch in launches for access in launch.accesses for part in (access.elements, access.programs))
    return b"".join(np.asarray(part, dtype="<i4").tobytes() for part in lanes)


def _tiles(launches: Sequence[LaunchTrace]) -> bytes:
    return b"".join(np.asarray(tiles.found, dtype="<i4").tobytes() for launch in launches for tiles in launch.tiles)
