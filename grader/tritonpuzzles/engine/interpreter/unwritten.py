"""Say of a tensor which elements no launch has stored, and where in the file the reason may stand."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tritonpuzzles.engine.interpreter.ledger import Place
from tritonpuzzles.engine.interpreter.values import Array
from tritonpuzzles.results import where
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.words import FILL_GAPS, plural

if TYPE_CHECKING:
    from tritonpuzzles.engine.interpreter.records import LaunchTrace

STORE = "Store what each program computes: tl.store(pointer + offsets, result, mask=...)."
COVER = "Check the grid, and what masks {part}s: do so many programs cover every {part}?"
GO_ON = (
    "Let each program go on to {part}s of its own until there are none left: a loop from tl.program_id(0) in steps of "
    "tl.num_programs(0), whose variable tl.load and tl.store count with."
)
LEFT_OUT = (
    "There are programs enough: check at which {part} each begins, where a loop over {part}s ends, and what masks "
    "{part}s."
)
APART = "Give each program rows of its own: how do these offsets grow with tl.program_id, and by which stride?"


def unwritten_finding(
    name: str,
    missing: Array,
    launches: Sequence[LaunchTrace],
    stores: Collection[Place] = (),
    stored_twice: Place | None = None,
) -> Finding:
    """Word which elements of a tensor nothing writes.

    Args:
        name: of the tensor.
        missing: true where nothing was stored, in its shape.
        launches: all that there were.
        stores: the lines that store to it.
        stored_twice: where several programs store to the same elements of it.
    """
    count, first = int(np.count_nonzero(missing)), tuple(int(i) for i in np.argwhere(missing)[0])
    place = where.describe(missing)
    at = f"{place}, first {first}" if len(first) > 1 else place
    finding = Finding(
        code="unwritten-elements",
        message=f"{name} has {count:,} of {missing.size:,} elements that nothing writes: {at}.",
        next_step=FILL_GAPS if not missing.all() else STORE,
        details={"argument": name, "count": count, "element": list(first), "where": place},
    )
    if stored_twice is not None:
        file, line = stored_twice
        return _located(finding, f"Others are stored by several programs (line {line}).", APART, file, line)
    if len(launches) == 1:
        (launch,) = launches
        end = _end_of_rows(missing) if missing.ndim > 1 else _end_of_tiles(missing, launch.largest_tile)
        if end or (end == 0 and not launch.programs):
            part = "row" if missing.ndim > 1 else "element"
            runs = f"{launch.kernel} runs as {plural(launch.programs, 'program')}, and none reaches {part} {end}."
            step, (file, line) = _way_out(launch, end, stores)
            return _located(finding, runs, step.format(part=part), file, line)
    if len(stores) == 1:
        ((file, line),) = stores
        return _located(finding, f"All stores to it are in line {line}.", FILL_GAPS, file, line)
    return finding


def _way_out(launch: LaunchTrace, end: int, stores: Collection[Place]) -> tuple[str, Place]:
    """Return what to look at where a launch writes up to some row or element and no further, and where that stands."""
    store = next(iter(stores)) if len(stores) == 1 else (launch.file, launch.line)
    if end < launch.programs:
        return LEFT_OUT, store
    if "num_programs" in launch.function.fn.__code__.co_names:  # as many as there are need not cover everything
        return GO_ON, store
    return COVER, (launch.file, launch.line)


def _located(finding: Finding, text: str, step: str, file: str, line: int | None) -> Finding:
    return replace(finding, message=f"{finding.message} {text}", next_step=step, file=file, line=line)


def _end_of_rows(missing: Array) -> int | None:
    """Return the first row of a matrix from which on nothing is written; `None` if that lies otherwise."""
    if not missing.size:
        return None
    rows = missing.reshape(-1, missing.shape[-1])
    end = int(np.argmax(rows.any(axis=1)))
    return end if rows[end:].all() else None


def _end_of_tiles(missing: Array, tile: int) -> int | None:
    """Return the first element of a vector from which on nothing is written; `None` if that lies otherwise.

    Where the last tile was begun, it is no program that is missing.
    """
    if not missing.ndim or not missing.size:
        return None
    end = int(np.argmax(missing))
    begun = end and (not tile or end % tile)
    return end if missing[end:].all() and not begun else None
