"""Put into words which elements of a tensor no launch has stored, and where in the file the reason may be."""

from __future__ import annotations

import ast
import enum
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from tritonpuzzles.judge.wording.clue import begun_apart, loop_left_over
from tritonpuzzles.judge.wording.launches import Known, Launch
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.cover import OPEN, PASSED, PROGRAMS, TILE
from tritonpuzzles.results.words import plural
from tritonpuzzles.source.spelling import early_returns, stores_of
from tritonpuzzles.source.steps import Address
from tritonpuzzles.wire.facts import Gap, Place, SomeRan

FILL_GAPS = "Check the grid, the loop bounds, the mask of tl.store, and that its offsets differ in each iteration."
STORE = (
    "Store what each program computes: tl.store(pointer + offsets, result, mask=...). If it does, its mask keeps "
    "no lane on, or it stores to another tensor."
)
COVER = "Check that the grid has programs for every {part}, and that no mask leaves {part}s out."
COVER_AXIS = "Check which axis of the grid is for {part}s, and that it has a program for each tile of them."
NO_PROGRAMS = "Work out the grid by hand: it has no program for so many {part}s."
GO_ON = (
    "Let each program process several {part}s: a loop from tl.program_id(0) in steps of tl.num_programs(0), whose "
    "variable is in the addresses of tl.load and tl.store."
)
LEFT_OUT = (
    "There are enough programs: check at which {part} each starts, where a loop over {part}s ends, and the mask of "
    "the {part}s."
)
ORDER = "Compare the order of the arguments with that of {kernel}'s parameters."
BEGIN = "Work out the first address that the first program stores to: the offsets start too high."
BEGIN_AT_0 = "Work out what {name} is in the first iteration: the first {part} is {part} 0."
BEGIN_AND_STEP = (
    "Work out by hand where line {line} stores in its first iteration, and in the next: check the start, and "
    "that the step is one tile."
)
FIRST_COLUMN = (
    "Work out the columns for the program of row {row}: check which part grows with tl.program_id and should not."
)
ONE_AXIS = "Launch a grid of two axes, or number the tiles by tl.program_id(0) alone."
LOOP = "Store in a loop over the tiles of a row."
EXCHANGE = "Exchange the axes of the grid, or of tl.program_id."
ENOUGH = "Follow {name} from the host function into the kernel: it must reach the last {part}."
APART = "Give each program its own rows: check how these offsets grow with tl.program_id, and by which stride."


class _Enough(enum.Enum):
    """Whether a launch has enough programs for what it leaves unwritten."""

    NO = enum.auto()
    YES = enum.auto()
    BY_A_LOOP = enum.auto()  # each takes several rows or elements, however many they are


@dataclass(frozen=True)
class _Seen:
    """A gap with its launches, and the finding that says only where it is."""

    gap: Gap
    launches: Sequence[Launch]
    finding: Finding

    @property
    def only(self) -> Launch | None:
        """The launch, if there is only one."""
        return self.launches[0] if len(self.launches) == 1 else None

    @property
    def store(self) -> Place | None:
        """The line that stores the output, if there is only one."""
        return next(iter(self.gap.stores)) if len(self.gap.stores) == 1 else None

    def of_launch(self, text: str, step: str) -> Finding | None:
        """Return the finding at the only launch, whose programs are too few; `None` without a text."""
        launch = self.only
        if launch is None or not text:
            return None
        return _located(self.finding.noting({PROGRAMS: launch.programs}), text, step, launch.file, launch.line)


def gap_finding(gap: Gap, known: Known) -> Finding:
    """Return the finding on elements of an output that nothing writes, with the first reason that holds."""
    name, place = f"The output {gap.output}", gap.where.words()
    at = f"{place}, first {gap.first}" if len(gap.first) > 1 else place
    details = {"argument": name, "count": gap.count, "element": list(gap.first), "where": place}
    finding = Finding(
        code=gap.code,
        message=f"{name} has {gap.count:,} of {math.prod(gap.shape):,} elements that nothing writes: {at}.",
        next_step=STORE if gap.is_whole else FILL_GAPS,
        details=details if gap.is_whole else details | {OPEN: True},
    )
    seen = _Seen(gap, [known.launch(launch) for launch in gap.launches], finding)
    reasons = (reason(seen) for reason in REASONS)
    return next((found for found in reasons if found is not None), finding)


def _stored_twice(seen: _Seen) -> Finding | None:
    """Several programs store to the same place, and so leave other places unwritten."""
    if seen.gap.twice is None:
        return None
    file, line = seen.gap.twice
    return _located(seen.finding, f"Others are stored by several programs (line {line}).", APART, file, line)


