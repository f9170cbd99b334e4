"""Say of a tensor which elements no launch has stored, and where in the file the reason may stand."""

from __future__ import annotations

import ast
import math
from collections.abc import Collection, Sequence
from dataclasses import replace

from tritonpuzzles.judge.wording.clue import begun_apart
from tritonpuzzles.judge.wording.launches import (
    Known,
    Launch,
    are_enough,
    axes_of,
    axis_of_one,
    exchanged_axes,
    one_tile_of_each_row,
    too_few_for_tiles,
)
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.cover import OPEN
from tritonpuzzles.results.words import plural
from tritonpuzzles.source.spelling import early_returns, has_loops, in_loop, stores_of
from tritonpuzzles.source.steps import apart, begun_at, moved_at
from tritonpuzzles.wire.facts import Gap, Place, SomeRan

FILL_GAPS = "Check the grid, the loop bounds, the mask of tl.store, and that its offsets differ in each iteration."
STORE = (
    "Store what each program computes: tl.store(pointer + offsets, result, mask=...). If it does, its mask lets "
    "nothing through, or its place is another tensor's."
)
COVER = "Check the grid, and what masks {part}s: do so many programs cover every {part}?"
COVER_AXIS = "Check the grid axis by axis: which one do {part}s go along, and has it a program for each tile of them?"
NO_PROGRAMS = "Work out the grid by hand: how does it come to no program for so many {part}s?"
GO_ON = (
    "Let each program go on to {part}s of its own until there are none left: a loop from tl.program_id(0) in steps of "
    "tl.num_programs(0), whose variable tl.load and tl.store count with."
)
LEFT_OUT = (
    "There are programs enough: check at which {part} each begins, where a loop over {part}s ends, and what masks "
    "{part}s."
)
ORDER = "Compare the order of the arguments with that of {kernel}'s parameters."
BEGIN = "Work out the first address that the first program stores to: the offsets begin too far on."
BEGIN_AT_0 = "Work out what {name} is in the first iteration: the first {part} is {part} 0."
BEGIN_AND_STEP = (
    "Work out by hand where line {line} stores in its first iteration, and in the next: does it begin too far on, or "
    "is the step not one tile?"
)
FIRST_COLUMN = (
    "Work out the columns for the program of row {row}: what of them grows with tl.program_id, and should not?"
)
ONE_AXIS = "Launch a grid of two axes, or number the tiles by tl.program_id(0) alone."
LOOP = "Store in a loop over the tiles of a row."
EXCHANGE = "Exchange the axes of the grid, or of tl.program_id."
ENOUGH = "Follow {name} from the host function into the kernel: it must reach the last {part}."
APART = "Give each program rows of its own: how do these offsets grow with tl.program_id, and by which stride?"


