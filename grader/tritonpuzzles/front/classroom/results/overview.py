"""`class.html`: students x puzzles for the instructor, details of each cell on a click, and what to look at.

Text of students is never markup. The page runs one script, our own, which sorts; without it everything else works.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from markupsafe import Markup

from tritonpuzzles.front.classroom.model import Assigned
from tritonpuzzles.front.classroom.results.book import Book, Entry, Mistake, Row, Tally, tally
from tritonpuzzles.front.classroom.results.feedback import FOLDER, entry_blocks, file_name, mark_of
from tritonpuzzles.front.classroom.results.points import MISSING, NOT_TAKEN, NOT_YET, number
from tritonpuzzles.front.page.html import fragment
from tritonpuzzles.front.page.markup import document, element, folded, joined, link, style, words
from tritonpuzzles.front.text import one_line
from tritonpuzzles.results.check import Verdict
from tritonpuzzles.results.words import are, plural

NAME = "class.html"
CELL = Markup('<td data-sort="{}" class="class-{}">{}</td>')
OPENER = Markup('<button popovertarget="{0}" aria-label="{1}">{2}</button>')
POPOVER = Markup('<div popover id="{}" class="tp-report class-popover">\n{}\n</div>')
_AGAIN = "Next: run tritonpuzzles class grade again"
UNKNOWN = -1  # sorts before zero points


def overview_html(book: Book, notes: Sequence[str] = ()) -> str:
    """Return the page of a class; the notes say in sentences what did not fit into Canvas's export."""
    body = [
        element("h1", one_line(book.settings.title)),
        element("p", _progress(book), "page-dim"),
        *_alarm(book),
        _table(book),
        *_mistakes(book),
        *_flags(book),
        *_untaken(book),
        *_notes(notes),
        Markup('<div class="class-popovers">{}</div>').format(joined(_popovers(book))),
    ]
    here = Path(__file__)
    css, script = (here.with_name(name).read_text(encoding="utf-8") for name in ("class.css", "sort.js"))
    return document(one_line(book.settings.title), style() + joined(body), css, script)


def _progress(book: Book) -> str:
    """Return `40 students, 6 puzzles, a folder for each student: 214 of 240 graded, 20 missing, 2 grader faults.`"""
    counts = book.statuses
    others = {status: counts[status] for status in (MISSING, NOT_TAKEN, NOT_YET)}
    others["skipped"] = counts[Verdict.SKIP.value]
    faults = counts[Verdict.INFRA_ERROR.value]
    graded = counts.total() - sum(others.values()) - faults
    rest = "".join(f", {count:,} {what}" for what, count in others.items() if count)
    rest += f", {plural(faults, 'grader fault')}" if faults else ""
    seed = f" Seed {book.settings.seed}." if book.settings.seed is not None else ""
    size = f"{plural(len(book.rows), 'student')}, {plural(len(book.settings.assigned), 'puzzle')}"
    return f"{size}, {one_line(book.layout)}: {graded:,} of {counts.total():,} graded{rest}.{seed}"


def _alarm(book: Book) -> Iterator[Markup]:
    """Yield why some grades are missing."""
    failed, waiting = book.statuses[Verdict.INFRA_ERROR.value], book.statuses[NOT_YET]
    if failed:
        sentence = f"The grader failed in {plural(failed, 'file')}: no points are given or taken for them."
        yield element("p", f"{sentence} {_AGAIN}, it grades only these.", "class-alarm")
    if waiting:
        sentence = f"{plural(waiting, 'file')} {are(waiting)} not graded yet."
        yield element("p", f"{sentence} {_AGAIN}, it goes on with them.", "class-alarm")


def _table(book: Book) -> Markup:
    """Return the table of students and puzzles, in a box with its own scroll bar."""
    heads = [element("th", "student"), *map(_head, book.settings.assigned), element("th", "total")]
    head = element("thead", element("tr", Markup("").join(heads)))
    body = joined(_row(book, place, row) for place, row in enumerate(book.rows))
    legend = element("p", "✓ pass, ✗ fail or error, · unsolved, - missing, ! not graded or not taken", "class-legend")
    table = element("table", head + element("tbody", Markup("\n{}\n").format(body)), "class-book")
    return Markup('<div class="class-scroll" tabindex="0" role="region" aria-label="grades">{}</div>{}').format(
        table, legend
    )


def _head(assigned: Assigned) -> Markup:
    slug = element("span", assigned.puzzle.slug.replace("_", " "), "class-slug")
    points = element("span", f"of {number(assigned.points)}", "class-most")
    return element("th", Markup("<span>p{:02d}</span> {} {}").format(assigned.puzzle.number, slug, points))


def _row(book: Book, place: int, row: Row) -> Markup:
    name = one_line(row.student.name)
    shown = link(f"{FOLDER}/{file_name(row.student.id)}", name)
    if not row.is_on_roster:
        shown += Markup(" ") + element("span", "not on the roster", "class-pill")
    cells = [Markup('<th scope="row" data-sort="{}">{}</th>').format(name, shown)]
    cells += [_cell(place, row, entry) for entry in row.entries]
    total = number(row.points) if row.total is not None else f"{number(row.points)} + ?"
    cells.append(CELL.format(row.points, "total", total))
    return element("tr", Markup("").join(cells))


