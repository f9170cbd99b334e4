"""Turn what a recorded call raised while it ran into one finding with the learner's line."""

from __future__ import annotations

import traceback
from pathlib import Path

from tritonpuzzles.compiler.explain import phrased
from tritonpuzzles.engine.interpreter import KernelError, NeedlessProgramsError
from tritonpuzzles.insides import OutOfResources
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.words import without_addresses

ON_A_GPU = "Where there is a GPU, --device cuda runs the kernel itself."
MOVE_ON = "Let each iteration move on what the condition compares. (+= adds; =+ sets to what stands after the plus.)"
ONE_EACH = "Launch one program for each tile: triton.cdiv(size, size of a tile) of them along each axis of the grid."
CPU_CHECK = "the CPU check (--device cpu) names the line."
LOST_CONTEXT = {  # what CUDA says when no kernel can run in the process any more
    "illegal memory access": (
        "illegal-memory-access",
        "The kernel reads or writes memory that is not its own",
        f"Check the masks and strides; {CPU_CHECK}",
    ),
    "misaligned address": (
        "illegal-memory-access",
        "The kernel reads or writes an element at an address that is no multiple of its size",
        f"Check the pointer arithmetic; {CPU_CHECK}",
    ),
    "device-side assert": (
        "kernel-error",
        "An assertion in the kernel does not hold",
        f"Check what tl.device_assert asks for; {CPU_CHECK}",
    ),
    "unspecified launch failure": (
        "kernel-error",
        "The GPU stops the kernel without a reason",
        f"Check the masks and strides; {CPU_CHECK}",
    ),
}


class RunFailure(Exception):
    """A kernel that does not run; `finding` says why."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


def run_failure(error: BaseException, path: Path, call: str) -> tuple[Finding, bool]:
    """Return the finding for an exception, and whether the process is no longer of use (a lost CUDA context)."""
    if isinstance(error, RunFailure):
        return error.finding, False
    if isinstance(error, KernelError):
        file = error.file or str(path)
        return _stopped(error, file), False
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return Finding("out-of-memory", f"{call} runs out of memory.", file=str(path)), False
    if isinstance(error, OutOfResources):
        return _out_of_resources(error, path), False
    text = " ".join(traceback.format_exception_only(type(error), error)[-1].split())
    text = without_addresses(text)[:300].rstrip(".")
    for words, (code, sentence, step) in LOST_CONTEXT.items():
        if words in text:
            message = f"{sentence}: CUDA says {words!r}."
            return Finding(code, message, file=str(path), next_step=step), True
    return Finding("runtime-error", f"{call} raises {text}.", file=str(path)), False


def _stopped(error: KernelError, file: str) -> Finding:
    """Say why a kernel stops, and where it is the engine that cannot go on, that it is."""
    why = without_addresses(error.message.rstrip("."))
    if error.code == "unsupported-operation":
        text = f"This check cannot go on, and says nothing of the kernel: {why}."
        return Finding(error.code, text, file=file, line=error.line, next_step=ON_A_GPU)
    if error.code == "endless-loop":
        text = f"The loop of line {error.line} never ends: {why}."
        return Finding(error.code, text, file=file, line=error.line, next_step=MOVE_ON)
    if isinstance(error, NeedlessProgramsError):
        details = {"programs": error.programs}
        return Finding(error.code, f"{why}.", file=file, line=error.line, next_step=ONE_EACH, details=details)
    reason = phrased(why.partition(": ")[2])
    step = None if reason is None else reason.step
    return Finding(error.code, f"The kernel stops: {why}.", file=file, line=error.line, next_step=step)


def _out_of_resources(error: OutOfResources, path: Path) -> Finding:
    """Say what a launch asks for, what the GPU has, and what to make smaller."""
    what, unit = (error.name, "bytes of ") if "memory" in error.name else (error.name, "")
    text = f"The kernel asks for {error.required:,} {unit}{what}, and this GPU has {error.limit:,}."
    step = {
        "shared memory": "Make the tiles smaller, or num_stages: each stage keeps a copy of the tiles it loads ahead.",
        "threads": "Ask for fewer warps: num_warps times 32 threads make a program.",
        "registers": "Make the tiles smaller, or ask for more warps that share them.",
    }.get(error.name, "Make the tiles smaller.")
    return Finding("out-of-resources", text, file=str(path), next_step=step)
