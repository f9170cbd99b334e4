"""Run a host function on the GPU for real, and record what it launches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import _disable_current_modes
from triton.compiler.errors import CompilationError
from triton.runtime.autotuner import Autotuner
from triton.runtime.jit import JITFunction

from tritonpuzzles.engine.call import HostCall
from tritonpuzzles.engine.compiler.explain import compile_finding
from tritonpuzzles.engine.compiler.faults import fault
from tritonpuzzles.engine.failures import CompileFailure
from tritonpuzzles.engine.observation import (
    LaunchedTensor,
    LaunchSummary,
    Observation,
    launch_findings,
    memory_findings,
    scratch_tensors,
    tensor_name,
    whole_constants,
)
from tritonpuzzles.engine.tensors import argument_tensor, input_bytes, plain_tensors, returned_tensors, storage_key
from tritonpuzzles.engine.watch.aftermath import Aftermath
from tritonpuzzles.engine.watch.dependence import dependence_findings
from tritonpuzzles.engine.watch.guards import guard_findings, guarded, surrounded
from tritonpuzzles.engine.watch.host import HostGuard
from tritonpuzzles.engine.watch.repeats import are_worth_repeating, repeat_findings
from tritonpuzzles.engine.watch.unwritten import unwritten, unwritten_findings
from tritonpuzzles.results.check import Finding
from tritonpuzzles.wire.job import Job

Arguments = Callable[[Iterable[Any]], None]


class LaunchRecorder:
    """Sees every launch while it is active.

    Args:
        on_launch, after_launch: called with the arguments of each, before and after.

    Attributes:
        launches, tensors: in the order of the launches.
        atomic: whether any kernel updates memory atomically, so that the order of the programs may decide the last bit.
    """

    def __init__(self, on_launch: Arguments, after_launch: Arguments) -> None:
        self._on_launch, self._after_launch = on_launch, after_launch
        self._kernel: Any = None
        self.atomic = False
        self.launches: list[LaunchSummary] = []
        self.tensors: list[LaunchedTensor] = []

    @contextmanager
    def active(self) -> Iterator[None]:
        """Wrap the launch methods; the operations that launching needs are not the host function's."""
        originals = JITFunction.run, Autotuner.run
        JITFunction.run = self._recorded(JITFunction.run)
        Autotuner.run = _without_modes(Autotuner.run)
        try:
            yield
        finally:
            JITFunction.run, Autotuner.run = originals

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Raise what the compiler says of the kernel launched last as a finding, in the words of the CPU check."""
        try:
            yield
        except CompilationError as error:
            target = "sm_{}{}".format(*torch.cuda.get_device_capability())
            raise CompileFailure(compile_finding(fault(error, "", self._kernel), self._kernel, target)) from error

    def _recorded(self, run: Callable[..., Any]) -> Callable[..., Any]:
        def recorded(kernel: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
            if not warmup:
                self._on_launch((*args, *kwargs.values()))
                self._note(kernel, dict(zip(kernel.arg_names, args)) | kwargs, grid)  # noqa: B905 (constexprs may follow)
            self._kernel = kernel
            with _disable_current_modes():
                compiled = run(kernel, *args, grid=grid, warmup=warmup, **kwargs)
                if not warmup:
                    self._after_launch((*args, *kwargs.values()))
            self.atomic = self.atomic or _is_atomic(compiled)
            return compiled

        return recorded

    def _note(self, kernel: Any, bound: Mapping[str, Any], grid: Any) -> None:
        sizes = tuple(int(n) for n in (grid(dict(bound)) if callable(grid) else grid))
        programs = 1
        for n in sizes:
            programs *= n
        line = kernel.fn.__code__.co_firstlineno
        constants = whole_constants(kernel, bound)
        self.launches.append(LaunchSummary(kernel.fn.__name__, line, sizes, programs, None, constants))
        for name, value in bound.items():
            tensor = argument_tensor(value)
            if tensor is not None:
                nbytes = tensor.numel() * tensor.element_size()
                self.tensors.append(LaunchedTensor(name, storage_key(tensor), nbytes))


def _is_atomic(compiled: Any) -> bool:
    """Return whether a compiled kernel, as a launch returns it, holds an atomic operation."""
    return "tt.atomic_" in str(getattr(compiled, "asm", {}).get("ttir", ""))


def _without_modes(run: Callable[..., Any]) -> Callable[..., Any]:
    def quiet(tuner: Any, *args: Any, **kwargs: Any) -> Any:
        with _disable_current_modes():
            return run(tuner, *args, **kwargs)

    return quiet


class CudaRunner:
    """The real GPU behind the worker's interface."""

    device = "cuda"

    def place(self, storage: Tensor) -> Tensor:
        """Return a copy on the GPU with guard zones around it."""
        return guarded(storage, self.device)

    def run(self, host: HostCall, inputs: Mapping[str, Tensor], path: Path) -> Observation:
        """Call the host function under the host guard, and again for races; wait, so that errors show here."""
        call, names = host.host.call, host.host.outputs
        before = input_bytes(inputs)
        guard = HostGuard(inputs, path, place=surrounded)
        aftermath = Aftermath(map(storage_key, inputs.values()))
        recorder = LaunchRecorder(guard.note_launch, aftermath.note)
        with recorder.explained(), recorder.active(), guard:
            returned = host(inputs)
        torch.cuda.synchronize()
        outputs = returned_tensors(returned)
        findings = [
            *(guard.findings(call) or aftermath.findings(outputs, path, call)),
            *guard_findings(_named(inputs, guard, outputs, names), path, call),
            *launch_findings(guard, recorder.tensors, outputs, path, call),
            *memory_findings(inputs, before, outputs, path, call),
        ]
        if not findings:
            findings += unwritten_findings(outputs, path, call)
        if not findings and not recorder.atomic and are_worth_repeating(outputs):
            findings += self._again(host, inputs, outputs, path, call)
        scratch = scratch_tensors(guard, outputs)
        return Observation(
            returned=returned,
            findings=findings,
            launches=recorder.launches,
            stored=not all(bool(unwritten(output).all()) for output in plain_tensors(outputs)),
            scratch=[tensor.numel() for tensor in scratch],
            scratch_bytes=sum(tensor.numel() * tensor.element_size() for tensor in scratch),
            operations=guard.operations,
        )

    def _again(
        self, host: HostCall, inputs: Mapping[str, Tensor], outputs: tuple[Any, ...], path: Path, call: str
    ) -> list[Finding]:
        """Run a kernel that writes every element again: on the same memory, then beside other memory."""

        def run() -> Any:
            return host(inputs)

        found = repeat_findings(run, outputs, path, call) or dependence_findings(run, inputs, outputs, path, call)
        torch.cuda.synchronize()
        return found

    def compile(self, job: Job, path: Path) -> Iterator[dict[str, Any]]:
        """Nothing: a kernel that ran has been compiled."""
        return iter(())


def _named(
    inputs: Mapping[str, Tensor], guard: HostGuard, outputs: tuple[Any, ...], names: Sequence[str]
) -> list[tuple[str, Tensor]]:
    """Return every tensor with guard zones, by the name that the host function has for it."""
    fresh = [(f"its {tensor_name(guard, storage_key(tensor), outputs, names)}", tensor) for tensor in guard.placed]
    return [*inputs.items(), *fresh]
