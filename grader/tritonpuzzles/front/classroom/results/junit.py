"""`junit.xml`, which CI systems show: a suite for each puzzle, a case for each student.

The form is the one that Jenkins, GitLab and the reporters of GitHub Actions read (the Ant task's, as junit-10.xsd of
Jenkins' xUnit plug-in writes it down): a failure is the student's, an error the grader's, what is not there is skipped.
"""

from __future__ import annotations

import io
import re
from xml.etree import ElementTree

from tritonpuzzles.front.classroom.model import Assigned
from tritonpuzzles.front.classroom.results.book import Book, Entry, Row
from tritonpuzzles.front.classroom.results.points import MISSING, NOT_TAKEN, NOT_YET
from tritonpuzzles.front.text import harmless, one_line
from tritonpuzzles.results.check import Verdict

NAME = "junit.xml"
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


def junit_xml(book: Book) -> bytes:
    """Return the results of a class."""
    suites = [_suite(book, assigned) for assigned in book.settings.assigned]
    counts = _counted("tritonpuzzles", suites)
    del counts["skipped"]  # the outermost element has no such attribute
    root = ElementTree.Element("testsuites", counts)
    root.extend(suites)
    ElementTree.indent(root)
    stream = io.BytesIO()
    ElementTree.ElementTree(root).write(stream, encoding="utf-8", xml_declaration=True)
    return stream.getvalue() + b"\n"


def _suite(book: Book, assigned: Assigned) -> ElementTree.Element:
    cases = [_case(row, entry) for row, entry in book.column(assigned)]
    suite = ElementTree.Element("testsuite", _counted(assigned.puzzle.stem, cases))
    suite.extend(cases)
    return suite


def _counted(name: str, inner: list[ElementTree.Element]) -> dict[str, str]:
    """Return the attributes of what holds cases, or suites of them."""
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
        said = ElementTree.SubElement(
            case, kind, {"type": xml_text(one_line(code)), "message": xml_text(one_line(told))}
        )
        said.text = xml_text("\n".join([*_details(entry), entry.score.words]))
    return case


def _told(entry: Entry) -> tuple[str, str]:
    """Return the code and the sentence that stand for all: those of the first error, else what the points rest on."""
    if entry.error is not None:
        return entry.error.code, entry.error.message
    return entry.status.replace(" ", "-"), entry.untaken[0].reason if entry.untaken else entry.score.words


def _details(entry: Entry) -> list[str]:
    findings = entry.outcome.findings if entry.outcome is not None else ()
    lines = [f"line {told.line}: {told.message}" if told.line is not None else told.message for told in findings]
    return [harmless(line) for line in (*lines, *entry.notes)]


def xml_text(text: str) -> str:
    """Return text without the characters that XML 1.0 cannot hold, not even by number."""
    return _NOT_XML.sub("�", text)
