"""What a caller may ask of a check. No torch here: the command line reads it before anything slow is imported."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tritonpuzzles.hardware.gpus import DEFAULT_TARGETS

Progress = Callable[[str], None]  # takes short sentences about what is being done
CACHE = "TRITONPUZZLES_CACHE"  # names a folder for compiled kernels that all workspaces share


@dataclass(frozen=True)
class CheckOptions:
    """How to check."""

    device: str = "auto"  # "auto" checks on the CPU and, where there is one, on the GPU; "cpu" and "cuda" only there
    seed: int | None = None  # of shapes and inputs; drawn anew when `None`
    # seconds for each stage (import, one case, the benchmark), and ten times as many for all of a file's on a device;
    # `None` for the defaults
    timeout: float | None = None
    verbose: bool = False  # keep what the worker says about itself
    benchmark: bool = True  # time a kernel that is right, where there is a GPU
    targets: tuple[str, ...] = DEFAULT_TARGETS  # GPUs that a check on the CPU compiles for
    case: str | None = None  # run this case alone; a pass says nothing of the others
    values: bool = False  # return the numbers of one row, too: what came out, and what variables held
    mend: bool = True  # look for a change that makes a wrong kernel right: how far that comes depends on the machine
    # seconds of a processor that import, host function and kernels of a file have together on a device, in place of
    # `timeout`; the compiler has as many for each launch. `None` for none
    deadline: float | None = None
    gpu: str | None = None  # whose speed is predicted for a kernel right on the CPU: "H200"; `None` for no prediction


@dataclass(frozen=True)
class Own:
    """What the author of a pack wrote that an engine needs: modules, and the folder that they lie in."""

    modules: tuple[str, ...] = ()
    pack: Path | str = ""


NOTHING = Own()


def seed_of(asked: int | None) -> int:
    """Return the seed that was asked for, or a new one that nothing tells beforehand."""
    return asked if asked is not None else random.SystemRandom().getrandbits(31)


def cache_of(asked: Path | None) -> Path | None:
    """Return the folder for compiled kernels: the one that the environment names, or else what a caller asks for."""
    named = os.environ.get(CACHE)
    return Path(named) if named else asked