def _axes_of_the_grid(seen: _Seen) -> Finding | None:
    """The grid has one axis and the kernel two, or they are exchanged."""
    launch, gap = seen.only, seen.gap
    if launch is None:
        return None
    one = seen.of_launch(launch.axis_of_one(gap.shape), ONE_AXIS)
    return one or seen.of_launch(launch.exchanged_axes(gap), EXCHANGE)


def _ends_at_a_program(seen: _Seen) -> Finding | None:
    """One launch writes nothing from some row or element on: name what its programs, or a loop, leave out."""
    launch, gap = seen.only, seen.gap
    if launch is None:
        return None
    end, tile, part = gap.end, launch.largest_tile, "row" if len(gap.shape) > 1 else "element"
    begun = part == "element" and end and (not tile or end % tile)  # a partial tile: then no program is missing
    if end is None or begun or (end == 0 and launch.programs):
        return None
    runs = f"{launch.kernel} runs as {_programs(launch)}, and none stores to {part} {end}."
    for line in early_returns(launch.function)[:1]:
        runs += f" Line {line} ends some programs before they store, if its condition is true."
    enough, step, (file, line) = _way_out(launch, end, gap.shape, gap.stores)
    clue = begun_apart(launch, Address(launch.function, line, "store")) if enough is _Enough.YES else None
    if clue is not None:
        runs, step, line = f"{runs} {clue.said}", clue.advice, clue.at_line or line
    finding = seen.finding.noting({PROGRAMS: launch.programs}) if enough is _Enough.NO else seen.finding
    return _located(finding, runs, step.format(part=part), file, line)


def _too_few_tiles(seen: _Seen) -> Finding | None:
    """A single store writes one tile of each row, or there are fewer programs than tiles."""
    launch, written = seen.only, seen.gap.written
    if launch is None or seen.store is None or (written and not written[0] and _size_of(launch, written[1])):
        return None
    file, line = seen.store
    if text := launch.one_tile_of_each_row(line, seen.gap):
        return _located(_of_a_tile(seen.finding, launch), text, LOOP, file, line)
    return seen.of_launch(launch.too_few_for_tiles(line, seen.gap.shape), COVER.format(part="tile"))


def _where_it_is_stored(seen: _Seen) -> Finding | None:
    """All stores are in one line: say where they begin, or which size of the launch they end at."""
    if seen.store is None:
        return None
    gap, (file, line) = seen.gap, seen.store
    part = "column" if len(gap.shape) > 1 else "element"
    finding = replace(seen.finding.adding(f"All stores to it are in line {line}."), file=file, line=line)
    if gap.written is None and gap.late is not None:
        row, column = gap.late
        text = f"In row {row} the first store begins at column {column:,}."
        return _located(finding, text, FIRST_COLUMN.format(row=row), file, line)
    if gap.written is None:
        return finding
    first, end = gap.written
    if first:
        return _begun_at(finding, seen, part, first)
    return _told_by_size(finding, part, end, gap.shape[-1], seen.only)


def _begun_at(finding: Finding, seen: _Seen, part: str, first: int) -> Finding:
    """Return a finding with the element at which the first store begins, and the part of the line that causes it."""
    file, line, launch = finding.file, finding.line or 0, seen.only
    everywhere = ", in every row" if len(seen.gap.shape) > 1 else ""
    text = f"The first store begins at {part} {first}{everywhere}."
    step = BEGIN
    address = None if launch is None else Address(launch.function, line, "store")
    if address is not None and (begun := address.begun) is not None:
        text = f"{text} In line {begun.line} {begun.name} begins at {begun.text}."
        step, line = BEGIN_AT_0.format(name=begun.name, part=part), begun.line
    elif address is not None and (moved := address.moved) is not None and moved.text:
        text = f"{text} Line {moved.line} moves {moved.name} by {moved.text} in each iteration."
        step = BEGIN_AND_STEP.format(line=line)
    return _located(finding, text, step, file, line)


