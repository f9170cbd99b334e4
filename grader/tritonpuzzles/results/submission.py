"""A file under test, by the two names that it may have."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tritonpuzzles.sandbox import read_regular
from tritonpuzzles.source import Source, source_of

MAX_SOURCE_BYTES = 1 << 20  # a puzzle's file has a few kB


@dataclass(frozen=True)
class Submission:
    """A file under test.

    The two paths differ for the cell of a notebook, and for a file whose own name the assembler cannot read: then a
    copy is opened.
    """

    opened: Path  # where its text lies
    shown: Path  # by which name everyone knows it; reports, findings and JSON have no other
    in_cell: bool = False  # whether its lines have the numbers of a notebook's cell, whose first line is the magic

    def __str__(self) -> str:
        return str(self.shown)

    @property
    def source(self) -> Source:
        """What its text says; nothing where it cannot be read."""
        try:
            return source_of(read_regular(self.opened, MAX_SOURCE_BYTES))
        except OSError:
            return Source("")

    @property
    def name(self) -> str:
        """The last part of the name that it is known by."""
        return self.shown.name

    @classmethod
    def of(cls, file: Path | Submission) -> Submission:
        """Return a path as a file that is opened by the name that it has, made absolute; a submission as it is."""
        return file if isinstance(file, Submission) else cls(file.absolute(), file.absolute())

    def known(self, path: str) -> str:
        """Return the name by which everyone knows a path that a worker tells of."""
        return str(self.shown) if path == str(self.opened) else path

    def worded(self, text: str) -> str:
        """Return a sentence of a worker, which knows the file where it is opened, in terms of the name shown."""
        text = text.replace(str(self.opened), str(self.shown))
        named, rest = text[: len(self.opened.name)], text[len(self.opened.name) :]
        return f"The cell{rest}" if self.in_cell and named == self.opened.name and rest.startswith(" ") else text
