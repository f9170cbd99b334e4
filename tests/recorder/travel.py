"""Send kernels over the wire and build them again, and find out whether anybody notices."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from triton.runtime.jit import JITFunction

from tests.worded import findings_of
from tritonpuzzles.compiler import TARGETS, Launch, compile_launch
from tritonpuzzles.engine.interpreter import KernelError, Tracer
from tritonpuzzles.engine.text.kernels import build_kernels
from tritonpuzzles.recorder.kernels import KernelTable
from tritonpuzzles.wire.kernels import KernelText, read_kernels


def read(table: KernelTable) -> tuple[KernelText, ...]:
    """Send a table over the wire."""
    return read_kernels(json.loads(json.dumps(table.described())))


def build(kernels: tuple[KernelText, ...]) -> list[Any]:
    """Build kernels from the files that they name."""
    texts = {kernel.file: Path(kernel.file).read_text() for kernel in kernels if Path(kernel.file).exists()}
    return build_kernels(texts, kernels)


def described(function: Any) -> KernelText:
    """Return what arrives of one function's description."""
    table = KernelTable()
    index = table.add(function)
    return read(table)[index]


def travelled(function: Any) -> Any:
    """Return what becomes of a function on its way."""
    table = KernelTable()
    index = table.add(function)
    return build(read(table))[index]


def all_travelled(names: dict[str, Any]) -> dict[str, Any]:
    """Return what becomes of all kernels of a module, in one table."""
    table = KernelTable()
    indices = {name: table.add(value) for name, value in names.items() if isinstance(value, JITFunction)}
    built = build(read(table))
    return {name: built[index] for name, index in indices.items()}


def interpreted(kernel: Any, grid: tuple[int, ...], arguments: tuple[Any, ...], **options: Any) -> list[Any]:
    """Interpret a launch; return all that anybody can see of it."""
    with Tracer() as tracer:
        try:
            kernel[grid](*arguments, **options)
        except KernelError as error:
            return [error.code, error.message, error.file, error.line]
    findings = [(finding.code, finding.message, finding.file, finding.line) for finding in findings_of(tracer)]
    return [findings, *(bits(item) for item in tensors(arguments))]


def tensors(values: Any) -> list[torch.Tensor]:
    """Return the tensors among arguments, also those in tuples and descriptors."""
    found: list[torch.Tensor] = []
    for value in values:
        if isinstance(value, torch.Tensor):
            found.append(value)
        elif isinstance(value, tuple):
            found += tensors(value)
        elif hasattr(value, "block_shape"):
            found.append(value.base)
    return found


def bits(tensor: torch.Tensor) -> bytes:
    return tensor.contiguous().view(-1).view(torch.uint8).numpy().tobytes() if tensor.numel() else b""


def compiled(kernel: Any, arguments: dict[str, Any], target: str = "sm_90") -> list[Any]:
    """Compile a launch; return all that a learner sees of it."""
    outcome = compile_launch(Launch(kernel, arguments), TARGETS[target])
    findings = [(f.code, f.message, f.file, f.line, f.next_step) for f in outcome.findings]
    return [outcome.result.kernel, outcome.result.ok, outcome.result.registers, findings]
