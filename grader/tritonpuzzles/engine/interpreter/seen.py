"""Launches, bad accesses and gaps as facts: typed, without words."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, get_args

import numpy as np

from tritonpuzzles.engine.interpreter.ledger import Event, Place
from tritonpuzzles.engine.interpreter.summary import trace_of
from tritonpuzzles.engine.interpreter.values import Array
from tritonpuzzles.results.where import Region
from tritonpuzzles.wire.facts import BadAccess, Gap, LaunchFact, Outside, Tensor

if TYPE_CHECKING:
    from tritonpuzzles.engine.interpreter.launch import Launch
    from tritonpuzzles.engine.interpreter.records import LaunchTrace

MOST_LAUNCHES = 64  # of a gap: only one alone explains it


def launch_fact(launch: LaunchTrace) -> LaunchFact:
    """Return a launch."""
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


def bad_access(launch: Launch, code: str, argument: str, place: Place, event: Event, stored: str = "") -> BadAccess:
    """Return an event of a launch."""
    lanes, operation = 0, code.removeprefix("out-of-bounds-")
    region = next((region for region in launch.memory.regions if region.name == argument), None)
    if code in get_args(Outside) and region is not None:
        inside = launch.ledger.total.bytes.get((*place, argument, operation), 0)
        lanes = inside // region.width + event.count
    return BadAccess(
        code,  # type: ignore[arg-type]  # the interpreter has no others
        launch_fact(trace_of(launch, launch.place, {})),
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


def gap(
    output: str,
    missing: Array,
    launches: Sequence[LaunchTrace],
    stores: Collection[Place],
    twice: Place | None,
) -> Gap:
    """Return which elements of an output nothing writes.

    Args:
        output: its name.
        missing: true where nothing was stored, in its shape.
        launches: those that stored to it; all where none has.
        stores: the lines that store to it.
        twice: where several programs store to the same elements of it.
    """
    first = np.unravel_index(int(np.argmax(missing)), missing.shape)
    return Gap(
        output=output,
        shape=missing.shape,
        count=int(np.count_nonzero(missing)),
        first=tuple(int(index) for index in first),
        where=Region.of(missing),
        end=_end(missing),
        ends=_ends(missing) if missing.ndim == 2 else None,
        written=_written(missing) if missing.ndim else None,
        late=_late(missing) if missing.ndim == 2 else None,
        launches=tuple(launch_fact(launch) for launch in launches[:MOST_LAUNCHES]),
        stores=tuple(sorted(stores)),
        twice=twice,
    )


def _end(missing: Array) -> int | None:
    """Return the first row, or element of a vector, from which on nothing is written; `None` if that lies otherwise."""
    if not missing.ndim:
        return None
    rows = missing.reshape(-1, missing.shape[-1] if missing.ndim > 1 else 1)
    end = int(np.argmax(rows.any(axis=1)))
    return end if rows[end:].all() else None


def _ends(missing: Array) -> tuple[int, int]:
    rows, columns = (np.flatnonzero(~missing.all(axis=axis)).max(initial=-1) for axis in (1, 0))
    return int(rows) + 1, int(columns) + 1


def _written(missing: Array) -> tuple[int, int] | None:
    """Return which columns of every row, or elements of a vector, are written; `None` if not one piece or in some rows.

    Nothing may be missing at both ends.
    """
    rows = missing.reshape(-1, missing.shape[-1])
    if missing.all() or not (rows == rows[0]).all():
        return None
    written = np.flatnonzero(~rows[0])
    first, last = int(written[0]), int(written[-1])
    is_one = len(written) == last - first + 1 and (first == 0 or last == len(rows[0]) - 1)
    return (first, last + 1) if is_one else None


def _late(missing: Array) -> tuple[int, int] | None:
    """Return the first row that is stored from a later column on than another, if no more is missing of any, and it."""
    begins = np.where(missing.all(axis=1), 0, np.argmin(missing, axis=1))
    late = np.flatnonzero(begins)
    if not late.size or late.size == len(begins) or missing.sum() != begins.sum():
        return None
    return int(late[0]), int(begins[late[0]])
