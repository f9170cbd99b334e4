"""Blocks on a terminal: in sixteen colours, with a word beside every colour; control characters have no effect."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.align import Align
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from tritonpuzzles.front.page import model
from tritonpuzzles.front.page.model import Bar, Block, Blocks, Cell, Column, Quote, SourceLine, Table, View, Words
from tritonpuzzles.front.text import NO_BREAK, one_line
from tritonpuzzles.front.workspace.folder import shown

if TYPE_CHECKING:  # slow to import, and few commands show Markdown or code
    from rich.markdown import Markdown
    from rich.syntax import Syntax

CODE_THEME = "ansi_dark"
GAP = 2  # columns between those of a table
WIDE = 60  # columns from which a margin has room beside the code
Lines = list[RenderableType]


def rendered(blocks: Blocks, view: View) -> Lines:
    """Return blocks as rich prints them, in order."""
    return [line for block in blocks for line in _lines(block, view)]


def _lines(block: Block, view: View) -> Lines:
    match block:
        case model.Gap():
            return [Text()]
        case model.Title():
            return [block.words]
        case model.Heading():
            return [Text(), Text.assemble((block.title, "bold"), f"  {block.rest}" if block.rest else "")]
        case model.Paragraph():
            words = block.words if isinstance(block.words, Text) else _unbroken(block.words, view.width - block.indent)
            return [indented(_text(words, block.style), block.indent)]
        case model.Item():
            return [item(block.sign, block.style, Group(*rendered(block.body, view)))]
        case model.Quote():
            return _quote(block)
        case model.Printed():
            more = [indented(Text(f"│ ... {block.more}", style="dim"))] if block.more else []
            return [*(indented(code_line(f"│ {line}")) for line in block.lines), *more]
        case model.Verbatim():
            return [Text(line) for line in block.text.split("\n")]
        case model.Prose():
            return [prose(block.markdown)]
        case model.Next():
            return [next_line(block.step)]
        case model.Question():
            return [Text(sentence) for sentence in (block.asked, *block.answers)]
        case model.Bar():
            return [_bar(block)]
        case model.Table():
            return [indented(_grid(block), block.indent)]
        case model.Replay():
            return _lines(block.table, view)
        case model.Source():
            return list(_beside(block.lines) if view.width >= WIDE else _below(block.lines))
        case model.Fold():
            return []
        case model.Brief():
            return rendered(block.short, view)
        case model.Section():
            return rendered(block.content, view)


def indented(content: RenderableType, columns: int = 2) -> Padding:
    """Return content moved to the right, its wrapped lines too."""
    return Padding(content, (0, 0, 0, columns))


def item(sign: str, style: str, body: RenderableType) -> Padding:
    """Return a sign with a body that keeps to the right of it when it wraps."""
    grid = Grid.grid(padding=(0, 1))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(Text(sign, style=style), body)
    return indented(grid)


def two_columns(rows: Iterable[tuple[str, str]], left: int) -> Grid:
    """Return names, in a column of width `left`, with a text for each."""
    grid = Grid.grid(padding=(0, GAP))
    grid.add_column(style="cyan", overflow="fold", width=left)
    grid.add_column(overflow="fold")
    for name, says in rows:
        grid.add_row(Text(name), Text(one_line(says)))
    return grid


def code_line(text: str) -> Text:
    """Return a line of code: cut at the edge, never wrapped."""
    return Text(text, no_wrap=True, overflow="ellipsis")


def prose(markdown: str) -> Markdown:
    """Return Markdown as a terminal shows it."""
    from tritonpuzzles.front.page.markdown import Prose

    return Prose(markdown, code_theme=CODE_THEME, hyperlinks=False)


def highlighted(source: str, language: str) -> Syntax:
    """Return code in the terminal's own colours; long lines wrap."""
    from rich.syntax import Syntax

    return Syntax(source, language, theme=CODE_THEME, background_color="default", word_wrap=True)


def kept_lines(paths: Iterable[Path]) -> list[Text]:
    """Return lines that say where copies of earlier files are kept."""
    return [Text(f"What was there before is put aside in {shown(path)}.") for path in paths]


def next_line(step: str) -> Text:
    """Return what to do next."""
    return Text.assemble(("Next: ", "bold cyan"), step)


def _unbroken(text: str, width: int) -> str:
    """Return text wrapped without breaking at no-break spaces, at which rich would break."""
    if NO_BREAK not in text:
        return text
    lines = textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace(NO_BREAK, " ")


def _text(words: Words, style: str = "") -> Text:
    return Text(words, style=style) if isinstance(words, str) else words


def _quote(quote: Quote) -> Lines:
    place: Lines = [Text(quote.place, style="cyan")] if quote.place else []
    return [*place, *(indented(_code(line, len(quote.lines) == 1)) for line in quote.lines)]


def _code(line: str, alone: bool) -> RenderableType:
    """Return quoted code: a line alone wraps, one above a caret keeps its columns and is cut at the edge."""
    number, bar, code = line.partition(" │ ")
    if not (alone and bar):
        return code_line(line)
    grid = Grid.grid()
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(Text(f"{number} │ "), Text(code))
    return grid


def _grid(table: Table) -> Grid:
    grid = Grid.grid(padding=(0, GAP))
    columns = [column for column in table.columns if not column.on_page]
    for column in columns:
        grid.add_column(
            justify="right" if column.right else "left",
            width=column.width,
            no_wrap=column.whole,
            overflow="ellipsis" if column.whole else "fold",
        )
    if any(column.head for column in columns):
        grid.add_row(*(_head(column, table.heads_low) for column in columns))
    for row in table.rows:
        grid.add_row(*(_cell(cell) for cell, column in zip(row, table.columns, strict=True) if not column.on_page))
    return grid


def _head(column: Column, low: bool) -> RenderableType:
    head = Text(column.head, style="dim")
    return Align(head, "right" if column.right else "left", vertical="bottom") if low else head


def _cell(cell: Cell) -> Text:
    match cell:
        case model.Bar():
            return _bar(cell)
        case model.Link():
            return _text(cell.words)
        case tuple():
            return Text("\n").join(map(_cell, cell))
        case _:
            return _text(cell)


def _bar(bar: Bar) -> Text:
    return Text(("░" if bar.hatched else "█") * round(bar.columns * bar.value / bar.most), bar.style or "dim")


def _beside(lines: Sequence[SourceLine]) -> Iterator[RenderableType]:
    """Yield source with a margin to its left; code is cut at the edge, never wrapped."""
    width = max((len(text) for line in lines for text in line.margin), default=0)
    digits = len(str(lines[-1].number))
    for line in lines:
        first, *more = line.margin or [""]
        yield _row(f"{first:>{width}}  {line.number:>{digits}} │ ", line.code, "bold" if first else "")
        yield from (_row(f"{text:>{width}}  {'':>{digits}} │ ", "", "") for text in more)


def _below(lines: Sequence[SourceLine]) -> Iterator[RenderableType]:
    """Yield source with what a line moves under it, where a margin has no room."""
    digits = len(str(lines[-1].number))
    for line in lines:
        yield _row(f"{line.number:>{digits}} │ ", line.code, "bold" if line.margin else "")
        yield from (indented(Text(f"^ {text}", style="cyan"), digits + 1) for text in line.margin)


def _row(margin: str, source: str, style: str) -> RenderableType:
    """Return a line cut at the edge; in a padding, as rich would join bare texts and wrap them."""
    return indented(code_line("").append(margin, style="cyan").append(source, style=style), 0)
