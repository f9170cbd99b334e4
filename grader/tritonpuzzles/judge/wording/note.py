"""Everything that a sentence about one bad access needs: the fact, its launch, and what the kernel's text says."""

from __future__ import annotations

from functools import cached_property
from typing import get_args

from tritonpuzzles.judge.wording.clue import Clue
from tritonpuzzles.judge.wording.clues import clue_of
from tritonpuzzles.judge.wording.launches import Launch
from tritonpuzzles.judge.wording.twice import idle_axis, overlaps
from tritonpuzzles.source.flow import Step
from tritonpuzzles.source.spelling import mask_at
from tritonpuzzles.source.steps import from_program, moved_at
from tritonpuzzles.wire.facts import BadAccess, Outside, StoredTwice

STORED_TWICE, OUTSIDE = get_args(StoredTwice), get_args(Outside)


class Note:
    """One fact.

    Attributes:
        argument: the tensor; `None` for an address that belongs to none.
        name: by which the kernel knows it.
        access: "load", "store" or "atomic", where that is told.
    """

    def __init__(self, fact: BadAccess, launch: Launch) -> None:
        self.fact, self.launch, self.name, self.line = fact, launch, fact.argument, fact.line
        self.argument = launch.tensor(fact.argument)
        self.access = "store" if fact.code in STORED_TWICE else fact.code.rpartition("-")[2]

    @cached_property
    def mask(self) -> str:
        """The operation's, as the kernel's own text has it, or in words; "" where it has none."""
        return mask_at(self.launch.function, self.line) if self.fact.masked else ""

    @cached_property
    def clue(self) -> Clue | None:
        """What of the launch, or of the text, explains it."""
        if self.argument is None:
            return None
        if self.fact.code in STORED_TWICE:
            return overlaps(self.argument) or idle_axis(self.launch)
        outside = self.fact.code in OUTSIDE
        return clue_of(self.launch, self.fact, self.argument, self.line, self.access) if outside else None

    @cached_property
    def from_program(self) -> Step | None:
        """What of the address is made of the program's number."""
        known = self.fact.code in (*STORED_TWICE, *OUTSIDE)
        return from_program(self.launch.function, self.line, self.access) if known else None

    @cached_property
    def moved(self) -> Step | None:
        """What moves the address on in each iteration of a loop, where one line does."""
        return moved_at(self.launch.function, self.line, self.access)

    @property
    def whole(self) -> bool:
        """Whether a mask keeps as many lanes on as the argument has elements: in all, or in each program."""
        if not self.mask or self.argument is None or self.fact.code not in OUTSIDE:
            return False
        elements = self.argument.elements
        return self.fact.lanes in (elements, elements * self.launch.programs)

    def program(self, linear: int | None = None) -> str:
        """Return a program's id as a learner writes it: `3`, or `(3, 0, 1)` in a grid of more dimensions."""
        return self.launch.program_text(self.fact.program if linear is None else linear)
