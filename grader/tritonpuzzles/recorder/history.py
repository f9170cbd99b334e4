"""Other calls before and within a recorded one, so that what a host function keeps by shapes alone is seen to be wrong.

A stride, a plan or a tensor that is kept by the shapes for which it was made is wrong only if another call has had
these shapes before. So such calls come before each recorded one, and their results stay alive; they come again between
forward and backward pass. Their own recordings are dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.utils._python_dispatch import _pop_mode_temporarily

from tritonpuzzles.recorder.call import HostCall
from tritonpuzzles.recorder.launches import Launches
from tritonpuzzles.recorder.recording import Recording
from tritonpuzzles.recorder.stand_ins import recorded
from tritonpuzzles.recorder.tensors import Recorded
from tritonpuzzles.wire.job import FURTHER, Device, JobCase, JobInput, Value
from tritonpuzzles.wire.program import ITEM_SIZES


@dataclass(frozen=True)
class Others:
    """Other calls with the shapes of a recorded one.

    Args:
        host: the host function.
        tensors: makes the tensors of a case in a recording.
        recording: makes a recording, which is dropped.
        cases: what is called, one after the other, as `others_like` returns it.
    """

    host: HostCall
    tensors: Callable[[Recording, JobCase], Mapping[str, Recorded]]
    recording: Callable[[], Recording]
    cases: Sequence[JobCase]

    def __call__(self, gpu: Device, values: Mapping[str, Value] | None = None) -> list[Any]:
        """Make the calls, or those with some values, and return their results; what is wrong with them is not asked."""
        kept = []
        for case in (case for case in self.cases if values in (None, case.values)):
            own = self.recording()
            launches = Launches(own, gpu)
            with _pop_mode_temporarily() if torch._C._len_torch_dispatch_stack() else nullcontext():
                tensors = self.tensors(own, case)
                with suppress(Exception), launches.active(), recorded(own):
                    kept.append(self.host.called(tensors, case.values))
            launches.forget()
        return kept


def others_like(call: JobCase, cases: Sequence[JobCase]) -> list[JobCase]:
    """Return calls with the same shapes: one with rows farther apart, one with other values, and one like it."""
    apart = replace(call, inputs=tuple(map(_farther_apart, call.inputs)))
    values = next((case.values for case in cases if case.values != call.values), None)
    return [apart, *([] if values is None else [replace(call, values=values)]), call]


def _farther_apart(item: JobInput) -> JobInput:
    """Return a tensor of the same shape whose rows, or columns, are farther apart; a vector is only in other memory."""
    widest = max(item.stride, default=0)
    stride = tuple(step + FURTHER * (step == widest > 1) for step in item.stride)
    last = item.offset + sum(max(0, size - 1) * step for size, step in zip(item.shape, stride, strict=True))
    return replace(item, stride=stride, storage_bytes=max(item.storage_bytes, (last + 1) * ITEM_SIZES[item.dtype]))
