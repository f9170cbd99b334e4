"""Run a recorded call once more with every access kept, for pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from torch import Tensor

from tritonpuzzles.engine.interpreted import Interpreted, on_cpu, replay
from tritonpuzzles.engine.interpreter import LaunchTrace, Tracer
from tritonpuzzles.engine.memory import Memory
from tritonpuzzles.engine.observation import Call
from tritonpuzzles.engine.program import Facts


def accesses(call: Call, inputs: Mapping[str, Tensor]) -> tuple[list[dict[str, Any]], bytes]:
    """Run a call on the CPU; what a kernel raises passes through.

    Returns:
        One description per launch, and the lanes of all accesses one after the other: element numbers, counted in
        memory from the argument's first element, then program numbers, both int32.
    """
    tracer = Tracer(element_counts=True, user_file=str(call.facts.path), check_undefined=False)
    memory = on_cpu(call, inputs)
    replay(call, tracer).run(memory, Interpreted(tracer))
    return [_described(launch, call.facts, memory) for launch in tracer.launches], _lanes(tracer.launches)


def _described(launch: LaunchTrace, facts: Facts, memory: Memory) -> dict[str, Any]:
    numbers = {argument.name: number for number, argument in enumerate(launch.arguments)}
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
    }


def _lanes(launches: Sequence[LaunchTrace]) -> bytes:
    lanes = (part for launch in launches for access in launch.accesses for part in (access.elements, access.programs))
    return b"".join(np.asarray(part, dtype="<i4").tobytes() for part in lanes)
