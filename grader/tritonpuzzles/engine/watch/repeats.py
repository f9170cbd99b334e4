"""Run a call again: a race between programs gives other bits now and then, a stray load where other bytes lie there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor

from tritonpuzzles.engine.memory import ALL_ONES
from tritonpuzzles.engine.watch.guards import zones
from tritonpuzzles.wire.facts import CallFact

REPEATS = 5
MAX_BYTES = 256 << 20  # of outputs: what is larger runs once
OTHER_BYTE = 0x44  # repeated: 4.27 in float16, 785 in float32 and in bfloat16


def are_worth_repeating(outputs: Sequence[Tensor]) -> bool:
    """Return whether outputs are small enough to be computed again and again."""
    return sum(output.numel() * output.element_size() for output in outputs) <= MAX_BYTES


def differing_runs(run: Callable[[], Sequence[Tensor]], outputs: Sequence[Tensor]) -> list[CallFact]:
    """Return a fact if any of the repeats gives other bits than the first run.

    Args:
        run: runs the call once more.
        outputs: of the first run.
    """
    first = [output.clone() for output in outputs]
    for number in range(2, REPEATS + 1):
        again = run()
        for before, after in zip(first, again, strict=False):
            changed = different(before, after)
            if changed.numel():
                index = tuple(changed[0].tolist())
                return [CallFact("race", count=len(changed), of=REPEATS, run=number, first=index)]
    return []


def different(before: Tensor, after: Tensor) -> Tensor:
    """Return the indices of the elements whose bits differ, (count, ndim)."""
    if before.shape != after.shape or before.dtype != after.dtype:
        return torch.zeros(1, before.ndim, dtype=torch.int64)
    width = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[before.element_size()]
    return torch.nonzero(before.contiguous().view(width) != after.contiguous().view(width))


def dependences(
    run: Callable[[], Sequence[Tensor]], inputs: Mapping[str, Tensor], outputs: Sequence[Tensor]
) -> list[CallFact]:
    """Return a fact for each input whose neighbourhood the result depends on.

    A load outside an input whose value is thrown away is not seen: nothing depends on it.

    Args:
        run: calls the host function once more.
        inputs: guarded tensors by name.
        outputs: of a run with the usual guard zones, from a kernel that is known to repeat itself.
    """
    first = [output.clone() for output in outputs]
    found = []
    for name, tensor in inputs.items():
        again = _with_other_zones(run, tensor)
        changed = sum(len(different(before, after)) for before, after in zip(first, again, strict=False))
        if changed:
            found.append(CallFact("out-of-bounds-load", name, changed))
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
