"""Run a call again: a race between programs gives other bits now and then, a stray load where other bytes lie there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import torch
from torch import Tensor

from tritonpuzzles.engine.memory import ALL_ONES
from tritonpuzzles.engine.watch.guards import zones
from tritonpuzzles.results.check import Finding

REPEATS = 5
MAX_BYTES = 256 << 20  # of outputs: what is larger runs once
OTHER_BYTE = 0x44  # repeated: 4.27 in float16, 785 in float32 and in bfloat16


def are_worth_repeating(outputs: Sequence[Tensor]) -> bool:
    """Return whether outputs are small enough to be computed again and again."""
    return sum(output.numel() * output.element_size() for output in outputs) <= MAX_BYTES


def repeat_findings(
    run: Callable[[], Sequence[Tensor]], outputs: Sequence[Tensor], path: Path, call: str
) -> list[Finding]:
    """Return a finding if any of the repeats gives other bits than the first run.

    Args:
        run: runs the call once more.
        outputs: of the first run.
        path: the submission.
        call: the host function, for messages.
    """
    first = [output.clone() for output in outputs]
    for number in range(2, REPEATS + 1):
        again = run()
        for before, after in zip(first, again, strict=False):
            changed = different(before, after)
            if changed.numel():
                return [_race(changed, number, path, call)]
    return []


def different(before: Tensor, after: Tensor) -> Tensor:
    """Return the indices of the elements whose bits differ, (count, ndim)."""
    if before.shape != after.shape or before.dtype != after.dtype:
        return torch.zeros(1, before.ndim, dtype=torch.int64)
    width = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[before.element_size()]
    return torch.nonzero(before.contiguous().view(width) != after.contiguous().view(width))


def _race(changed: Tensor, number: int, path: Path, call: str) -> Finding:
    place = ", ".join(str(int(index)) for index in changed[0])
    elements = f"{len(changed):,} element{'s' * (len(changed) != 1)}"
    text = (
        f"{call} is not repeatable: run {number} of {REPEATS} on the same input gives other bits in {elements}, "
        f"the first at [{place}]. Two programs race for the same memory."
    )
    step = "Let each output element be computed and stored by one program only."
    return Finding("race", text, file=str(path), next_step=step)


def dependence_findings(
    run: Callable[[], Sequence[Tensor]], inputs: Mapping[str, Tensor], outputs: Sequence[Tensor], path: Path, call: str
) -> list[Finding]:
    """Return a finding for each input whose neighbourhood the result depends on.

    A load outside an input whose value is thrown away is not seen: nothing depends on it.

    Args:
        run: calls the host function once more.
        inputs: guarded tensors by name.
        outputs: of a run with the usual guard zones, from a kernel that is known to repeat itself.
        path: the submission.
        call: the host function, for messages.
    """
    first = [output.clone() for output in outputs]
    found = []
    for name, tensor in inputs.items():
        again = _with_other_zones(run, tensor)
        changed = sum(len(different(before, after)) for before, after in zip(first, again, strict=False))
        if changed:
            text = (
                f"{call} reads outside its input {name}: {changed:,} elements of the result depend on what lies there."
            )
            step = "Mask the load: mask=cols < n_cols, other=..."
            found.append(Finding("out-of-bounds-load", text, file=str(path), next_step=step))
    return found


def _with_other_zones(run: Callable[[], Sequence[Tensor]], tensor: Tensor) -> Sequence[Tensor]:
    """Return the outputs of a run in which the zones around one tensor hold other bytes."""
    around = zones(tensor)
    for zone in around:
        zone.fill_(OTHER_BYTE)
    try:
        return run()
    finally:
        for zone in around:
            zone.fill_(ALL_ONES)
