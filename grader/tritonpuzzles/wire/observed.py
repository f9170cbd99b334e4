"""An engine's report on a call besides its outputs and facts, and its limits, which both sides share.

It has launches, copies of inputs, every access of one case, and a kernel's variables; also the numbering of elements.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from tritonpuzzles.decoding.marks import Between
from tritonpuzzles.results.speed import Fit

Whole = Annotated[int, Between(-math.inf, math.inf)]
MAX_LANES = 1 << 20  # of all accesses: more than a picture can show
MAX_ACCESSES = 10_000
MAX_TILES = 1 << 17  # of all accesses and programs; if there are more, none is reported
BYTES_PER_LANE = 8  # element and program number, int32 each
BYTES_PER_TILE = 16  # program, row and column of its first lane, lanes that are masked off, int32 each
MAX_PICTURE_BYTES = MAX_LANES * BYTES_PER_LANE + MAX_TILES * BYTES_PER_TILE
LOAD, STORE, VALUE = "load", "store", "value"
KINDS = (LOAD, STORE, VALUE)
MAX_PROGRAMS = 64  # of a batch
MAX_EVENTS = 10_000  # of a call
MAX_CALLS = 8  # of nested functions
MAX_ELEMENTS = 1 << 21  # numbers of a call, 4 bytes each
MAX_STATES_BYTES = 4 * MAX_ELEMENTS + MAX_PROGRAMS * MAX_EVENTS
NOTHING = -1  # in place of an element's number, if there is none


@dataclass(frozen=True)
class TensorTraffic:
    """The bytes that one call moved of one tensor; the judge computes multiples of its size."""

    argument: str  # the first kernel's name for it
    tensor: str  # the host function's: an argument's, an output's or "scratch"
    tensor_bytes: int  # its size, which the judge itself knows except for scratch
    loaded_bytes: int
    stored_bytes: int
    atomic_bytes: int


@dataclass(frozen=True)
class LaunchSummary:
    """One launch."""

    kernel: str
    line: int | None  # where it is launched
    grid: tuple[int, ...]
    programs: int  # of its grid
    largest_tile: int | None = None  # elements of the largest block value, `None` if unknown
    constants: dict[str, Whole] = field(default_factory=dict)  # the whole-number constexprs, by parameter name
    # a program's use of the GPU that was reported to the host function, if requested
    fit: Fit | None = None
    unknown: str = ""  # why `fit` is not known, if it should be
    numbers: dict[str, Whole] = field(default_factory=dict)  # the other whole numbers
    calls: tuple[int, ...] = ()  # lines of the submission that led to it, the innermost first
    written: tuple[str, ...] = ()  # the tensors that it writes to, by the host function's names, if known
    most_together: int = 0  # elements of all block values of the largest tuple
    # the kernel's digest and compile-time choices by name, if it is interpreted
    choices: dict[str, str] = field(default_factory=dict)
    code: str = ""  # key of its machine code, if nothing is run
    # numbers of the call's autotuner that launches it, and of the configuration, if nothing is run
    tuner: tuple[int, int] | None = None
    busy: int | None = None  # programs that load or store anything, if known
    # of a product that is not run: by distance in launch order, the share of loaded bytes that the program so far
    # before has loaded; the last distance is the farthest that was looked at
    reuse: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True)
class HostCopy:
    """A copy that the host function made of one of its tensors, by the tensor's name, and the line."""

    tensor: str
    line: int | None


def spanned(shape: Sequence[int], stride: Sequence[int]) -> int:
    """Return how many elements a view spans, from its first to its last; 0 for an empty one."""
    return 1 + sum((size - 1) * step for size, step in zip(shape, stride, strict=True)) if all(shape) else 0


def row_major_places(shape: Sequence[int], stride: Sequence[int], length: int, first: int = 0) -> npt.NDArray[Any]:
    """Return for each element of a storage its row-major number in a view of it, `NOTHING` outside the view.

    `length` is the storage's, in elements, and at least `first`, where the view begins, plus the span of the view.
    """
    places = np.full(length, NOTHING, dtype=np.int32)
    view = np.lib.stride_tricks.as_strided(places[first:], tuple(shape), [places.itemsize * step for step in stride])
    view[...] = np.arange(math.prod(shape), dtype=np.int32).reshape(tuple(shape))
    return places
