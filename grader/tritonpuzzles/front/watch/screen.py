"""What is on the screen: a page, below it where one is in the curriculum, the file, the keys, and a line that changes.

The page goes by as the terminal scrolls: whatever the report's length, its verdict stands in the last line too.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from rich.style import Style
from rich.text import Text

from tritonpuzzles.front import console
from tritonpuzzles.front.report.style import Lines
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
    return [curriculum_line(states, current), file_line(file), keys_line(keys)]


def curriculum_line(states: Sequence[str], current: int) -> Text:
    """Return the bar: a block for each puzzle, full where it is solved, and where one is."""
    line = Text.assemble(("Puzzles  ", "bold"))
    for index, state in enumerate(states):
        style = "green" if state == "solved" else "bold cyan" if index == current else "dim"
        line.append(("█" if state == "solved" else "░") * CELLS, style)
    solved = sum(state == "solved" for state in states)
    return line.append(f"  {solved} of {len(states)} solved, this is the {ordinal(current + 1)}")


def ordinal(number: int) -> str:
    """Return `1st`, `2nd`, `11th`."""
    teens = 10 < number % 100 < 20
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def file_line(file: Path) -> Text:
    """Return the file, as a link where the terminal has such."""
    link = Style(link=file.absolute().as_uri(), underline=True)
    return Text.assemble(("File     ", "bold"), (one_line(shown(file)), link))


def keys_line(keys: Sequence[Key]) -> Text:
    """Return the keys and what they do; no word is parted from its key."""
    line = Text.assemble(("Keys     ", "bold"))
    for index, key in enumerate(keys):
        line.append("  " if index else "")
        line.append(key.letter, "bold cyan").append(f"\N{NO-BREAK SPACE}{key.word}")
    return line


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
