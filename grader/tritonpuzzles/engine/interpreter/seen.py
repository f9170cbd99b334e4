"""Turn launches into typed data without messages: their traces, and each bad access and gap as a fact."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import torch

from tritonpuzzles.compiler.answers import Answers
from tritonpuzzles.engine.interpreter.footprints import Footprint, Tiles
from tritonpuzzles.engine.interpreter.ledger import Access, Event, Place
from tritonpuzzles.engine.interpreter.regions import Region
from tritonpuzzles.engine.interpreter.states import BatchStates
from tritonpuzzles.engine.interpreter.storage import identity
from tritonpuzzles.engine.interpreter.values import Array
from tritonpuzzles.results import where
from tritonpuzzles.wire.facts import BadAccess, Gap, LaunchFact, Outside, StoredTwice, Tensor

if TYPE_CHECKING:
    from tritonpuzzles.engine.interpreter.launch import Launch

MOST_LAUNCHES = 64  # of a gap: more are not needed, only a single launch explains it
Line = tuple[str, int, str, str]  # file, line, argument, operation: "load", "store" or "atomic"


@dataclass(frozen=True)
class ArgumentTrace:
    """One tensor argument of one launch."""

    name: str  # the kernel's parameter; `pair[1]` in a tuple
    shape: tuple[int, ...]
    stride: tuple[int, ...]  # in elements
    storage: int  # address of its storage; views of one tensor share it
    origin: int  # offset of its first element in its storage, in elements
    nbytes: int  # of its elements, gaps between rows not counted
    loaded_bytes: int = 0  # traffic of all programs
    stored_bytes: int = 0
    atomic_bytes: int = 0

    @property
    def loaded_times(self) -> float:
        """Bytes loaded as a multiple of the tensor's size."""
        return self.loaded_bytes / self.nbytes if self.nbytes else 0.0

    @property
    def is_written(self) -> bool:
        """Whether any program has stored to it, atomics included."""
        return bool(self.stored_bytes or self.atomic_bytes)

    @property
    def stored_times(self) -> float:
        """Bytes stored as a multiple of the tensor's size."""
        return self.stored_bytes / self.nbytes if self.nbytes else 0.0


@dataclass(frozen=True)
class LaunchTrace:
    """One launch."""

    kernel: str  # its name
    file: str  # where the host function launches it
    line: int
    grid: tuple[int, int, int]
    programs: int  # of the grid
    busy: int | None  # programs that have loaded or stored anything; `None` if not all were run completely
    arguments: tuple[ArgumentTrace, ...]  # in the order of the kernel's parameters
    lines: dict[Line, int]  # bytes
    largest_tile: int  # elements of the largest block value
    most_together: int  # elements of all block values of the largest tuple
    fallback: str | None  # why programs ran one at a time; None if they ran in batches
    splits: int  # how often a batch was undone and split
    function: Any  # the `JITFunction`
    bound: dict[str, Any] = field(repr=False)  # by parameter, as launched, defaults and constexprs included
    options: dict[str, Any]  # num_warps, num_stages and other launch options
    answers: Answers = field(repr=False)  # of static code in it
    accesses: tuple[Access, ...] = field(default=(), repr=False)  # where the tracer counts elements
    footprints: tuple[Footprint, ...] = field(default=(), repr=False)  # where the tracer keeps them
    tiles: tuple[Tiles, ...] = field(default=(), repr=False)  # where the tracer counts elements; without doubtful ones
    states: tuple[BatchStates, ...] = field(default=(), repr=False)  # where the tracer keeps them


def launch_fact(launch: LaunchTrace) -> LaunchFact:
    """Return the trace of a launch as a fact."""
    function = launch.function
    return LaunchFact(
        kernel=launch.kernel,
        file=function.fn.__code__.co_filename,
        first=function.starting_line_number,
        place=(launch.file, launch.line),
        grid=launch.grid,
        numbers={name: value for name, value in launch.bound.items() if type(value) is int},
        tensors=tuple(Tensor(one.name, one.shape, one.stride) for one in launch.arguments),
        stored=tuple((line, argument) for _, line, argument, operation in launch.lines if operation == "store"),
        largest_tile=launch.largest_tile,
    )


def bad_access(launch: Launch, code: str, argument: str, place: Place, event: Event, stored: str) -> BadAccess:
    """Return an event of a launch as a fact."""
    lanes, operation = 0, code.removeprefix("out-of-bounds-")
    region = next((region for region in launch.memory.regions if region.name == argument), None)
    if code in get_args(Outside) and region is not None:
        inside = launch.ledger.total.bytes.get((*place, argument, operation), 0)
        lanes = inside // region.width + event.count
    return BadAccess(
        code,  # type: ignore[arg-type]  # the interpreter has no others
        launch_fact(trace_of(launch, {})),
        argument,
        *place,
        event.count,
        event.program,
        event.element,
        event.other,
        event.masked,
        lanes,
        stored,
        event.wrap,
    )


def _end(missing: Array) -> int | None:
    """Return the row, or element of a vector, from which on all is missing; `None` if the gap is no such end."""
    if not missing.ndim:
        return None
    rows = missing.reshape(-1, missing.shape[-1] if missing.ndim > 1 else 1)
    end = int(np.argmax(rows.any(axis=1)))
    return end if rows[end:].all() else None


def _ends(missing: Array) -> tuple[int, int]:
    rows, columns = (np.flatnonzero(~missing.all(axis=axis)).max(initial=-1) for axis in (1, 0))
    return int(rows) + 1, int(columns) + 1


