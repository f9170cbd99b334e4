"""Batches of programs that run together, how a batch is undone, and other orders of a launch's programs.

A GPU starts programs in no particular order, and may start one only after another has ended. In lockstep, all programs
finish a statement before any begins the next, which hides errors that depend on the order. So a launch may also run in
parts, one after the other, each to its end.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from tritonpuzzles.engine.interpreter.errors import Diverge, Rebatch
from tritonpuzzles.engine.interpreter.values import Array, Handle, lift

_JOURNAL_BYTES = 1 << 27  # a batch whose journal grows larger is split in half
MOST_PARTS = 16  # a launch of so few programs runs one program at a time
STEPS = 4_096  # operations of all parts together, some tenths of a second: longer launches have fewer parts
MOST_PROGRAMS = 1 << 20

Way = Literal["last first", "shuffled"]
WAYS: tuple[Way, ...] = ("last first", "shuffled")  # few programs are not shuffled: they run one at a time, in order


class Journal:
    """The old values of what changes: of single elements, or of a whole array if much of it changes.

    Otherwise a loop that stores to the same rows in every iteration would keep the values of each iteration.
    """

    def __init__(self) -> None:
        self.journal_bytes = 0
        self._steps: list[tuple[int, Any, Array, Array]] = []
        self._step_bytes: dict[int, int] = {}  # by address, as several arrays may be views of the same memory
        self._wholes: dict[int, tuple[Array, Array]] = {}

    def note(self, array: Array, index: Array) -> None:
        """Remember `array[index]` before it changes; the array is contiguous."""
        old = array[index]
        address = array.ctypes.data if isinstance(array, np.ndarray) else 0  # no memory, nothing is merged
        if address in self._wholes and self._wholes[address][0].nbytes >= array.nbytes:
            return
        self._steps.append((address, array, index, old))
        nbytes = old.nbytes + index.nbytes
        self.journal_bytes += nbytes
        self._step_bytes[address] = self._step_bytes.get(address, 0) + nbytes
        if address and self._step_bytes[address] > 2 * array.nbytes:
            self._keep_whole(address, array)

    def _keep_whole(self, address: int, array: Array) -> None:
        """Replace the noted elements of an array by its whole original contents."""
        if max(known.nbytes for at, known, _, _ in self._steps if at == address) > array.nbytes:
            return  # another view, which extends farther, was noted: its next change will do this
        present = array.view(np.uint8)
        past = present.copy()
        for at, known, index, old in reversed(self._steps):
            if at == address:
                past[: known.nbytes].view(known.dtype)[index] = old
        _, before = self._wholes.get(address, (present, past))  # of a shorter view
        past[: before.nbytes] = before
        self._steps = [step for step in self._steps if step[0] != address]
        self.journal_bytes += past.nbytes - self._step_bytes.pop(address)
        self._wholes[address] = present, past

    def undo(self) -> None:
        """Put back what has changed, newest first."""
        for _, array, index, old in reversed(self._steps):
            array[index] = old
        for present, past in self._wholes.values():
            present[...] = past
        self._steps, self._step_bytes, self._wholes = [], {}, {}
        self.journal_bytes = 0


@dataclass
class Batch:
    """Some programs of one launch."""

    programs: Array  # (count, 3) ids
    grid: tuple[int, int, int]
    linear: Array = field(init=False)  # (count,) int32, position in launch order, counted from 1 (0 means no program)
    live: Array | None = None  # (count,) bool, or None for all: those that the current loop or branch applies to
    journal: Journal | None = None  # what stores have overwritten, for undo; None when nothing will be undone
    may_wait: bool = False  # programs that wait for others that have not begun are postponed: see `Waiting`
    busy: Array = field(init=False)  # (count,) bool, programs that have loaded or stored anything

    def __post_init__(self) -> None:
        x, y, z = self.programs.astype(np.int64).T
        self.linear = ((x * self.grid[1] + y) * self.grid[2] + z + 1).astype(np.int32)
        self.busy = np.zeros(self.count, dtype=np.bool_)

    @property
    def count(self) -> int:
        """Number of programs."""
        return len(self.programs)

    @property
    def live_count(self) -> int:
        """Number of programs that the current loop or branch applies to."""
        return self.count if self.live is None else int(np.count_nonzero(self.live))

    @property
    def first_live(self) -> int:
        """Index of the first such program; 0 if there is none."""
        return 0 if self.live is None else int(np.argmax(self.live))

    @property
    def live_indices(self) -> Array:
        """Indices of all of them."""
        return np.arange(self.count) if self.live is None else np.flatnonzero(self.live)

    def program(self, index: int) -> tuple[int, int, int]:
        """Return one program's id, (x, y, z)."""
        x, y, z = (int(value) for value in self.programs[index])
        return x, y, z

    def live_values(self, data: Array) -> Array:
        """Return the values of live programs; one value if all programs share it."""
        return data if self.live is None or len(data) == 1 else data[self.live]

    def uniform(self, data: Array) -> Any:
        """Return the one value that all live programs agree on; raises Diverge, to split the batch, if they do not."""
        each = data.reshape(len(data), -1)[:, 0]
        values = self.live_values(each)
        if len(values) > 1 and not (values == values[0]).all():
            raise Diverge(self.with_live_only(each))
        return values[0] if len(values) else each[0]

    def with_live_only(self, values: Array) -> Array:
        """Replace the values of programs that are not live by the first live one's, so that they add no groups."""
        values = np.broadcast_to(values, (self.count,))
        return values if self.live is None else np.where(self.live, values, values[self.first_live])

    def note_busy(self, active: Array | None) -> None:
        """Note the programs that take part in a memory operation.

        active: (count or 1, *block), its active lanes; None for all lanes of all live programs.
        """
        if active is None or len(active) < self.count:
            self.busy |= True if self.live is None else self.live
        else:
            self.busy |= active.reshape(self.count, -1).any(axis=1)

    def record(self, array: Array, index: Array) -> None:
        """Remember `array[index]` before it changes."""
        if self.journal is None:
            return
        self.journal.note(array, index)
        if self.journal.journal_bytes > _JOURNAL_BYTES and self.count > 1:
            raise Rebatch(self.count // 2)

    def undo(self) -> None:
        """Put back what the batch has changed, newest first."""
        if self.journal is not None:
            self.journal.undo()

    def groups(self, values: Array) -> list[Array]:
        """Split the programs by value, smallest first: programs that left a spin lock run before those that wait."""
        kinds, inverse = np.unique(values, return_inverse=True)
        if len(kinds) == 1:  # NaN differs from itself
            return [*np.array_split(self.programs, 2)]
        return [self.programs[inverse.reshape(-1) == kind] for kind in range(len(kinds))]


def slices(grid: tuple[int, int, int], most: int) -> Iterator[Array]:
    """Yield the ids of a grid's programs in launch order, at most so many at once: (count, 3) int32."""
    programs = math.prod(grid)
    for first in range(0, programs, most):
        yield ids(np.arange(first, min(first + most, programs)), grid)


def ids(linear: Array, grid: tuple[int, int, int]) -> Array:
    """Return the ids of programs by their position in launch order: (count, 3) int32."""
    found: Array = np.stack(np.unravel_index(linear, grid), axis=-1).astype(np.int32)
    return found


def active_lanes(batch: Batch, ptrs: Handle, mask: Handle | None, *, everyone: bool) -> Array | None:
    """Combine the mask with the live programs; None if all lanes take part.

    An operation that is the same in every program is done once for all, unless `everyone` is set.
    """
    rank = ptrs.rank
    spread = everyone or len(ptrs.data) > 1 or (mask is not None and len(mask.data) > 1)
    parts = [] if mask is None else [lift(mask.data, rank)]
    if spread and batch.live is not None:
        parts.append(lift(batch.live, rank))
    if not parts:
        return None
    active = parts[0] if len(parts) == 1 else parts[0] & parts[1]
    shape = np.broadcast_shapes(active.shape, ptrs.data.shape, (batch.count if everyone else 1,) + (1,) * rank)
    active = np.broadcast_to(active, shape)
    return None if active.all() else active


def in_every_program(batch: Batch, ptrs: Handle, mask: Handle | None) -> tuple[Handle, Array | None]:
    """Give every program of the batch separate lanes."""
    active = active_lanes(batch, ptrs, mask, everyone=True)
    shape = (batch.count, *ptrs.data.shape[1:])
    return Handle(np.broadcast_to(ptrs.data, shape), ptrs.dtype, ptrs.wrapped), active


@dataclass(frozen=True)
class Order:
    """An order of programs, for some launches of a call."""

    way: Way
    steps: Mapping[int, int]  # number of a launch whose order may matter -> its operations in lockstep
    # Most parts of a launch. With work from a shared queue, each of two parts does at most twice its work in lockstep;
    # one program alone would do all of it.
    most: int = MOST_PARTS

    def parts(self, launch: int, grid: tuple[int, int, int]) -> list[Array]:
        """Return the ids of a launch's programs, part by part, (count, 3) int32; empty to run it in launch order.

        If there are more than two parts, half of them are single programs, and the other parts share the rest. Two of
        many programs are in the same part in both ways only by chance.
        """
        programs = math.prod(grid)
        if launch not in self.steps or not 1 < programs <= MOST_PROGRAMS:
            return []
        linear = np.arange(programs)
        if self.way == "last first":
            linear = linear[::-1]
        elif programs > MOST_PARTS:
            linear = np.random.default_rng(programs).permutation(programs)
        count = max(2, min(self.most, programs, STEPS // max(1, self.steps[launch])))
        alone = count // 2 if count > 2 else 0
        found = [*linear[:alone].reshape(-1, 1), *np.array_split(linear[alone:], count - alone)]
        return [ids(part, grid) for part in found]

    def most_steps(self, launch: int) -> int:
        """Return the limit of operations in one part, above which the run is aborted."""
        return 512 + 4 * self.steps[launch]


@dataclass(frozen=True)
class Window:
    """Some programs of every launch, in a row in a GPU's launch order; the others do not run."""

    programs: int

    def parts(self, launch: int, grid: tuple[int, int, int]) -> list[Array]:
        """Return the ids of the programs, (count, 3) int32; they end at the middle of the launch."""
        middle = math.prod(grid) // 2
        rest, x = np.divmod(np.arange(max(0, middle - self.programs), middle), grid[0])  # axis 0 varies fastest
        z, y = np.divmod(rest, grid[1])
        return [np.stack([x, y, z], axis=-1).astype(np.int32)]

    def most_steps(self, launch: int) -> int:
        """Return the limit of operations: a program may loop over many tiles."""
        return 300
