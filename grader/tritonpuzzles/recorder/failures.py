"""Turn what a host function raised into one finding with the learner's line."""

from __future__ import annotations

from pathlib import Path

from tritonpuzzles.recorder.kernels import UndescribedError
from tritonpuzzles.recorder.launches import LaunchRefusedError
from tritonpuzzles.recorder.recording import ForbiddenError, Recording
from tritonpuzzles.recorder.submission import SubmissionError, describe, learner_line
from tritonpuzzles.recorder.tensors import NumbersError
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.words import ANY_STRIDES

FEWER = "One kernel with a constexpr does the work of many that differ in a number."
NO_MEMORY = ("std::bad_alloc", "can't allocate memory")  # PyTorch's words
ADVICE = {
    "'function' object is not subscriptable": "Put @triton.jit above the kernel: then kernel[grid](...) launches it.",
    "Cannot call @triton.jit'd outside": "Launch it on a grid: kernel[grid](...).",
    **dict.fromkeys(("must be 16-byte aligned", "Last dimension must be contiguous"), ANY_STRIDES),  # of a descriptor
    "incorrect number of gradients": "Return one value from backward for each argument of forward: None where it has "
    "no gradient.",
}


def call_failure(error: BaseException, recording: Recording, path: Path, call: str) -> Finding:
    """Return the finding for an exception of a host function."""
    line = learner_line(error, path)
    if isinstance(error, (ForbiddenError, NumbersError)) and recording.findings:
        return recording.findings[-1]
    if isinstance(error, (SystemExit, KeyboardInterrupt)):
        text = f"{call} ended the program ({describe(error)}) in place of returning a tensor."
        return Finding("exit", text, file=str(path), line=line)
    if isinstance(error, UndescribedError):
        return Finding("not-recordable", str(error), file=str(path), line=line, next_step=FEWER)
    if isinstance(error, SubmissionError):
        return error.finding
    if isinstance(error, LaunchRefusedError):
        return error.finding
    if isinstance(error, MemoryError) or any(words in str(error) for words in NO_MEMORY):
        return Finding("out-of-memory", f"{call} runs out of memory.", file=str(path), line=line)
    text = describe(error)
    advice = next((step for part, step in ADVICE.items() if part in text), None)
    return Finding("runtime-error", f"{call} raises {text}.", file=str(path), line=line, next_step=advice)
