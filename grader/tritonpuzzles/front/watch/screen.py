"""What is on the screen: a page, below it where one is in the curriculum, the file, the keys, and a line that changes.

The page goes by as the terminal scrolls: whatever the report's length, its verdict stands in the last line too.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from rich.columns import Columns
from rich.style import Style
from rich.table import Table
from rich.text import Text

from tritonpuzzles.front import console
from tritonpuzzles.front.page.terminal import Lines
from tritonpuzzles.front.text import one_line
from tritonpuzzles.front.watch.keys import Key
from tritonpuzzles.front.workspace.folder import shown

CLEAR = "\x1b[H\x1b[2J"
CLEAR_LINE = "\r\x1b[2K"
CELLS = 4  # of the bar, for each puzzle


class Screen:
    """Standard output, which is a terminal."""

    @property
    def width(self) -> int:
        """Columns of the page."""
        return console.stdout().width

    def draw(self, page: Lines, footer: Lines, last: Text) -> None:
        """Draw everything anew."""
        out = console.stdout()
        with out.capture() as captured:
            for line in (*page, Text(), *footer):
                out.print(line)
        _write(CLEAR + captured.get())
        self.say(last)

    def say(self, last: Text) -> None:
        """Change the last line; what has no room is cut."""
        out = console.console_on(sys.stdout)
        line = last.copy()
        line.truncate(max(1, out.width - 1), overflow="ellipsis")
        with out.capture() as captured:
            out.print(line, end="", soft_wrap=True)
        _write(CLEAR_LINE + captured.get())

    def clear(self) -> None:
        """Leave nothing there."""
        _write(CLEAR)

    def leave(self) -> None:
        """Put the cursor behind what is there."""
        _write("\n")


def footer_lines(states: Sequence[str], current: int, file: Path, keys: Sequence[Key]) -> Lines:
    """Return what stands below every page.

    Args:
        states: "solved", "tried" or "open", of each puzzle in order.
        current: index of the one in work.
        file: that is watched.
        keys: that do something here.
    """
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(Text("Puzzles", "bold"), curriculum_bar(states, current))
    grid.add_row(Text("File", "bold"), file_link(file))
    grid.add_row(Text("Keys", "bold"), Columns(map(_key, keys), padding=(0, 2)))
    return [grid]


def curriculum_bar(states: Sequence[str], current: int) -> Text:
    """Return a block for each puzzle, full where it is solved, and how many are."""
    line = Text()
    for index, state in enumerate(states):
        style = "green" if state == "solved" else "bold cyan" if index == current else "dim"
        line.append(("█" if state == "solved" else "░") * CELLS, style)
    return line.append(f"  {sum(state == 'solved' for state in states)} of {len(states)} solved")


def file_link(file: Path) -> Text:
    """Return the file, as a link where the terminal has such."""
    return Text(one_line(shown(file)), Style(link=file.absolute().as_uri(), underline=True), overflow="fold")


def _key(key: Key) -> Text:
    return Text.assemble((key.letter, "bold cyan"), f" {key.word}")


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