def gap_finding(gap: Gap, known: Known) -> Finding:
    """Word which elements of an output nothing writes."""
    launches, stores, name = [known.launch(launch) for launch in gap.launches], gap.stores, f"The output {gap.output}"
    place = gap.where.words()
    at = f"{place}, first {gap.first}" if len(gap.first) > 1 else place
    finding = Finding(
        code=gap.code,
        message=f"{name} has {gap.count:,} of {math.prod(gap.shape):,} elements that nothing writes: {at}.",
        next_step=FILL_GAPS if not gap.is_whole else STORE,
        details={"argument": name, "count": gap.count, "element": list(gap.first), "where": place},
    )
    if not gap.is_whole:
        finding = replace(finding, details={**finding.details, OPEN: True})
    if gap.is_whole and not stores and any(launch.programs for launch in launches):
        return _never_stored(finding, launches)
    if gap.twice is not None:
        file, line = gap.twice
        return _located(finding, f"Others are stored by several programs (line {line}).", APART, file, line)
    if len(launches) == 1 and (text := axis_of_one(launches[0], gap.shape)):
        return _located(_of_programs(finding, launches[0]), text, ONE_AXIS, launches[0].file, launches[0].line)
    if len(launches) == 1 and (axes := exchanged_axes(launches[0], gap)):
        return _located(_of_programs(finding, launches[0]), axes, EXCHANGE, launches[0].file, launches[0].line)
    if len(launches) == 1:
        (launch,) = launches
        end = gap.end if len(gap.shape) > 1 else _end_of_tiles(gap.end, launch.largest_tile)
        if end or (end == 0 and not launch.programs):
            part = "row" if len(gap.shape) > 1 else "element"
            runs = f"{launch.kernel} runs as {_programs(launch)}, and none stores to {part} {end}."
            for line in early_returns(launch.function)[:1]:
                runs += f" Line {line} ends some before they store, if its condition is true."
            step, (file, line) = _way_out(launch, end, gap.shape, stores)
            if step == LEFT_OUT and (found := apart(launch.function, launch.bound, line, "store")) is not None:
                clue = begun_apart(found)
                runs, step, line = f"{runs} {clue.said}", clue.advice, found.line
            if step in (COVER, COVER_AXIS, NO_PROGRAMS):
                finding = _of_programs(finding, launch)
            return _located(finding, runs, step.format(part=part), file, line)
    if len(stores) != 1:
        return finding
    ((file, line),) = stores
    part, written = "column" if len(gap.shape) > 1 else "element", gap.written
    ends = len(launches) == 1 and written is not None and not written[0] and _size_of(launches[0], written[1])
    if len(launches) == 1 and not ends and (text := one_tile_of_each_row(launches[0], line, gap)):
        return _located(finding, text, LOOP, file, line)
    if len(launches) == 1 and not ends and (few := too_few_for_tiles(launches[0], line, gap.shape)):
        few_programs = _of_programs(finding, launches[0])
        return _located(few_programs, few, COVER.format(part="tile"), launches[0].file, launches[0].line)
    finding = replace(finding, message=f"{finding.message} All stores to it are in line {line}.", file=file, line=line)
    if written is None:
        return _begun_late(finding, gap.late)
    if written[0]:
        everywhere = ", in every row" if len(gap.shape) > 1 else ""
        text = f"The first store begins at {part} {written[0]}{everywhere}."
        begun = begun_at(launches[0].function, line, "store") if len(launches) == 1 else None
        if begun is not None:
            text = f"{text} In line {begun.line} {begun.name} begins at {begun.text}."
            return _located(finding, text, BEGIN_AT_0.format(name=begun.name, part=part), file, begun.line)
        moved = moved_at(launches[0].function, line, "store") if len(launches) == 1 else None
        if moved is None or not moved.text:
            return _located(finding, text, BEGIN, file, line)
        text = f"{text} Line {moved.line} moves {moved.name} by {moved.text} in each iteration."
        return _located(finding, text, BEGIN_AND_STEP.format(line=line), file, line)
    return _told_by_size(finding, part, written[1], gap.shape[-1], launches)


