"""The blocks of reports; a terminal and an HTML page each render them in their own way.

A block holds text and never markup: what a learner wrote reaches both renderers as it is, made harmless.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rich.text import Text

from tritonpuzzles.results.states import RowStates

RIGHT, WRONG = Text("✓", "green"), Text("✗", "bold red")  # beside a number
Words: TypeAlias = "str | Text"  # a `Text` if a part of it has its own colour


@dataclass(frozen=True)
class View:
    """How much to show, and in how many columns."""

    width: int = 80  # of the terminal, in columns
    verbose: bool = False  # whether to show all that is known
    linked: bool = False  # whether the files' lines are on the same page, so that findings link to them


@dataclass(frozen=True)
class Gap:
    """An empty line of a terminal; a page has its own spacing."""


@dataclass(frozen=True)
class Title:
    """What the report on a file begins with: `✓ pass  p03 online_softmax`."""

    words: Text


@dataclass(frozen=True)
class Heading:
    """The title of a section, and the text beside it."""

    title: str
    rest: str = ""


@dataclass(frozen=True)
class Paragraph:
    """A paragraph; a terminal moves it to the right by `indent` columns, its wrapped lines too."""

    words: Words
    style: str = ""
    indent: int = 2


@dataclass(frozen=True)
class Item:
    """A sign, and a body that keeps to the right of it."""

    sign: str
    style: str
    body: Blocks


@dataclass(frozen=True)
class Quote:
    """Lines of source, and where they stand."""

    place: str | None  # `puzzles/p03_online_softmax.py:78`; `None` if it was shown before
    lines: Sequence[str]  # `78 │ l = l + tl.sum(...)`, or code with a caret below it
    anchor: str | None = None  # of the line, if it is on the same page


@dataclass(frozen=True)
class Printed:
    """What a learner's code printed, and how much of it is left out."""

    lines: Sequence[str]
    more: str = ""


@dataclass(frozen=True)
class Verbatim:
    """Lines as they stand."""

    text: str


@dataclass(frozen=True)
class Prose:
    """Markdown of ours."""

    markdown: str


@dataclass(frozen=True)
class Next:
    """What to do next; if links can be followed, `link` (words and address) replaces the step."""

    step: str
    link: tuple[str, str] | None = None


@dataclass(frozen=True)
class Question:
    """A question, and its answers."""

    asked: str
    answers: Sequence[str]


@dataclass(frozen=True)
class Bar:
    """A bar: `value` of `most`, which takes `columns` columns of a terminal, and the available width of a page.

    A `hatched` bar shows a value that was not measured.
    """

    value: float
    most: float
    style: str = ""
    columns: int = 0
    hatched: bool = False


@dataclass(frozen=True)
class Link:
    """Words that lead to an address or a place of the page; a terminal shows the words."""

    words: Words
    address: str


Cell: TypeAlias = "Words | Bar | Link | tuple[Words | Link, ...]"  # several stand one below the other


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    head: str = ""  # its heading
    right: bool = False  # whether its cells end, not begin, at one place, as numbers do
    whole: bool = False  # whether its cells are never broken
    width: int | None = None  # in columns of a terminal; by default as much as it needs
    on_page: bool = False  # whether it is for a page alone


@dataclass(frozen=True)
class Table:
    """Rows of cells; heads, if there are any, are written above them."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    kind: str = ""  # what the style sheet of a page calls it: "numbers", "cases", "summary", "list"
    indent: int = 2  # columns by which a terminal indents it
    heads_low: bool = False  # whether heads are aligned at the bottom, if one of them has several lines


@dataclass(frozen=True)
class Said:
    """What is wrong with a line: a sentence, and a class of `page.css` for its colour."""

    words: str
    kind: str


@dataclass(frozen=True)
class SourceLine:
    """A line of source."""

    number: int  # counted from 1
    code: str  # the line, harmless
    margin: Sequence[str] = ()  # the labels beside it
    below: Sequence[Said] = ()  # on a page, what is wrong with it
    anchor: str = ""  # on a page, the name of its place


@dataclass(frozen=True)
class Source:
    """Lines of source with their messages."""

    lines: Sequence[SourceLine]


@dataclass(frozen=True)
class Replay:
    """What the variables of one program held, step by step, beside the right values."""

    states: RowStates  # of its row
    table: Table  # the same for a terminal, which cannot select a step
    code: Sequence[Sequence[SourceLine]] = ()  # the lines of source that the steps are in, function by function
    opened: bool = False  # whether a page shows it opened


@dataclass(frozen=True)
class Fold:
    """What a click opens on a page; a terminal has no room for it."""

    title: str
    content: Blocks


@dataclass(frozen=True)
class Brief:
    """Two versions of the same content: a short one for a terminal, and the whole one for a page."""

    short: Blocks
    whole: Blocks


@dataclass(frozen=True)
class Section:
    """What is said of one file; `anchor` is the name of its place on a page."""

    content: Blocks
    anchor: str | None = None


Block: TypeAlias = (
    "Gap | Title | Heading | Paragraph | Item | Quote | Printed | Verbatim | Prose | Next | Question | Bar | Table"
    " | Source | Replay | Fold | Brief | Section"
)
Blocks: TypeAlias = Sequence[Block]
