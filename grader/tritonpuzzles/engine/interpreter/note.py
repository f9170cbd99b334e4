"""What is noted of one kind of event at one line of a kernel: everything that a sentence about it needs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tritonpuzzles.engine.interpreter.arguments import program_ids, program_text
from tritonpuzzles.engine.interpreter.clue import Clue
from tritonpuzzles.engine.interpreter.clues import clue_of
from tritonpuzzles.engine.interpreter.flow import Step
from tritonpuzzles.engine.interpreter.ledger import Event, Place, Wrap
from tritonpuzzles.engine.interpreter.spelling import Widening, has_loops, mask_at, widening_at
from tritonpuzzles.engine.interpreter.steps import from_program, made_in, moved_at
from tritonpuzzles.engine.interpreter.twice import idle_axis, overlaps

if TYPE_CHECKING:
    from tritonpuzzles.engine.interpreter.launch import Launch
    from tritonpuzzles.engine.interpreter.regions import Region

STORED_TWICE = ("race-write-write", "written-twice")
OUTSIDE = ("out-of-bounds-load", "out-of-bounds-store", "out-of-bounds-atomic")
CONFLICTS = (*STORED_TWICE, "race-read-write")


@dataclass
class Note:
    """Everything a sentence needs about one kind of event at one line."""

    code: str
    argument: str
    file: str
    line: int
    event: Event
    kernel: str
    grid: tuple[int, int, int]
    region: Region | None
    stored: str = ""
    mask: str = ""  # the operation's, as the kernel's own text has it, or in words; "" where it has none
    wrapped: Widening | None = None  # the expression that has wrapped around, where the kernel's own text has it
    clue: Clue | None = None  # what of the launch, or of the text, explains it
    loops: bool = False  # the kernel has some
    from_program: Step | None = None  # what of the address is made of the program's number
    moved: Step | None = None  # what moves the address on in each iteration of a loop, where one line does
    mask_line: int | None = None  # which makes the mask, where that is another one
    whole: bool = False  # as many lanes are let through as the argument has elements

    @classmethod
    def of(cls, launch: Launch, code: str, argument: str, place: Place, event: Event, stored: str = "") -> Note:
        """Make a note of an event of a launch."""
        region = next((region for region in launch.memory.regions if region.name == argument), None)
        wrapped = None if event.wrap is None else _widening(launch, event.wrap)
        mask = mask_at(launch.function, place[1]) if event.masked else ""
        made = made_in(launch.function, place[1], mask) if mask else None
        whole = bool(mask) and region is not None and _is_whole(launch, code, place, event, region)
        name, loops = launch.function.__name__, has_loops(launch.function)
        access = "store" if code in STORED_TWICE else code.rpartition("-")[2]
        return cls(
            code,
            argument,
            *place,
            event,
            name,
            launch.grid,
            region,
            stored,
            mask,
            wrapped,
            clue=_clue(launch, code, event, region, place[1], access),
            loops=loops,
            from_program=from_program(launch.function, place[1], access) if code in (*STORED_TWICE, *OUTSIDE) else None,
            moved=moved_at(launch.function, place[1], access),
            mask_line=made,
            whole=whole,
        )

    def program(self, linear: int | None = None) -> str:
        """Return a program's id as a learner writes it: `3`, or `(3, 0, 1)` in a grid of more dimensions."""
        return program_text(self.event.program if linear is None else linear, self.grid)

    def program_ids(self, linear: int) -> tuple[int, int, int]:
        """Return (x, y, z) of a linear program number."""
        return program_ids(linear, self.grid)

    @property
    def elements(self) -> int:
        """Number of elements of the argument."""
        return 0 if self.region is None else self.region.tensor.numel()

    @property
    def in_gap(self) -> bool:
        """Whether the first element lies between the rows of a strided view."""
        element, region = self.event.element, self.region
        return region is not None and element is not None and 0 <= element < region.limit // region.width


def _clue(launch: Launch, code: str, event: Event, region: Region | None, line: int, access: str) -> Clue | None:
    if region is None:
        return None
    if code in STORED_TWICE:
        return overlaps(region) or idle_axis(launch)
    return clue_of(launch, event, region, line, access) if code in OUTSIDE else None


def _is_whole(launch: Launch, code: str, place: Place, event: Event, region: Region) -> bool:
    """Return whether a line lets through as many lanes as a tensor has elements: in all, or in each program."""
    operation = code.removeprefix("out-of-bounds-")
    inside = launch.ledger.total.bytes.get((*place, region.name, operation), 0) // region.width
    lanes, elements = inside + event.count, region.tensor.numel()
    return operation != code and lanes in (elements, elements * math.prod(launch.grid))


def _widening(launch: Launch, wrap: Wrap) -> Widening | None:
    return widening_at(launch.function, wrap.line, wrap.symbol, launch.bound, wrap.right)
