"""The resources of a multiprocessor that a program of a launch uses: as compiled for a GPU, or as it ran on one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tritonpuzzles.compiler import Budget, Launch, compile_launch
from tritonpuzzles.compiler.answers import Answers, difference
from tritonpuzzles.compiler.launch import target_of
from tritonpuzzles.compiler.resources import occupancy
from tritonpuzzles.engine.failures import said_by_compiler
from tritonpuzzles.hardware.gpus import Target
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.codes import COMPILE_ERROR
from tritonpuzzles.results.speed import Fit
from tritonpuzzles.wire.facts import Said
from tritonpuzzles.wire.job import Device
from tritonpuzzles.wire.observed import LaunchSummary

SECONDS = 30.0  # for one compile


def with_fits(
    summaries: Sequence[LaunchSummary],
    launches: Sequence[Launch],
    answers: Sequence[Answers],
    gpu: Device,
    cache: Path | None,
) -> tuple[list[LaunchSummary], list[Said]]:
    """Return launches with their use of the GPU that was reported to the host function, and compile errors.

    A grid with fewer blocks than the GPU has multiprocessors is not compiled. `answers` are the interpreter's to the
    static code of each launch: the compiler's must not differ. `cache` is a folder of compile results.
    """
    found: list[LaunchSummary] = []
    rejected: list[Said] = []
    for summary, launch, interpreted in zip(summaries, launches, answers, strict=True):
        known, findings = _with_fit(summary, launch, interpreted, gpu, cache)
        found.append(known)
        rejected += [said for finding in findings if (said := said_by_compiler(finding)) not in rejected]
    return found, rejected


def _with_fit(
    summary: LaunchSummary, launch: Launch, interpreted: Answers, gpu: Device, cache: Path | None
) -> tuple[LaunchSummary, Sequence[Finding]]:
    asked = launch.options.get("num_ctas", launch.arguments.get("num_ctas", 1))
    ctas = asked if type(asked) is int and asked > 0 else 1
    if summary.programs * ctas < gpu.multiprocessors:
        return summary, []
    target = target_of(gpu)
    outcome = compile_launch(launch, target, cache, budget=Budget(SECONDS))
    result = outcome.result
    if not result.ok or result.registers is None or result.shared_bytes is None or result.num_warps is None:
        reason = next((finding.message for finding in outcome.findings), "its registers cannot be read")
        return replace(summary, unknown=reason), [item for item in outcome.findings if item.code == COMPILE_ERROR]
    used = fit_of(target, result.num_warps, result.registers, result.shared_bytes, ctas)
    different = outcome.answers and difference(launch.kernel, interpreted, outcome.answers, target.name)
    return replace(summary, fit=used), [different] if different else []


def fit_of(target: Target, num_warps: int, registers: int, shared_bytes: int, num_ctas: int) -> Fit:
    """Return the use of a target's resources by a block with these numbers."""
    found = occupancy(target, num_warps, registers, shared_bytes)
    return Fit(
        found.blocks_per_sm, found.limited_by, num_warps, target.max_warps_per_sm, registers, shared_bytes, num_ctas
    )


def running_fit(compiled: Any, gpu: Device) -> Fit | None:
    """Return a launched kernel's use of the GPU that it ran on; `None` if Triton does not report it."""
    metadata, registers = getattr(compiled, "metadata", None), getattr(compiled, "n_regs", None)
    if metadata is None or not registers:
        return None
    ctas = int(getattr(metadata, "num_ctas", 1) or 1)
    return fit_of(target_of(gpu), int(metadata.num_warps), int(registers), int(metadata.shared), ctas)
