"""Markdown as rich shows it, with whole words in tables. A module of its own, as rich's takes long to import."""

from __future__ import annotations

from typing import ClassVar

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Markdown, MarkdownElement, TableElement
from rich.table import Table

PADDING = 2  # columns of a terminal beside each of the table's, and for its edges
FEWEST = 10  # letters of a line of sentences


class WholeWords(TableElement):
    """A table in which no code is broken where there is room: rich alone makes all columns narrower."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for table in super().__rich_console__(console, options):
            assert isinstance(table, Table)
            texts = [[str(cell) for cell in (column.header, *column.cells)] for column in table.columns]
            whole = [max(map(len, cells)) for cells in texts]
            least = [max((len(word) for cell in cells for word in cell.split()), default=0) for cells in texts]
            room = options.max_width - PADDING * (len(texts) + 1) - sum(least)
            least[-1] += min(0, room)  # that of the sentences: a long word there breaks before a code does
            more = sum(whole) - sum(least)
            if room < more and least[-1] >= FEWEST:
                for column, most, fewest in zip(table.columns, whole, least, strict=True):
                    column.width = fewest + max(0, room) * (most - fewest) // more
            yield table


class Prose(Markdown):
    """Markdown on a terminal."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {**Markdown.elements, "table_open": WholeWords}
