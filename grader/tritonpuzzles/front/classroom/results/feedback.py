"""`feedback/STUDENT.html`: what one student reads of their files; nothing of other students, no flags, no answers."""

from __future__ import annotations

import re
from hashlib import sha256

from markupsafe import Markup
from rich.text import Text

from tritonpuzzles.front.classroom.results.book import Book, Entry, Row
from tritonpuzzles.front.classroom.results.points import number
from tritonpuzzles.front.classroom.results.told import entry_blocks, mark_of
from tritonpuzzles.front.page.html import html
from tritonpuzzles.front.page.markup import document, element, joined
from tritonpuzzles.front.page.model import Block, Column, Link, Paragraph, Section, Table, Title
from tritonpuzzles.front.text import one_line
from tritonpuzzles.results.words import plural

FOLDER = "feedback"
LONGEST = 60  # characters of a name, without its ending
_PLAIN = re.compile(r"[a-z0-9][a-z0-9_.@-]*")
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?")  # what no file may be called on Windows
SUMMARY = (Column(whole=True), Column(), Column(right=True, whole=True), Column(whole=True))


def file_name(student: str) -> str:
    """Return the name of a student's page, safe in every file system, and another one for every id.

    An id of plain lower-case letters, digits and `._@-` keeps its own; others get a hash after a sign that none of
    those has.
    """
    if _PLAIN.fullmatch(student) and len(student) <= LONGEST and not _DEVICES.fullmatch(student):
        return f"{student}.html"
    shown = re.sub(r"[^A-Za-z0-9_-]+", "_", student)[:LONGEST].strip("_")
    digest = sha256(student.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{shown or 'student'}~{digest}.html"


def feedback_html(book: Book, row: Row) -> str:
    """Return the page of one student."""
    title, name = one_line(book.settings.title), one_line(row.student.name)
    open_ = f", {plural(row.not_graded, 'puzzle')} not graded yet" if row.not_graded else ""
    blocks: list[Block] = [
        Title(Text(f"{number(row.points)} of {number(book.most)} points{open_}", "bold")),
        *(Paragraph(f"{one_line(one.shown)} is not graded: {one_line(one.reason)}", "dim", 0) for one in row.untaken),
        Table(SUMMARY, [_summary(entry) for entry in row.entries], "summary", indent=0),
        *(_section(entry) for entry in row.entries),
    ]
    body = [element("h1", title), element("p", _whose(name, row), "page-dim"), Markup(html(blocks))]
    return document(f"{title}: {name}", joined(body))


def _whose(name: str, row: Row) -> str:
    id = one_line(row.student.id)
    return name if name == id else f"{name} ({id})"


def _summary(entry: Entry) -> tuple[Text, Link, str, str]:
    late = f"{plural(entry.score.late.days, 'day')} late" if entry.score.late.days else ""
    label = entry.assigned.puzzle.label
    return mark_of(entry.status).text, Link(label, f"#{_anchor(entry)}"), _points(entry), late


def _section(entry: Entry) -> Section:
    mark = mark_of(entry.status)
    title = Text.assemble(
        (f"{mark.sign} {mark.word}  ", mark.style), (entry.assigned.puzzle.label, "bold"), f"  {_points(entry)}"
    )
    return Section([Title(title), *entry_blocks(entry)], _anchor(entry))


def _points(entry: Entry) -> str:
    points = "?" if entry.score.points is None else number(entry.score.points)
    return f"{points} of {number(entry.score.most)}"


def _anchor(entry: Entry) -> str:
    return f"p{entry.assigned.puzzle.number:02d}"
