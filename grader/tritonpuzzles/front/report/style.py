"""The few shapes that every part of the report is made of: marks, headings, indented text, quoted lines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tritonpuzzles.front.text import one_line
from tritonpuzzles.front.workspace.folder import shown
from tritonpuzzles.results.check import Verdict

if TYPE_CHECKING:  # what reads Markdown and colours code takes long to import, and few commands show either
    from rich.markdown import Markdown
    from rich.syntax import Syntax

CODE_THEME = "ansi_dark"
Lines = list[RenderableType]


@dataclass(frozen=True)
class View:
    """How much to show, and in how many columns."""

    width: int = 80
    verbose: bool = False


@dataclass(frozen=True)
class Mark:
    """A sign, the word beside it, and their colour: the word says it all where there is no colour."""

    sign: str
    word: str
    style: str


MARKS = {
    Verdict.PASS: Mark("✓", "pass", "bold green"),
    Verdict.FAIL: Mark("✗", "fail", "bold red"),
    Verdict.ERROR: Mark("✗", "error", "bold red"),
    Verdict.UNSOLVED: Mark("·", "unsolved", "bold yellow"),
    Verdict.SKIP: Mark("-", "skip", "bold yellow"),
    Verdict.INFRA_ERROR: Mark("!", "grader fault", "bold magenta"),
}


def heading(title: str, rest: str = "") -> Lines:
    """Return a blank line and a title."""
    return [Text(), Text.assemble((title, "bold"), f"  {rest}" if rest else "")]


def indented(content: RenderableType, columns: int = 2) -> Padding:
    """Return content moved to the right, its wrapped lines too."""
    return Padding(content, (0, 0, 0, columns))


def item(sign: str, style: str, body: RenderableType) -> Padding:
    """Return a sign with a body that keeps to the right of it when it wraps."""
    grid = Table.grid(padding=(0, 1))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(Text(sign, style=style), body)
    return indented(grid)


def two_columns(rows: Iterable[tuple[str, str]], left: int) -> Table:
    """Return names, in so many columns of the screen, with what is said of each."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="cyan", overflow="fold", width=left)
    grid.add_column(overflow="fold")
    for name, says in rows:
        grid.add_row(Text(name), Text(one_line(says)))
    return grid


def code_line(text: str, style: str = "") -> Text:
    """Return a line of code: cut at the edge, never wrapped."""
    return Text(text, style=style, no_wrap=True, overflow="ellipsis")


def quoted_line(number: str, code: str) -> Table:
    """Return a line of the file beside its number: whole, as the fault may stand at its end."""
    grid = Table.grid()
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(Text(f"{number} │ "), Text(code))
    return grid


def prose(markdown: str) -> Markdown:
    """Return Markdown as a terminal shows it."""
    from rich.markdown import Markdown

    return Markdown(markdown, code_theme=CODE_THEME, hyperlinks=False)


def highlighted(source: str, language: str) -> Syntax:
    """Return code in the terminal's own colours; long lines wrap."""
    from rich.syntax import Syntax

    return Syntax(source, language, theme=CODE_THEME, background_color="default", word_wrap=True)


def kept_lines(paths: Iterable[Path]) -> list[Text]:
    """Return where copies of what was there are kept."""
    return [Text(f"What was there before is put aside in {shown(path)}.") for path in paths]


def next_line(step: str) -> Text:
    """Return what to do next."""
    return Text.assemble(("Next: ", "bold cyan"), step)
