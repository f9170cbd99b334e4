"""Run recorded calls on the GPU for real, and watch the memory around them."""

from __future__ import annotations

import contextlib
import json
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
import triton
from torch import Tensor

from tritonpuzzles.engine.launched import Ahead, Launched, Tuner
from tritonpuzzles.engine.memory import Memory, laid_out, tensors_of
from tritonpuzzles.engine.observation import Observation
from tritonpuzzles.engine.program import Call
from tritonpuzzles.engine.replay import Replay
from tritonpuzzles.engine.watch import (
    are_worth_repeating,
    changed_inputs,
    dependences,
    differing_runs,
    kept,
    poison,
    reserve,
    stray_stores,
    unmarked,
    unwritten,
)
from tritonpuzzles.insides import FileCacheManager, knobs
from tritonpuzzles.wire.facts import CallFact
from tritonpuzzles.wire.job import JobInput

KEPT_BYTES = 1 << 30  # between cases: to allocate as much again costs milliseconds


class Lent(FileCacheManager):  # type: ignore[misc]
    """Finds the files of a kernel at their current paths: Triton stores the paths at which it compiled them."""

    def get_group(self, filename: str) -> dict[str, str] | None:
        """Return the paths of a kernel's files by name; `None` where one of them is missing."""
        try:
            names = json.loads(Path(self._make_path(f"__grp__{filename}")).read_text("utf-8"))["child_paths"]
        except (OSError, ValueError, KeyError, TypeError):
            return None
        found = {name: self.get_file(name) for name in names}
        return found if all(found.values()) else None


def memory_at_launch(nbytes: int, alignment: int, stream: int | None) -> Tensor:
    """Return memory that a kernel requests at its launch, for tensor descriptors that it makes itself."""
    return torch.empty(nbytes, dtype=torch.int8, device="cuda")


@triton.jit
def nothing_kernel():  # type: ignore[no-untyped-def]
    """Do nothing: a process's first launch hashes all of Triton, a third of a second."""


def wake() -> None:
    """Create the GPU's context and Triton's launcher before the first case; an error here will recur in that case."""
    warnings.filterwarnings("ignore", message="TRITON_DEFAULT_FP_FUSION")  # not caused by the learner
    knobs.cache.manager_class = Lent
    with contextlib.suppress(Exception):  # Triton and CUDA raise many types
        torch.zeros(1, device="cuda")
        nothing_kernel[(1,)]()


class CudaRunner:
    """The real GPU behind the engine's session."""

    device = "cuda"

    def __init__(self) -> None:
        self._ahead = Ahead()
        self._tuner = Tuner(self._ahead)
        triton.set_allocator(memory_at_launch)  # a submission's own allocator stays in the recorder

    def place(self, storage: Tensor) -> Tensor:
        """Return a copy on the GPU with guard zones around it."""
        return self.reserve(storage.numel(), storage.dtype).copy_(storage)

    def reserve(self, elements: int, dtype: torch.dtype) -> Tensor:
        """Return fresh memory with guard zones around it."""
        return reserve(elements, dtype, self.device)

    def apart(self, values: Tensor, item: JobInput) -> Tensor:
        """Return a tensor whose rows, or columns, lie far apart, in memory of that size."""
        return laid_out(values, item, self.reserve)

    def free(self) -> None:
        """Return the memory of a large case to the GPU for other processes: PyTorch's allocator would keep it."""
        if torch.cuda.memory_reserved() > KEPT_BYTES:
            torch.cuda.empty_cache()

    def begin(self, call: Call, memory: Memory) -> None:
        """Begin to compile the launches of a call; `memory` has the layout of its tensors."""
        self._ahead.begin(Replay(call.program, call.kernels).launches(memory, Launched()))

    def run(self, call: Call, inputs: Mapping[str, Tensor], configuration: int = 0) -> Observation:
        """Run a call, and again to find races; synchronise, so that errors show here. Timing chooses configurations."""
        before = kept(inputs, call.mutates)
        changing = [(inputs[name], inputs[name].clone()) for name in call.mutates]
        launched, memory = Launched(call.gpu), self._memory(call, inputs)
        results = self._replay(call).run(memory, launched)
        torch.cuda.synchronize()
        outputs = tensors_of(results)
        fresh = ((call.name(number), tensor) for number, tensor in enumerate(memory.fresh, len(inputs)))
        elsewhere = [
            *stray_stores(inputs.items(), is_fresh=False),
            *stray_stores(fresh, is_fresh=True),
            *changed_inputs(before),
        ]
        seen = [*call.faults(), *elsewhere]
        if not seen:
            seen += unmarked(outputs)
        if not seen and not launched.atomic and are_worth_repeating(outputs):
            seen += self._again(call, inputs, outputs, changing)
        return Observation(
            results=results,
            facts=list(seen),
            launches=launched.launches,
            stored=bool(elsewhere) or not all(bool(unwritten(output).all()) for output in outputs),
            scratch=call.scratch(),
            copies=call.copies,
        )

    def _memory(self, call: Call, inputs: Mapping[str, Tensor]) -> Memory:
        """Return the memory of a call, with guard zones around everything."""
        return Memory(list(inputs.values()), call.offsets, self.reserve)

    def _replay(self, call: Call) -> Replay:
        return Replay(
            call.program, call.kernels, self._tuner.choose, poison, trial=Launched(), ahead=self._ahead.compile
        )

    def _again(
        self,
        call: Call,
        inputs: Mapping[str, Tensor],
        outputs: Sequence[Tensor],
        changing: Sequence[tuple[Tensor, Tensor]],
    ) -> list[CallFact]:
        """Run a kernel that writes every element again: on the same inputs, then with other bytes around them.

        `changing` are the inputs that the call is meant to change, each with a copy of its earlier contents.
        """

        def run() -> list[Tensor]:
            for tensor, first in changing:
                tensor.copy_(first)
            return tensors_of(self._replay(call).run(self._memory(call, inputs), Launched()))

        found = differing_runs(run, outputs) or dependences(run, inputs, outputs)
        torch.cuda.synchronize()
        return found
