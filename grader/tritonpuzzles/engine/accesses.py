"""Run a host function once more with every access kept, for pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor

from tritonpuzzles.engine.call import HostCall
from tritonpuzzles.engine.interpreter import LaunchTrace, Tracer
from tritonpuzzles.engine.observation import tensor_name
from tritonpuzzles.engine.tensors import returned_tensors
from tritonpuzzles.engine.watch.host import HostGuard


def accesses(host: HostCall, inputs: Mapping[str, Tensor], path: Path) -> tuple[list[dict[str, Any]], bytes]:
    """Call the host function on the CPU; exceptions of the submission pass through.

    Returns:
        One description per launch, and the lanes of all accesses one after the other: element numbers, counted in
        memory from the argument's first element, then program numbers, both int32.
    """
    tracer = Tracer(element_counts=True, user_file=str(path), check_undefined=False)
    guard = HostGuard(inputs, path)
    tracer.on_launch = lambda function, args, kwargs: guard.note_launch((*args, *kwargs.values()))
    with tracer, guard:
        returned = host(inputs)
    outputs = returned_tensors(returned)
    return [_described(launch, guard, outputs, host.host.outputs) for launch in tracer.launches], _lanes(
        tracer.launches
    )


def _described(launch: LaunchTrace, guard: HostGuard, outputs: Sequence[Any], names: Sequence[str]) -> dict[str, Any]:
    numbers = {argument.name: number for number, argument in enumerate(launch.arguments)}
    return {
        "kernel": launch.kernel,
        "grid": launch.grid,
        "programs": launch.programs,
        "tensors": [
            {
                "name": argument.name,
                "role": tensor_name(guard, argument.storage, outputs, names),
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
    }


def _lanes(launches: Sequence[LaunchTrace]) -> bytes:
    lanes = (part for launch in launches for access in launch.accesses for part in (access.elements, access.programs))
    return b"".join(np.asarray(part, dtype="<i4").tobytes() for part in lanes)
