"""`grades.csv` and `junit.xml`: a class's grades for people, and for CI systems.

`grades.csv` has a line for each student: the points of every puzzle, then verdicts and days late. Names of students and
files are untrusted: a cell that begins with one of `BEGINS` is a formula in Excel, LibreOffice or Sheets, and an
apostrophe makes it text (OWASP, CSV Injection, owasp.org/www-community/attacks/CSV_Injection).

`junit.xml` has a suite for each puzzle and a case for each student. The form is the one that Jenkins, GitLab and the
reporters of GitHub Actions read (the Ant task's, as junit-10.xsd of Jenkins' xUnit plug-in specifies it): a failure
is the student's, an error is the grader's, and a missing file is skipped.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from xml.etree import ElementTree

from tritonpuzzles.front.classroom.model import Assigned
from tritonpuzzles.front.classroom.results.book import Book, Entry, Row
from tritonpuzzles.front.classroom.results.points import MISSING, NOT_TAKEN, NOT_YET
from tritonpuzzles.front.text import harmless, one_line
from tritonpuzzles.results.check import Verdict

NAME = "grades.csv"
BEGINS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # the last four as full-width forms
ENCODING = "utf-8-sig"  # without its mark, Excel takes UTF-8 for the system's own code page
Cell = str | float | None
JUNIT = "junit.xml"
FAILURE, ERROR, SKIPPED = "failure", "error", "skipped"
KINDS = {
    Verdict.FAIL.value: FAILURE,
    Verdict.ERROR.value: FAILURE,
    Verdict.UNSOLVED.value: FAILURE,
    NOT_TAKEN: FAILURE,
    Verdict.INFRA_ERROR.value: ERROR,
    Verdict.SKIP.value: SKIPPED,
    MISSING: SKIPPED,
    NOT_YET: SKIPPED,
}  # a pass has no element of its own
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def grades_csv(book: Book) -> bytes:
    """Return the grades of a class.

    An ungraded puzzle gets no number, and neither does the total: a zero would look like a grade.
    """
    return grid([_head(book), *(_line(row) for row in book.rows)])


def _head(book: Book) -> list[Cell]:
    stems = [assigned.puzzle.stem for assigned in book.settings.assigned]
    verdicts = [cell for stem in stems for cell in (f"{stem} verdict", f"{stem} days late")]
    return ["student", "name", *stems, "total", "not graded", *verdicts, "on the roster"]


def _line(row: Row) -> list[Cell]:
    points, listed = [entry.score.points for entry in row.entries], "yes" if row.is_on_roster else "no"
    return [row.student.id, row.student.name, *points, row.total, row.not_graded, *_verdicts(row), listed]


def _verdicts(row: Row) -> Iterator[Cell]:
    for entry in row.entries:
        yield entry.status
        yield entry.score.late.days if entry.outcome is not None else None


def grid(rows: Iterable[Sequence[Cell]]) -> bytes:
    r"""Return rows as CSV: text quoted and safe in spreadsheets, numbers as numbers, nothing for unknown values.

    Control characters are written out, as in `\x07`, and white space is one blank.
    """
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, quoting=csv.QUOTE_NONNUMERIC)
    writer.writerows([_cell(cell) for cell in row] for row in rows)
    return stream.getvalue().encode(ENCODING)


def text_cell(text: str) -> str:
    """Return text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(BEGINS) else text


def _cell(cell: Cell) -> str | float:
    match cell:
        case None:
            return ""
        case str():
            return text_cell(one_line(cell))
        case float() if cell.is_integer():
            return int(cell)
        case _:
            return cell


def junit_xml(book: Book) -> bytes:
    """Return the results of a class."""
    suites = [_suite(book, assigned) for assigned in book.settings.assigned]
    counts = _counted("tritonpuzzles", suites)
    del counts["skipped"]  # the outermost element has no such attribute
    root = ElementTree.Element("testsuites", counts)
    root.extend(suites)
    ElementTree.indent(root)
    text: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _suite(book: Book, assigned: Assigned) -> ElementTree.Element:
    cases = [_case(row, entry) for row, entry in book.column(assigned)]
    suite = ElementTree.Element("testsuite", _counted(assigned.puzzle.stem, cases))
    suite.extend(cases)
    return suite


def _counted(name: str, inner: list[ElementTree.Element]) -> dict[str, str]:
    """Return the attributes of an element that contains cases, or suites of them."""
    cases = [case for one in inner for case in one.iter("testcase")]
    kinds = {"failures": FAILURE, "errors": ERROR, "skipped": SKIPPED}
    counts = {name: str(sum(case.find(kind) is not None for case in cases)) for name, kind in kinds.items()}
    seconds = sum(float(case.get("time", 0)) for case in cases)
    return {"name": name, "tests": str(len(cases)), **counts, "time": f"{seconds:.3f}"}


def _case(row: Row, entry: Entry) -> ElementTree.Element:
    seconds = entry.outcome.seconds if entry.outcome is not None else 0.0
    named = {"name": xml_text(one_line(row.student.id)), "classname": entry.assigned.puzzle.stem}
    case = ElementTree.Element("testcase", {**named, "time": f"{seconds:.3f}"})
    kind = KINDS.get(entry.status)
    if kind is not None:
        code, told = _told(entry)
        about = {"type": xml_text(one_line(code)), "message": xml_text(one_line(told))}
        said = ElementTree.SubElement(case, kind, about)
        said.text = xml_text("\n".join([*_details(entry), entry.score.words]))
    return case


def _told(entry: Entry) -> tuple[str, str]:
    """Return the code and the sentence for a case: those of the first error, else the status and its reason."""
    if entry.error is not None:
        return entry.error.code, entry.error.message
    return entry.status.replace(" ", "-"), entry.untaken[0].reason if entry.untaken else entry.score.words


def _details(entry: Entry) -> list[str]:
    told = [f"line {one.line}: {one.message}" if one.line is not None else one.message for one in entry.findings]
    return [harmless(line) for line in (*told, *entry.notes)]


def xml_text(text: str) -> str:
    """Return text without the characters that XML 1.0 cannot hold, not even by number."""
    return _NOT_XML.sub("�", text)