def _cell(place: int, row: Row, entry: Entry) -> Markup:
    points, mark = entry.score.points, mark_of(entry.status)
    shown = [words(mark.sign, mark.style), Markup(" "), element("span", words(mark.word, mark.style), "class-word")]
    if points is not None and entry.status != MISSING:
        shown += [Markup(" "), element("span", number(points), "class-points")]
    more = []
    if entry.score.late.days:
        late = Markup('{} d<span class="class-word"> late</span>').format(entry.score.late.days)
        more.append(element("span", late, "class-late"))
    if _flagged(entry):
        more.append(element("span", "note", "class-pill"))
    content = Markup("").join(shown) + element("span", Markup(" ").join(more), "class-more")
    if entry.status != MISSING:
        label = f"{one_line(row.student.name)}, {entry.assigned.puzzle.label}: {entry.score.words}"
        content = OPENER.format(_anchor(place, entry), label, content)
    return CELL.format(UNKNOWN if points is None else points, mark.word.replace(" ", "-"), content)


def _flagged(entry: Entry) -> tuple[tuple[str, str], ...]:
    return entry.outcome.flags if entry.outcome is not None else ()


def _anchor(place: int, entry: Entry) -> str:
    return f"s{place}-p{entry.assigned.puzzle.number:02d}"


def _popovers(book: Book) -> Iterator[Markup]:
    """Yield what a click on each cell opens; without popovers in a browser it stands at the end of the page."""
    for place, row in enumerate(book.rows):
        for entry in row.entries:
            if entry.status != MISSING:
                mark = mark_of(entry.status)
                title = Markup("{} {} <b>{}</b>, {}").format(
                    words(mark.sign, mark.style),
                    words(mark.word, mark.style),
                    entry.assigned.puzzle.label,
                    one_line(row.student.name),
                )
                flags = [element("p", _note(flag), "class-flag") for flag in _flagged(entry)]
                parts = [element("div", title, "tp-head"), *flags, fragment(entry_blocks(entry))]
                yield POPOVER.format(_anchor(place, entry), joined(parts))


def _mistakes(book: Book) -> Iterator[Markup]:
    """Yield how frequent each mistake is; a click shows whose it is."""
    yield element("h2", "Which mistake how often")
    for assigned in book.settings.assigned:
        found = tally(book, assigned)
        passed = f"{found.passed} of {plural(found.graded, 'graded file')} {'passes' if found.passed == 1 else 'pass'}"
        heading = Markup("{} {}").format(assigned.puzzle.label, element("span", passed, "page-dim"))
        yield element("h3", heading)
        yield element("ul", joined(_mistake(found, mistake) for mistake in found.mistakes), "class-mistakes")


def _mistake(found: Tally, mistake: Mistake) -> Markup:
    count, share = len(mistake.rows), 100 * len(mistake.rows) / max(found.graded, 1)
    bar = Markup('<span class="class-bar"><span style="width:{:.1f}%"></span></span>').format(share)
    told = Markup("{}<span>{} of {}: <b>{}.</b> {}</span>")
    sentence = element("span", mistake.sentence, "page-dim")
    names = ", ".join(one_line(row.student.name) for row in mistake.rows)
    summary = told.format(bar, count, found.graded, mistake.words, sentence)
    return element("li", folded(summary, element("p", names)))


def _flags(book: Book) -> Iterator[Markup]:
    lines = [
        (one_line(row.student.name), entry.assigned.puzzle.label, _note(flag))
        for row in book.rows
        for entry in row.entries
        for flag in _flagged(entry)
    ]
    if lines:
        yield element("h2", "To look at")
        yield element("p", "Notes, which no verdict and no points rest on. Look at the files before you conclude.")
        yield _lines(("student", "puzzle", "note"), lines, " class-notes")


def _note(flag: tuple[str, str]) -> str:
    return one_line(flag[1]) or one_line(flag[0])


def _untaken(book: Book) -> Iterator[Markup]:
    if book.untaken:
        yield element("h2", f"{plural(len(book.untaken), 'file')} not taken")
        lines = [(one_line(one.student) or "-", one_line(one.shown), one_line(one.reason)) for one in book.untaken]
        yield _lines(("student", "file", "why"), lines)


def _lines(heads: Sequence[str], lines: Sequence[tuple[str, ...]], kind: str = "") -> Markup:
    """Return a table that becomes a list where the page is narrow."""
    head = element("thead", element("tr", Markup("").join(element("th", name) for name in heads)))
    rows = joined(element("tr", Markup("").join(element("td", cell) for cell in line)) for line in lines)
    return element("table", head + element("tbody", rows), f"class-lines{kind}")


def _notes(notes: Sequence[str]) -> Iterator[Markup]:
    if notes:
        yield element("h2", "Canvas")
        yield element("ul", joined(element("li", one_line(note)) for note in notes))
