"""Where a host function stands: read off the stack of calls."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from types import FrameType

import torch
import triton

from tritonpuzzles.recorder.gradients import gradients
from tritonpuzzles.wire.program import MAX_CALLS

OURS, TORCH = str(Path(__file__).parents[1]), str(Path(torch.__file__).parent)
SKIPPED = (OURS, TORCH, str(Path(triton.__file__).parent), sysconfig.get_path("stdlib"))


def line_in(path: str) -> int | None:
    """Return the innermost line of a file that is being run."""
    return next((frame.f_lineno for frame in _frames() if frame.f_code.co_filename == path), None)


def calls_in(path: str) -> tuple[int, ...]:
    """Return the lines of a file that are being run, the innermost first."""
    own = (frame.f_lineno for frame in _frames() if frame.f_code.co_filename == path)
    return tuple(islice(own, MAX_CALLS))


def outside() -> tuple[str, int]:
    """Return the innermost file and line that are not the grader's, PyTorch's, Triton's or Python's own."""
    for frame in _frames():
        if not frame.f_code.co_filename.startswith(SKIPPED):
            return frame.f_code.co_filename, frame.f_lineno
    return "?", 0


def in_autograd() -> bool:
    """Return whether autograd asks by itself: PyTorch alone stands between here and our call that differentiates."""
    for frame in _frames():
        if frame.f_code is gradients.__code__:
            return True
        if not frame.f_code.co_filename.startswith((OURS, TORCH)):
            return False
    return False


def _frames() -> Iterator[FrameType]:
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        yield frame
        frame = frame.f_back
