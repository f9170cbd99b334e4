"""What one student reads of their files, and `feedback/STUDENT.html`: nothing of others, no flags, no answers."""

from __future__ import annotations

import re
from hashlib import sha256

from markupsafe import Markup
from rich.text import Text

from tritonpuzzles.front.classroom.model import Outcome, Told
from tritonpuzzles.front.classroom.results.book import Book, Entry, Row, handed_in
from tritonpuzzles.front.classroom.results.points import MISSING, NOT_TAKEN, NOT_YET, number
from tritonpuzzles.front.page.html import html
from tritonpuzzles.front.page.markup import document, element, joined
from tritonpuzzles.front.page.model import (
    Block,
    Blocks,
    Column,
    Heading,
    Item,
    Link,
    Next,
    Paragraph,
    Quote,
    Section,
    Table,
    Title,
)
from tritonpuzzles.front.report.findings import SIGNS
from tritonpuzzles.front.report.naming import MARKS, Mark
from tritonpuzzles.front.text import harmless, one_line, significant
from tritonpuzzles.results.check import Verdict
from tritonpuzzles.results.codes import Severity
from tritonpuzzles.results.words import plural

FOLDER = "feedback"
LONGEST = 60  # characters of a name, without its ending
_PLAIN = re.compile(r"[a-z0-9][a-z0-9_.@-]*")
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?")  # what no file may be called on Windows
SUMMARY = (Column(whole=True), Column(), Column(right=True, whole=True), Column(whole=True))
_WITHOUT = {
    MISSING: Mark("-", "missing", "bold yellow"),
    NOT_TAKEN: Mark("!", "not taken", "bold yellow"),
    NOT_YET: Mark("·", "not graded yet", "bold blue"),
}


def file_name(student: str) -> str:
    """Return the name of a student's page, safe in every file system, and different for every id.

    An id of plain lower-case letters, digits and `._@-` is used unchanged; others get `~`, which no such id contains,
    and a hash.
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
    id = one_line(row.student.id)
    whose = name if name == id else f"{name} ({id})"
    body = [element("h1", title), element("p", whose, "page-dim"), Markup(html(blocks))]
    return document(f"{title}: {name}", joined(body))


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
    return f"{points} of {number(entry.assigned.points)}"


def _anchor(entry: Entry) -> str:
    return f"p{entry.assigned.puzzle.number:02d}"


def mark_of(status: str) -> Mark:
    """Return the sign, the word and the colour of a verdict, or of another status."""
    return _WITHOUT[status] if status in _WITHOUT else MARKS[Verdict(status)]


def entry_blocks(entry: Entry) -> Blocks:
    """Return all that a student reads of one puzzle, below its title."""
    words = entry.score.words
    blocks: list[Block] = [Paragraph(f"{words[:1].upper()}{words[1:]}.", indent=0)]
    blocks += [Paragraph(one_line(note), "dim", 0) for note in entry.notes]
    if entry.outcome is not None:
        blocks += [*(_item(told, entry.outcome) for told in entry.outcome.findings), *_counted(entry.outcome)]
        blocks.append(Paragraph(_about(entry, entry.outcome), "dim", 0))
    step = _next(entry)
    return [*blocks, Next(step)] if step else blocks


def _item(told: Told, outcome: Outcome) -> Item:
    """Return a finding with its place and its next step."""
    sign, style = SIGNS[Severity(told.severity)]
    sentence, *code = harmless(told.message).split("\n")
    text = Text() if told.severity == Severity.ERROR.value else Text(f"{told.severity}: ", style)
    text.append(sentence)
    if told.case and told.case not in told.message:
        text.append(f' In "{one_line(told.case)}".', style="dim")
    body: list[Block] = [Paragraph(text, indent=0)]
    quoted = [line for line in code if line.strip()]
    if told.line is not None or quoted:
        body.append(Quote(None if told.line is None else f"{one_line(outcome.file)}:{told.line}", quoted))
    if told.next_step:
        body.append(Next(one_line(told.next_step)))
    return Item(sign, style, body)


def _counted(outcome: Outcome) -> Blocks:
    """Return how often each tensor is read."""
    reads = ", ".join(f"{one_line(name)} read {value:,.2f}x" for name, value in outcome.loads)
    return [Heading("DRAM traffic", f"{reads} its size")] if reads else []


def _about(entry: Entry, outcome: Outcome) -> str:
    """Return `ada/p03.py, found by its name, 41 of 41 cases right, handed in 2026-11-20 18:00 UTC.`"""
    facts = [f"{one_line(outcome.file)}, found {one_line(outcome.how)}"]
    if outcome.cases:
        facts.append(f"{outcome.passed_cases} of {plural(outcome.cases, 'case')} right")
    if outcome.rate is not None:
        facts.append(f"{significant(outcome.rate)} {one_line(outcome.unit)}, {plural(outcome.stars, 'star')}")
    times = {"handed in": handed_in(outcome), "due": entry.assigned.due}
    facts += [f"{what} {when:%Y-%m-%d %H:%M %Z}" for what, when in times.items() if when is not None]
    return f"{', '.join(facts)}."


def _next(entry: Entry) -> str:
    """Return the student's next step, if no finding has one."""
    error, number = entry.error, entry.assigned.puzzle.number
    match entry.status:
        case "missing" | "not taken":
            return f"hand in {entry.assigned.puzzle.stem}.py"
        case Verdict.UNSOLVED.value:
            return f"tritonpuzzles show {number} says what to write, tritonpuzzles hint {number} helps to begin"
        case Verdict.FAIL.value | Verdict.ERROR.value if error is None or not error.next_step:
            return f"tritonpuzzles check {number} shows each case; tritonpuzzles hint {number}"
        case _:
            return ""
