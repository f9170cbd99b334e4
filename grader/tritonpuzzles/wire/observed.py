"""What an engine tells of a call beside its outputs, bytes and facts: launches, and copies of inputs."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Annotated

from tritonpuzzles.decoding.marks import Between
from tritonpuzzles.results.occupancy import Fit

Whole = Annotated[int, Between(-math.inf, math.inf)]


@dataclass(frozen=True)
class LaunchSummary:
    """One launch.

    Attributes:
        line: where it is launched.
        programs: of its grid.
        largest_tile: elements of the largest block value, `None` where that cannot be seen.
        most_together: elements of all block values of the largest tuple.
        constants: the whole-number constexprs, by parameter name.
        numbers: the other whole numbers.
        calls: lines of the submission that led to it, the innermost first.
        written: the tensors that it writes to, by the host function's names, where that can be seen.
        choices: which kernel it is, and with which constants, where it is interpreted; see `variants`.
        fit: what a program takes of the GPU that the host function was told of, where that is asked for.
        unknown: why it is not known, where it should be.
    """

    kernel: str
    line: int | None
    grid: tuple[int, ...]
    programs: int
    largest_tile: int | None = None
    constants: dict[str, Whole] = field(default_factory=dict)
    fit: Fit | None = None
    unknown: str = ""
    numbers: dict[str, Whole] = field(default_factory=dict)
    calls: tuple[int, ...] = ()
    written: tuple[str, ...] = ()
    most_together: int = 0
    choices: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class HostCopy:
    """A copy that the host function made of one of its tensors, by the tensor's name, and the line."""

    tensor: str
    line: int | None
