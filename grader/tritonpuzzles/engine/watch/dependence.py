"""Whether a result depends on memory outside the inputs: fill the guard zones with something else and look again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from torch import Tensor

from tritonpuzzles.engine.tensors import ALL_ONES
from tritonpuzzles.engine.watch.guards import zones
from tritonpuzzles.engine.watch.repeats import different
from tritonpuzzles.results.check import Finding

OTHER_BYTE = 0x44  # repeated: 4.27 in float16, 785 in float32 and in bfloat16


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
