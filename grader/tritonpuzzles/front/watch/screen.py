"""What is on the screen: a page, below it where one is in the curriculum, the file, the keys, and a line that changes.

Of a page that is longer than the terminal one part is shown, at first its beginning: what is wrong stands there.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.columns import Columns
from rich.style import Style
from rich.table import Table
from rich.text import Text

from tritonpuzzles.front import console
from tritonpuzzles.front.page.terminal import Lines
from tritonpuzzles.front.text import one_line
from tritonpuzzles.front.workspace.folder import shown

CLEAR = "\x1b[H\x1b[2J"
CLEAR_LINE = "\r\x1b[2K"
CELLS = 4  # of the bar, for each puzzle


@dataclass(frozen=True)
class Key:
    """A letter, and what it does in one word."""

    letter: str
    word: str


NEXT = Key("n", "next")
PREVIOUS = Key("p", "previous")
HINT = Key("h", "hint")
DIFF = Key("d", "diff")
TRACE = Key("t", "trace")
BENCH = Key("b", "bench")
LIST = Key("l", "list")
RESET = Key("r", "reset")
QUIT = Key("q", "quit")
KEYS = (NEXT, PREVIOUS, HINT, DIFF, TRACE, BENCH, LIST, RESET, QUIT)
MORE = " "  # of a page that is longer than the terminal, which says so itself
YES = "y"


class Screen:
    """Standard output, which is a terminal."""

    def __init__(self) -> None:
        self._top = 0  # the first line of the page that is shown
        self._part = 0  # how many lines of it are, where it is longer than the terminal

    @property
    def is_cut(self) -> bool:
        """Whether the page is longer than the terminal."""
        return self._part > 0

    def go_on(self) -> None:
        """Show the next part of the page at the next `draw`; after the last one, the first."""
        self._top += self._part

    def go_back(self) -> None:
        """Show the first part of a page at the next `draw`."""
        self._top = 0

    @property
    def width(self) -> int:
        """Columns of the page."""
        return console.stdout().width

    def draw(self, page: Lines, footer: Lines, last: Text) -> None:
        """Draw everything anew."""
        lines, below = _printed(page), _printed([Text(), *footer])
        room = max(2, console.stdout().height - len(below) - 1)  # the terminal's last line is `last`
        self._part = room - 1 if len(lines) > room else 0
        self._top = self._top if self.is_cut and self._top < len(lines) else 0
        if self.is_cut:
            part = lines[self._top : self._top + self._part]
            where = f"lines {self._top + 1} to {self._top + len(part)} of {len(lines)}; space shows the others"
            lines = [*part, *_printed([Text(where, style="dim")])]
        _write(CLEAR + "".join([*lines, *below]))
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


def footer_lines(states: Sequence[str], current: int, fails: bool, file: Path, keys: Sequence[Key]) -> Lines:
    """Return what stands below every page.

    Args:
        states: "solved", "tried" or "open", of each puzzle in order.
        current: index of the one in work.
        fails: whether that one's file does not pass, as far as is known.
        file: that is watched.
        keys: that do something here.
    """
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(Text("Puzzles", "bold"), curriculum_bar(states, current, fails))
    grid.add_row(Text("File", "bold"), file_link(file))
    grid.add_row(Text("Keys", "bold"), Columns(map(_key, keys), padding=(0, 2)))
    return [grid]


def curriculum_bar(states: Sequence[str], current: int, fails: bool) -> Text:
    """Return a block for each puzzle, full where it is solved, and how many are; not as if a failing file were one."""
    line = Text()
    for index, state in enumerate(states):
        style = "green" if state == "solved" else "bold cyan" if index == current else "dim"
        line.append(("█" if state == "solved" else "░") * CELLS, style)
    line.append(f"  {sum(state == 'solved' for state in states)} of {len(states)} solved")
    return line.append(", this file fails" if fails and states[current] == "solved" else "")


def file_link(file: Path) -> Text:
    """Return the file, as a link where the terminal has such."""
    return Text(one_line(shown(file)), Style(link=file.absolute().as_uri(), underline=True), overflow="fold")


def _key(key: Key) -> Text:
    return Text.assemble((key.letter, "bold cyan"), f" {key.word}")


def _printed(lines: Lines) -> list[str]:
    """Return what prints some lines, row by row of the terminal."""
    out = console.stdout()
    with out.capture() as captured:
        for line in lines:
            out.print(line)
    return captured.get().splitlines(keepends=True)


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
