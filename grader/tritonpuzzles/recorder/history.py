"""Other calls before and within a recorded one, so that what a host function keeps by shapes alone is seen to be wrong.

A stride, a plan or a tensor that is kept by the shapes for which it was made is wrong only if another call has had
these shapes before. So such calls come before each recorded one, and their results stay alive; they come again between
forward and backward pass.

The last of them gets tensors that are alike in all that a kernel sees, and in other ways not: parameters, written in
place before, made in inference mode. What it launches is compared with what the recorded call launches. The other
recordings are dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch.utils._python_dispatch import _pop_mode_temporarily

from tritonpuzzles.recorder.call import HostCall
from tritonpuzzles.recorder.launches import Launches
from tritonpuzzles.recorder.recording import Recording
from tritonpuzzles.recorder.stand_ins import recorded
from tritonpuzzles.recorder.tensors import Recorded
from tritonpuzzles.results.words import plural
from tritonpuzzles.wire.job import FURTHER, Device, JobCase, JobInput, Value
from tritonpuzzles.wire.program import ITEM_SIZES, Launch

Launched = tuple[str, Launch]  # with the kernel's name


@dataclass(frozen=True)
class Others:
    """Other calls with the shapes of a recorded one."""

    host: HostCall
    tensors: Callable[[Recording, JobCase], Mapping[str, Recorded]]  # makes those of a case in a recording
    recording: Callable[[], Recording]  # makes one, which is dropped
    cases: Sequence[JobCase]  # what is called, one after the other, as `others_like` returns it
    # the launches of the last call, in order, if it has been made and has not failed
    alike: list[list[Launched]] = field(default_factory=list)

    def __call__(self, gpu: Device, values: Mapping[str, Value] | None = None) -> list[Any]:
        """Make the calls, or those with some values, and return their results; what is wrong with them is not asked."""
        kept = []
        for case in (case for case in self.cases if values in (None, case.values)):
            own = self.recording()
            launches, is_alike = Launches(own, gpu), case is self.cases[-1] and values is None
            with _pop_mode_temporarily() if torch._C._len_torch_dispatch_stack() else nullcontext():
                tensors = self._alike(own, case) if is_alike else self.tensors(own, case)
                with suppress(Exception), launches.active(), recorded(own):
                    kept.append(self.host.called(tensors, case.values))
                    self.alike.extend([launched(own)] if is_alike else [])
            launches.forget()
        return kept

    def _alike(self, recording: Recording, case: JobCase) -> Mapping[str, Recorded]:
        """Return tensors that are parameters, made in inference mode or, in other cases, written in place before."""
        inference = not self.host.host.gradients and sum(case.inputs[0].shape) % 2 == 0
        with torch.inference_mode(inference):
            tensors = self.tensors(recording, case)
        for tensor in tensors.values():
            tensor._is_param = True
            if not inference:
                torch._C._autograd._unsafe_set_version_counter((tensor,), (1,))
        return tensors

    def unlike(self, recording: Recording) -> tuple[Launch, str] | None:
        """Return the first launch of a recorded call that the call like it makes in another way, and what differs."""
        for there in self.alike:
            here = launched(recording)
            for (name, launch), (other, its) in zip(here, there, strict=False):
                if name != other:
                    return launch, f"{name} is launched here, and {other} there"
                for what, value, instead in _told(launch, its):
                    if repr(value) != repr(instead):  # NaN is like NaN
                        return launch, f"{what} is {_shown(value)} here, and {_shown(instead)} there"
            if len(here) < len(there) or (len(here) > len(there) and not self.host.host.gradients):
                times, others = plural(len(here), "time"), plural(len(there), "time")
                return (here or there)[-1][1], f"kernels are launched {times} here, and {others} there"
        return None


def launched(recording: Recording) -> list[Launched]:
    """Return the launches of a call outside of an autotuner's choices, each with its kernel's name."""
    functions = recording.kernels.functions
    return [(functions[one.kernel].__name__, one) for one in recording.steps if isinstance(one, Launch)]


def _shown(value: object) -> str:
    """Return an argument in words: a number as it is, else of what kind it is."""
    given = getattr(value, "value", value)
    return str(given) if isinstance(given, (bool, int, float, str, tuple)) else f"a {type(given).__name__.lower()}"


def _told(launch: Launch, other: Launch) -> Iterator[tuple[str, object, object]]:
    """Yield what two launches of a kernel pass: a word, and the value of each."""
    yield "the grid", launch.grid, other.grid
    for name in launch.arguments | other.arguments:
        yield name, launch.arguments.get(name), other.arguments.get(name)
    for name in launch.options | other.options:
        yield name, launch.options.get(name), other.options.get(name)


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
