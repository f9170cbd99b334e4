"""A puzzle's file as a notebook sees it: the story before the first code cell, and the code after it.

The solve cell holds the code, all of it: what a learner writes there is what the file holds. Only the story, which is
comments, has cells of its own.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from pathlib import Path

from tritonpuzzles.front.story import MARKDOWN_CELL
from tritonpuzzles.front.workspace.files import read_small

CELL = "# %%"


@dataclass(frozen=True)
class Source:
    """The two parts of a puzzle file; one after the other they are its text.

    Attributes:
        story: the leading Markdown cells, as comments, with the `# %%` line that ends them; may be empty.
        code: the rest.
    """

    story: str
    code: str

    @property
    def text(self) -> str:
        return self.story + self.code

    def same_code(self, other: Source) -> bool:
        """Return whether the code is the same but for blank lines at its ends."""
        return self.code.strip() == other.code.strip()


def split(text: str) -> Source:
    """Split the text of a puzzle file.

    The story ends at the first line of code, whatever became of the `# %%` line: no code is ever part of it.
    """
    lines = text.splitlines(keepends=True)
    if not text.lstrip().startswith(MARKDOWN_CELL):
        return Source("", text)
    for index, line in enumerate(lines):
        if line.startswith(CELL) and not line.startswith(MARKDOWN_CELL):
            return _cut(lines, index + 1)
        if line.strip() and not line.startswith("#"):
            return _cut(lines, index)
    return Source(text, "")


def read_source(path: Path) -> Source:
    """Read and split a puzzle file; what is not UTF-8 in it is replaced, line ends become those of Unix.

    Raises:
        OSError: if there is no such file, or it is larger than a puzzle's file can be.
    """
    data = read_small(path).removeprefix(codecs.BOM_UTF8)
    return split(data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n"))


def _cut(lines: list[str], index: int) -> Source:
    return Source("".join(lines[:index]), "".join(lines[index:]))
