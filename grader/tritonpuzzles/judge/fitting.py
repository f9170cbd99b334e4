"""Leave out the cases that are too large for the GPU of this machine, and say so."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from tritonpuzzles.judge.inputs import DrawnCase
from tritonpuzzles.results import Finding, Severity

GIB = 1 << 30


def fitting(cases: Sequence[DrawnCase]) -> tuple[list[DrawnCase], list[Finding]]:
    """Return the cases that the GPU has the memory for, and a note on each that it has not."""
    if not any(drawn.case.gpu_gib for drawn in cases):
        return list(cases), []
    present = torch.cuda.get_device_properties(0).total_memory / GIB
    return (
        [drawn for drawn in cases if drawn.case.gpu_gib <= present],
        [_left_out(drawn, present) for drawn in cases if drawn.case.gpu_gib > present],
    )


def _left_out(drawn: DrawnCase, present: float) -> Finding:
    text = f'"{drawn.name}" was left out: it needs a GPU with {drawn.case.gpu_gib} GiB, and this one has {present:.1f}.'
    return Finding("case-left-out", text, Severity.NOTE, case=drawn.name)