def _written(missing: Array) -> tuple[int, int] | None:
    """Return the range of columns, or elements of a vector, that is written, the same in every row; else `None`.

    The range must reach the first or the last column.
    """
    rows = missing.reshape(-1, missing.shape[-1])
    if missing.all() or not (rows == rows[0]).all():
        return None
    written = np.flatnonzero(~rows[0])
    first, last = int(written[0]), int(written[-1])
    is_one = len(written) == last - first + 1 and (first == 0 or last == len(rows[0]) - 1)
    return (first, last + 1) if is_one else None


def _late(missing: Array) -> tuple[int, int] | None:
    """Return the first row that lacks its first columns, and their number; `None` if anything else is missing."""
    begins = np.where(missing.all(axis=1), 0, np.argmin(missing, axis=1))
    late = np.flatnonzero(begins)
    if not late.size or late.size == len(begins) or missing.sum() != begins.sum():
        return None
    return int(late[0]), int(begins[late[0]])


def trace_of(launch: Launch, options: dict[str, Any]) -> LaunchTrace:
    """Return the trace of a launch."""
    total, programs = launch.ledger.total, math.prod(launch.grid)
    return LaunchTrace(
        kernel=launch.function.__name__,
        file=launch.place[0],
        line=launch.place[1],
        grid=launch.grid,
        programs=programs,
        busy=launch.busy if launch.ran == programs and not launch.is_phantom else None,
        arguments=tuple(_argument(launch, region) for region in launch.memory.regions),
        lines=dict(total.bytes),
        largest_tile=launch.builder.largest_tile,
        most_together=launch.builder.most_together,
        fallback=launch.fallback,
        splits=launch.splits,
        function=launch.function,
        bound=launch.bound,
        options=options,
        answers=launch.control.asking.answers,
        accesses=tuple(total.accesses),
        footprints=tuple(total.footprints),
        tiles=tuple(total.tiles),
        states=() if launch.ledger.states is None else tuple(launch.ledger.states.batches),
    )


def _argument(launch: Launch, region: Region) -> ArgumentTrace:
    tensor, total = region.tensor, launch.ledger.total
    moved = {"load": 0, "store": 0, "atomic": 0}
    for (_, _, argument, operation), count in total.bytes.items():
        if argument == region.name:
            moved[operation] += count
    return ArgumentTrace(
        name=region.name,
        shape=tuple(tensor.shape),
        stride=tuple(tensor.stride()),
        storage=region.storage.address,
        origin=region.first_byte // region.width,
        nbytes=tensor.numel() * region.width,
        loaded_bytes=moved["load"],
        stored_bytes=moved["store"],
        atomic_bytes=moved["atomic"],
    )


class Notes:
    """Collects events of several launches as facts."""

    def __init__(self) -> None:
        self._accesses: dict[tuple[str, str, str, int], BadAccess] = {}
        self._gaps: dict[str, Gap] = {}
        self._stores: dict[int, set[Place]] = defaultdict(set)  # storage -> places that store to it
        self._twice: dict[int, Place] = {}  # storage -> place where several programs store to one element

    def facts(self) -> list[BadAccess | Gap]:
        """Return every fact, in the order in which the problems appeared."""
        return [*self._accesses.values(), *self._gaps.values()]

    def add_launch(self, launch: Launch) -> None:
        """Add the events of a launch."""
        memory = {region.name: identity(region.tensor.untyped_storage()) for region in launch.memory.regions}
        for (code, argument, file, line), event in launch.ledger.total.events.items():
            is_new = (code, argument, file, line) not in self._accesses
            self.add(launch, code, argument, (file, line), event)
            if is_new and code in get_args(StoredTwice) and event.other is not None and argument in memory:
                self._twice.setdefault(memory[argument], (file, line))
        for file, line, argument, operation in launch.ledger.total.bytes:
            if operation != "load" and argument in memory:
                self._stores[memory[argument]].add((file, line))

    def add(self, launch: Launch, code: str, argument: str, place: Place, event: Event, stored: str = "") -> None:
        """Add an event; `stored` is the argument that undefined lanes reach, see `find_undefined`."""
        key = code, argument, *place
        known = self._accesses.get(key)
        if known is None:
            self._accesses[key] = bad_access(launch, code, argument, place, event, stored)
        else:
            self._accesses[key] = replace(known, count=known.count + event.count)

    def add_gap(self, name: str, tensor: torch.Tensor, missing: Array, launches: Sequence[LaunchTrace]) -> Gap:
        """Note the elements of an output that no launch has stored: those where `missing`, in its shape, is true."""
        memory, address = identity(tensor.untyped_storage()), tensor.untyped_storage().data_ptr()
        writers = [
            launch
            for launch in launches
            if any(argument.storage == address and argument.is_written for argument in launch.arguments)
        ]
        first = np.unravel_index(int(np.argmax(missing)), missing.shape)
        self._gaps[name] = Gap(
            output=name,
            shape=missing.shape,
            count=int(np.count_nonzero(missing)),
            first=tuple(int(index) for index in first),
            where=where.Region.of(missing),
            end=_end(missing),
            ends=_ends(missing) if missing.ndim == 2 else None,
            written=_written(missing) if missing.ndim else None,
            late=_late(missing) if missing.ndim == 2 else None,
            launches=tuple(launch_fact(launch) for launch in (writers or launches)[:MOST_LAUNCHES]),
            stores=tuple(sorted(self._stores[memory])),
            twice=self._twice.get(memory),
        )
        return self._gaps[name]