def uncovered_finding(fact: SomeRan, known: Known) -> Finding | None:
    """Return the finding that one launch cannot have stored every element of an output, or `None`.

    If a kernel stores in no loop, a program stores at most as many elements as its number of stores times its largest
    tile.
    """
    launch, name, size = known.launch(fact.launch), f"The output {fact.output}", fact.elements
    lines = stores_of(launch.function)
    stored = {line for line, _ in launch.stored}
    if not stored or not stored <= set(lines) or any(launch.function.around(line) for line in lines):
        return None
    most = launch.programs * launch.largest_tile * len(lines)
    if most >= size or not most:
        return None
    needed = -(-size // (launch.largest_tile * len(lines)))
    finding = Finding(
        code=fact.code,
        message=f"{name} has {size:,} elements, of which at least {size - most:,} are never written.",
        details={"argument": name, "count": size - most},
    )
    runs = f"{launch.kernel} runs as {_programs(launch)}: {needed:,} are needed."
    few = finding.noting({PROGRAMS: launch.programs})
    return _located(few, runs, COVER.format(part="tile"), launch.file, launch.line)


def _never_stored(seen: _Seen) -> Finding | None:
    """Nothing is stored to it: name the store whose mask is false everywhere, or where the only stores go instead."""
    finding, launches = seen.finding, seen.launches
    if not seen.gap.is_whole or seen.gap.stores or not any(launch.programs for launch in launches):
        return None
    elsewhere = [(launch, line, argument) for launch in launches for line, argument in launch.stored]
    silent = {(launch.file, line) for launch in launches for line in stores_of(launch.function)}
    silent -= {(launch.file, line) for launch, line, _ in elsewhere}
    if len(silent) == 1:
        ((file, line),) = silent
        moved = (loop_left_over(one.function, line) for one in launches if line in stores_of(one.function))
        if (clue := next(filter(None, moved), None)) is not None:
            text = f"The store of line {line} keeps no lane on. {clue.said}"
            return _located(finding, text, clue.advice, file, clue.at_line)
        loop = "the loop around it has no iteration, or " if any(one.function.loops for one in launches) else ""
        step = f"Check line {line}: {loop}its mask is false everywhere."
        return _located(finding, f"The store of line {line} keeps no lane on.", step, file, line)
    if elsewhere and not silent:
        launch, line, argument = elsewhere[0]
        text = f"Line {line} stores to {argument}, which is another tensor in the launch of line {launch.line}."
        passed = finding.noting({PASSED: argument})
        return _located(passed, text, ORDER.format(kernel=launch.kernel), launch.file, launch.line)
    return finding


def _told_by_size(finding: Finding, part: str, end: int, whole: int, launch: Launch | None) -> Finding:
    """Return a finding with the size of a launch at which the stores end, if that kernel has no loop."""
    finding = finding.noting({"written": end, "part": part})
    if launch is None or not (name := _size_of(launch, end)):
        return finding
    finding = finding.noting({PASSED: name})
    text = f"{name} is {end:,} in the launch of line {launch.line}, and there are {plural(whole, part)}."
    return _located(finding, text, ENOUGH.format(name=name, part=part), launch.file, launch.line)


def _size_of(launch: Launch, end: int) -> str:
    """Return the argument of a launch that equals the end of its stores; "" if none, or if the kernel has a loop."""
    sizes = (name for name, value in launch.numbers.items() if value == end and name not in launch.function.constants)
    return next(sizes, "") if not launch.function.loops else ""


def _way_out(launch: Launch, end: int, shape: Sequence[int], stores: Collection[Place]) -> tuple[_Enough, str, Place]:
    """Return the next step if a launch writes up to some row or element only, and the line that it concerns."""
    if not launch.programs:
        return _Enough.NO, NO_PROGRAMS, (launch.file, launch.line)
    store = next(iter(stores)) if len(stores) == 1 else (launch.file, launch.line)
    if end < launch.programs or (launch.are_enough(shape, store[1]) and not launch.all_did_theirs(end, store[1])):
        return _Enough.YES, LEFT_OUT, store
    attributes = {node.attr for node in launch.function.nodes if isinstance(node, ast.Attribute)}
    if "num_programs" in attributes:  # programs in such a loop need not cover everything at once
        return _Enough.BY_A_LOOP, GO_ON, store
    return _Enough.NO, COVER_AXIS if launch.axes > 1 else COVER, (launch.file, launch.line)


def _programs(launch: Launch) -> str:
    """Return the number of programs in words, with the grid if it has several axes."""
    axes = launch.axes
    grid = f" in a grid of {launch.grid[:axes]}" if axes > 1 else ""
    return f"{plural(launch.programs, 'program')}{grid}"


def _of_a_tile(finding: Finding, launch: Launch) -> Finding:
    """Record the constant that is as large as a tile, if it is the only one and the kernel has no loop."""
    sizes = [name for name in launch.function.constants if launch.numbers.get(name) == launch.largest_tile]
    alone = len(sizes) == 1 and not launch.function.loops
    return finding.noting({TILE: [sizes[0], launch.line]}) if alone else finding


def _located(finding: Finding, text: str, step: str, file: str | None, line: int | None) -> Finding:
    """Return a finding with its explanation: its cause is no longer open."""
    details = {name: value for name, value in finding.details.items() if name != OPEN}
    return replace(finding.adding(text, next_step=step), file=file, line=line, details=details)


REASONS = (_never_stored, _stored_twice, _axes_of_the_grid, _ends_at_a_program, _too_few_tiles, _where_it_is_stored)
