"""Run calls whose tensors are too large to be there: where their kernels reach is all that is told."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from tritonpuzzles.engine.configurations import Chosen
from tritonpuzzles.engine.cpu import summary
from tritonpuzzles.engine.interpreted import Interpreted
from tritonpuzzles.engine.interpreter import Tracer
from tritonpuzzles.engine.memory import Memory
from tritonpuzzles.engine.observation import Call, Observation
from tritonpuzzles.engine.replay import Replay
from tritonpuzzles.wire.drawing import dtype_of
from tritonpuzzles.wire.job import JobCase


def phantoms(case: JobCase) -> dict[str, Tensor]:
    """Return the arguments of a case by name, without memory."""
    made = {}
    for item in case.inputs:
        dtype = dtype_of(item.dtype)
        storage = torch.empty(item.storage_bytes // dtype.itemsize, dtype=dtype, device="meta")
        made[item.name] = storage.as_strided(item.shape, item.stride, item.offset)
    return made


def run_phantom(call: Call, inputs: Mapping[str, Tensor], configuration: int = 0) -> Observation:
    """Interpret the programs of a call that tell most, on tensors without memory.

    Args:
        call: what is run.
        inputs: its tensors, by name.
        configuration: number of its autotuners'.
    """
    tracer = Tracer(user_file=str(call.facts.path), check_undefined=False)
    memory = Memory(list(inputs.values()), call.facts.offsets, reserved)
    replay = Replay(call.facts.program, call.kernels, Chosen(configuration).choose)
    results = replay.run(memory, Interpreted(tracer))
    return Observation(
        results=results,
        findings=[*call.facts.findings(), *tracer.findings],
        launches=[summary(launch) for launch in tracer.launches],
    )


def reserved(elements: int, dtype: torch.dtype) -> Tensor:
    """Return a flat tensor without memory."""
    return torch.empty(elements, dtype=dtype, device="meta")
