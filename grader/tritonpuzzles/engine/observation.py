"""What one call of the host function did: the launches, the traffic, the memory, the returned tensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor

from tritonpuzzles.engine.call import HostCall
from tritonpuzzles.engine.tensors import plain_tensors, storage_key, whole_storage
from tritonpuzzles.engine.watch.host import HostGuard
from tritonpuzzles.results.check import Finding, LineTraffic
from tritonpuzzles.results.trace import HostOperation
from tritonpuzzles.wire.job import Job


@dataclass(frozen=True)
class LaunchSummary:
    """One launch.

    Attributes:
        line: where it is launched.
        largest_tile: elements of the largest block value, `None` where that cannot be seen.
        constants: the whole-number constexprs, by parameter name.
    """

    kernel: str
    line: int | None
    grid: tuple[int, ...]
    programs: int
    largest_tile: int | None = None
    constants: dict[str, int] = field(default_factory=dict)


def whole_constants(kernel: Any, arguments: Mapping[str, Any]) -> dict[str, int]:
    """Return the whole-number constexprs of a launch by name: `{"BLOCK_SIZE": 1024}`."""
    names = [parameter.name for parameter in kernel.params if parameter.is_constexpr]
    values = {name: getattr(arguments.get(name), "value", arguments.get(name)) for name in names}
    return {name: value for name, value in values.items() if type(value) is int}


@dataclass(frozen=True)
class TensorTraffic:
    """The bytes that one call moved of one tensor; what they are in multiples of its size, the judge works out.

    Attributes:
        argument: the first kernel's name for it.
        tensor: the host function's: an argument's, an output's or "scratch".
        tensor_bytes: its size, which the judge knows itself for all but scratch.
    """

    argument: str
    tensor: str
    tensor_bytes: int
    loaded_bytes: int
    stored_bytes: int
    atomic_bytes: int


@dataclass(frozen=True)
class LaunchedTensor:
    """A tensor argument of a launch: the kernel's name for it and the storage it points into."""

    argument: str
    storage: int
    nbytes: int


@dataclass
class Observation:
    """What the worker tells of one case, beside the outputs' bytes.

    Attributes:
        returned: what the host function returned.
        stored: whether any kernel stored anything; on the GPU, whether an output holds anything.
        scratch: elements of each tensor that was allocated and not returned.
        scratch_bytes: of all of them.
        operations: PyTorch's, that the host function ran.
    """

    returned: Any
    findings: list[Finding] = field(default_factory=list)
    traffic: list[TensorTraffic] = field(default_factory=list)
    lines: list[LineTraffic] = field(default_factory=list)
    launches: list[LaunchSummary] = field(default_factory=list)
    stored: bool = False
    scratch: list[int] = field(default_factory=list)
    scratch_bytes: int = 0
    operations: list[HostOperation] = field(default_factory=list)


class Runner(Protocol):
    """Calls a host function on one device and watches it. This is all that the worker knows of a device."""

    device: str

    def place(self, storage: Tensor) -> Tensor:
        """Return a flat copy of an input's storage, where the host function gets it."""
        ...

    def run(self, host: HostCall, inputs: Mapping[str, Tensor], path: Path) -> Observation:
        """Call the host function with these tensors; exceptions of the submission pass through."""
        ...

    def compile(self, job: Job, path: Path) -> Iterator[dict[str, Any]]:
        """Compile what was launched for the job's targets; yield results and findings as fields of a frame."""
        ...


def memory_findings(
    inputs: Mapping[str, Tensor], before: Mapping[str, Tensor], outputs: Sequence[Any], path: Path, call: str
) -> list[Finding]:
    """Return whether the inputs were written to, and whether an output shares their memory."""
    found = []
    for name, tensor in inputs.items():
        if not torch.equal(whole_storage(tensor), before[name]):
            changed = int((whole_storage(tensor) != before[name]).sum())
            text = f"{call} overwrites its input {name}: {changed:,} bytes differ after the call."
            found.append(Finding("input-modified", text, file=str(path), next_step="Write to the output only."))
    storages = {storage_key(tensor): name for name, tensor in inputs.items() if tensor.numel()}
    for output in plain_tensors(outputs):
        if output.numel() and storage_key(output) in storages:
            text = f"{call} returns memory of its input {storages[storage_key(output)]}."
            step = "Allocate the output with torch.empty_like."
            found.append(Finding("aliases-input", text, file=str(path), next_step=step))
    return found


def launch_findings(
    guard: HostGuard, launched: Sequence[LaunchedTensor], outputs: Sequence[Any], path: Path, call: str
) -> list[Finding]:
    """Return whether the result can have come from a kernel: launched, on the returned memory, on known tensors."""
    expected = [output for output in plain_tensors(outputs) if output.numel()]
    if not expected:
        return []
    if not launched:
        text = f"{call} launches no Triton kernel."
        return [Finding("no-launch", text, file=str(path), next_step="Launch the kernel: kernel[grid](...).")]
    found = []
    storages = {tensor.storage for tensor in launched}
    if any(storage_key(output) not in storages for output in expected):
        text = f"{call} returns memory that no kernel was launched on."
        step = "Return the tensor that you pass to the kernel."
        found.append(Finding("wrong-memory", text, file=str(path), next_step=step))
    for argument in dict.fromkeys(tensor.argument for tensor in launched if not guard.knows(tensor.storage)):
        text = f"The kernel's argument {argument} is neither an input nor memory that {call} allocated."
        step = "Pass the host function's own arguments and what torch.empty gives."
        found.append(Finding("foreign-tensor", text, file=str(path), next_step=step))
    return found


def scratch_tensors(guard: HostGuard, outputs: Sequence[Any]) -> list[Tensor]:
    """Return what was allocated beside the outputs and beside copies of inputs."""
    kept = {storage_key(output) for output in plain_tensors(outputs)}
    return [
        tensor for storage, tensor in guard.allocated.items() if storage not in kept and storage not in guard.origins
    ]


def tensor_name(guard: HostGuard, storage: int, outputs: Sequence[Any], names: Sequence[str]) -> str:
    """Return the host function's name for a storage: an argument's, an output's or "scratch"."""
    if storage in guard.origins:
        return guard.origins[storage]
    named = {storage_key(output): name for output, name in zip(outputs, names, strict=False) if type(output) is Tensor}
    return named.get(storage, "scratch")
