"""Whether a kernel fits a target: block size, shared memory, registers."""

from __future__ import annotations

from typing import Any

from tritonpuzzles.compiler.launch import Launch, Specialised
from tritonpuzzles.compiler.source import file_of, first_line
from tritonpuzzles.hardware.targets import Target
from tritonpuzzles.results.check import Finding

WARPS = ["num_warps"]  # what the host function sets
TENSOR_MEMORY_COLUMNS = 512  # of a Blackwell SM


def num_warps_finding(launch: Launch, target: Target) -> Finding | None:
    """Return what is wrong with the `num_warps` of a launch; Triton compiles 64 of them without a word."""
    warps = launch.options.get("num_warps", launch.arguments.get("num_warps"))
    if warps is None or not isinstance(warps, int):
        return None
    kernel = launch.kernel
    if warps < 1 or warps & (warps - 1):
        text = f"{kernel.__name__} is launched with num_warps={warps}, which is not a power of two."
        step = "Use num_warps=4 or 8; more, up to 32, for large tiles."
        return about("num-warps-impossible", text, kernel, target, step, num_warps=warps, sizes=WARPS)
    threads = warps * target.warp_size
    if threads <= target.max_threads_per_block:
        return None
    text = (
        f"{kernel.__name__} is launched with num_warps={warps}: {threads:,} threads per program, and {_named(target)} "
        f"runs at most {target.max_threads_per_block:,}."
    )
    step = f"Use num_warps={target.max_num_warps} at most; 4 or 8 is usual."
    details = {"num_warps": warps, "threads": threads, "sizes": WARPS}
    return about("num-warps-impossible", text, kernel, target, step, **details)


def shared_memory_finding(variant: Specialised, metadata: Any) -> Finding | None:
    """Return by how much a kernel exceeds the shared memory of a block; such a kernel compiles and cannot launch."""
    asked, available = int(metadata.shared), variant.target.shared_bytes_per_block
    return _exceeded("shared-memory-exceeded", variant, "bytes of shared memory per program", asked, available)


def tensor_memory_finding(variant: Specialised, metadata: Any) -> Finding | None:
    """Return by how much a kernel exceeds the tensor memory of a Blackwell SM."""
    asked = getattr(metadata, "tmem_size", None) or 0
    return _exceeded("tensor-memory-exceeded", variant, "columns of tensor memory", asked, TENSOR_MEMORY_COLUMNS)


def _exceeded(code: str, variant: Specialised, what: str, asked: int, available: int) -> Finding | None:
    if asked <= available:
        return None
    kernel, target = variant.kernel, variant.target
    text = f"{kernel.__name__} asks for {asked:,} {what}; {_named(target)} has {available:,}."
    return about(code, text, kernel, target, _shrink(variant), asked=asked, available=available)


def spill_finding(variant: Specialised, registers: int | None, spill_bytes: int | None) -> Finding | None:
    """Return how many bytes of registers go to DRAM-backed local memory: it works, slowly."""
    if not spill_bytes:
        return None
    held = "" if registers is None else f" beside the {registers} registers that it holds"
    text = (
        f"{variant.kernel.__name__} spills on {_named(variant.target)}: each thread stores and loads {spill_bytes:,} "
        f"bytes of local memory{held}."
    )
    step = f"Take smaller tiles{_sizes(variant)} or more warps (now num_warps={variant.options['num_warps']})."
    return about(
        "register-spills", text, variant.kernel, variant.target, step,
        registers=registers, spill_bytes=spill_bytes,
    )  # fmt: skip


def about(code: str, text: str, kernel: Any, target: Target, step: str | None = None, **details: Any) -> Finding:
    """Return a finding about a kernel that is compiled for a target, at its `def`."""
    known = {"kernel": kernel.__name__, "target": target.name, **details}
    return Finding(code, text, file=file_of(kernel), line=first_line(kernel), next_step=step, details=known)


def _named(target: Target) -> str:
    return f"{target.name} ({target.gpu})"


def _shrink(variant: Specialised) -> str:
    stages = variant.options.get("num_stages") or 1
    fewer = f" or fewer stages (now num_stages={stages})" if stages > 1 else ""
    return f"Take smaller tiles{_sizes(variant)}{fewer}."


def _sizes(variant: Specialised) -> str:
    """Name the constexprs that look like tile sizes, the largest first."""
    blocks = sorted(((value, name) for name, value in variant.constexprs.items() if value >= 16), reverse=True)
    return f" (now {', '.join(f'{name}={value}' for value, name in blocks[:3])})" if blocks else ""