def uncovered_finding(fact: SomeRan, known: Known) -> Finding | None:
    """Word that one launch cannot have stored every element of an output; `None` where it may have.

    Where a kernel stores in no loop, a program stores no more elements than it has stores, times those of its largest
    tile.
    """
    launch, name, size = known.launch(fact.launch), f"The output {fact.output}", fact.elements
    lines = stores_of(launch.function)
    stored = {line for line, _ in launch.stored}
    if not stored or not stored <= set(lines) or any(in_loop(launch.function, line) for line in lines):
        return None
    most = launch.programs * launch.largest_tile * len(lines)
    if most >= size or not most:
        return None
    needed = -(-size // (launch.largest_tile * len(lines)))
    finding = Finding(
        code=fact.code,
        message=f"{name} has {size:,} elements, of which {size - most:,} at least are written by nothing.",
        details={"argument": name, "count": size - most},
    )
    runs = f"{launch.kernel} runs as {_programs(launch)}: {needed:,} are needed."
    return _located(_of_programs(finding, launch), runs, COVER.format(part="tile"), launch.file, launch.line)


def _never_stored(finding: Finding, launches: Sequence[Launch]) -> Finding:
    """Say which store lets no lane through, or where the only ones store instead."""
    elsewhere = [(launch, line, argument) for launch in launches for line, argument in launch.stored]
    silent = {(launch.file, line) for launch in launches for line in stores_of(launch.function)}
    silent -= {(launch.file, line) for launch, line, _ in elsewhere}
    if len(silent) == 1:
        ((file, line),) = silent
        loop = "the loop around it takes no iteration, or " if any(has_loops(one.function) for one in launches) else ""
        step = f"Look at what line {line} stands in: {loop}its mask is false everywhere."
        return _located(finding, f"The store of line {line} keeps no lane on.", step, file, line)
    if elsewhere and not silent:
        launch, line, argument = elsewhere[0]
        text = f"Line {line} stores to {argument}, which is another tensor in the launch of line {launch.line}."
        return _located(finding, text, ORDER.format(kernel=launch.kernel), launch.file, launch.line)
    return finding


def _begun_late(finding: Finding, late: tuple[int, int] | None) -> Finding:
    """Say in which row the first store begins after the first column, where another row's does not."""
    if late is None:
        return finding
    row, column = late
    text = f"In row {row} the first store begins at column {column:,}."
    return _located(finding, text, FIRST_COLUMN.format(row=row), finding.file, finding.line)


def _told_by_size(finding: Finding, part: str, end: int, whole: int, launches: Sequence[Launch]) -> Finding:
    """Say which size of a launch ends where the stores do, if that kernel has no loop that could go on."""
    finding = replace(finding, details={**finding.details, "written": end, "part": part})
    if len(launches) != 1:
        return finding
    (launch,) = launches
    name = _size_of(launch, end)
    if not name:
        return finding
    text = f"{name} is {end:,} in the launch of line {launch.line}, and there are {plural(whole, part)}."
    return _located(finding, text, ENOUGH.format(name=name, part=part), launch.file, launch.line)


def _size_of(launch: Launch, end: int) -> str:
    """Return which number of a launch is where its stores end; nothing if a loop of the kernel could go on."""
    if has_loops(launch.function):
        return ""
    tiles = launch.function.constants
    sizes = (name for name, value in launch.bound.items() if type(value) is int and value == end and name not in tiles)
    return next(sizes, "")


def _way_out(launch: Launch, end: int, shape: Sequence[int], stores: Collection[Place]) -> tuple[str, Place]:
    """Return what to look at where a launch writes up to some row or element and no further, and where that stands."""
    if not launch.programs:
        return NO_PROGRAMS, (launch.file, launch.line)
    store = next(iter(stores)) if len(stores) == 1 else (launch.file, launch.line)
    if end < launch.programs or are_enough(launch, shape, store[1]):
        return LEFT_OUT, store
    attributes = {node.attr for node in launch.function.nodes if isinstance(node, ast.Attribute)}
    if "num_programs" in attributes:  # as many as there are need not cover everything
        return GO_ON, store
    return (COVER_AXIS if axes_of(launch) > 1 else COVER), (launch.file, launch.line)


def _programs(launch: Launch) -> str:
    """Return how many programs there are, and in which grid where it has several axes."""
    axes = axes_of(launch)
    grid = f" in a grid of {launch.grid[:axes]}" if axes > 1 else ""
    return f"{plural(launch.programs, 'program')}{grid}"


def _of_programs(finding: Finding, launch: Launch) -> Finding:
    """Note how many programs there are, where that is what is wrong."""
    return replace(finding, details={**finding.details, "programs": launch.programs})


def _located(finding: Finding, text: str, step: str, file: str | None, line: int | None) -> Finding:
    """Return a finding with what explains it."""
    details = {name: value for name, value in finding.details.items() if name != OPEN}
    return replace(finding, message=f"{finding.message} {text}", next_step=step, file=file, line=line, details=details)


def _end_of_tiles(end: int | None, tile: int) -> int | None:
    """Return the element from which on nothing is written; `None` where a tile was begun: no program is missing."""
    begun = end and (not tile or end % tile)
    return None if begun else end
