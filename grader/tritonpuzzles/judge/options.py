"""The options of a check. This module does not import torch: the command line reads it before any slow import."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tritonpuzzles.hardware.gpus import DEFAULT_TARGETS

Progress = Callable[[str], None]  # takes short sentences about what is being done
CACHE = "TRITONPUZZLES_CACHE"  # names a folder for compiled kernels, shared by all workspaces


@dataclass(frozen=True)
class CheckOptions:
    """Options of a check."""

    device: str = "auto"  # "auto" checks on the CPU and, where there is one, on the GPU; "cpu" and "cuda" only there
    seed: int | None = None  # of shapes and inputs; drawn anew when `None`
    # seconds for each stage (import, one case, the benchmark); all stages of a file on a device together get ten times
    # as many; `None` for the defaults
    timeout: float | None = None
    verbose: bool = False  # keep the worker's own messages
    benchmark: bool = True  # time a correct kernel, if there is a GPU
    targets: tuple[str, ...] = DEFAULT_TARGETS  # GPUs that a check on the CPU compiles for
    case: str | None = None  # run only this case; a pass then says nothing of the others
    values: bool = False  # also return the numbers of one row: the outputs and the variables
    mend: bool = True  # search for a change that fixes a wrong kernel; how far the search gets depends on the machine
    # CPU seconds for a file's import, host function and kernels together on a device, instead of `timeout`; the
    # compiler gets as many for each launch; `None` for no limit
    deadline: float | None = None
    gpu: str | None = None  # GPU that the speed of a correct kernel is predicted for: "H200"; `None` for no prediction


@dataclass(frozen=True)
class Own:
    """The parts of a pack that an engine needs: modules, and the folder that contains them."""

    modules: tuple[str, ...] = ()
    pack: Path | str = ""


NOTHING = Own()


def seed_of(asked: int | None) -> int:
    """Return the requested seed, or a new unpredictable one."""
    return asked if asked is not None else random.SystemRandom().getrandbits(31)


def cache_of(asked: Path | None) -> Path | None:
    """Return the folder for compiled kernels: the one that the environment names, else the requested one."""
    named = os.environ.get(CACHE)
    return Path(named) if named else asked
