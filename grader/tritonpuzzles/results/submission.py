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

    opened: Path  # the file that contains its text
    shown: Path  # its name in reports, findings and JSON
    in_cell: bool = False  # whether its lines have the numbers of a notebook's cell, whose first line is the magic

    def __str__(self) -> str:
        return str(self.shown)

    @property
    def source(self) -> Source:
        """Its parsed text; empty if it cannot be read."""
        try:
            return source_of(read_regular(self.opened, MAX_SOURCE_BYTES))
        except OSError:
            return Source("")

    @property
    def name(self) -> str:
        """The last part of the shown path."""
        return self.shown.name

    @classmethod
    def of(cls, file: Path | Submission) -> Submission:
        """Return a path as a file that is opened and shown under its absolute path; return a submission unchanged."""
        return file if isinstance(file, Submission) else cls(file.absolute(), file.absolute())

    def known(self, path: str) -> str:
        """Return the shown path in place of the opened one that a worker reports; other paths are unchanged."""
        return str(self.shown) if path == str(self.opened) else path

    def worded(self, text: str) -> str:
        """Return a worker's sentence, which names the opened path, with the shown path instead."""
        text = text.replace(str(self.opened), str(self.shown))
        named, rest = text[: len(self.opened.name)], text[len(self.opened.name) :]
        return f"The cell{rest}" if self.in_cell and named == self.opened.name and rest.startswith(" ") else text
