"""A report for programs: workflow commands for GitHub, lines for the problem matcher of an editor, SARIF 2.1.0 [1].

Each has one result for each kind of finding at each place, in the report's words; all are made from the same notes.

[1] OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0, 2020.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tritonpuzzles.front.report.findings import seen_in, source_lines
from tritonpuzzles.front.report.naming import label
from tritonpuzzles.front.text import harmless, one_line
from tritonpuzzles.front.workspace.folder import shown
from tritonpuzzles.results.check import Report, Verdict
from tritonpuzzles.results.codes import Severity, code_named
from tritonpuzzles.results.cover import grouped

BEGINS, ENDS = "tritonpuzzles: checking", "tritonpuzzles: checked"  # what a background problem matcher waits for
PROBLEM = r"^(\S.*?):(\d+):(\d+): (error|warning|info): (.*) \[([a-z0-9-]+)\]$"
WORKSPACE = "GITHUB_WORKSPACE"  # GitHub's variable: paths are relative to it

_GITHUB = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
_EDITOR = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "info"}
SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT = "tritonpuzzles/v1"  # of the code, the file and the text of the line: it stays where lines move


@dataclass(frozen=True)
class Note:
    """One message about a line."""

    file: str | None  # its path in reports; `None` if the message is not about the learner's file
    line: int | None  # counted from 1; `None` if the message is about the whole file
    severity: Severity
    code: str
    title: str  # puzzle and code
    text: str  # sentence and next step, on one line


def notes(report: Report) -> Iterator[Note]:
    """Yield the messages about the checked files: every error, warning and note, most important first."""
    for result in report.results:
        for group in grouped(result.findings):
            found = group.first
            ours = result.verdict is Verdict.INFRA_ERROR
            file = found.file or str(result.file)
            line = None if ours or file.endswith(".ipynb") else found.line  # of a notebook they are those of a cell
            sentence = one_line(harmless(found.message).split("\n")[0]) + seen_in(group)  # below it stands quoted code
            step = f" Next: {one_line(found.next_step)}" if found.next_step else ""
            title = f"{label(result)}: {found.code}"
            yield Note(None if ours else file, line, found.severity, found.code, title, f"{sentence}{step}")


def github(report: Report) -> list[str]:
    """Return a report as workflow commands, one line each."""
    lines = []
    for note in notes(report):
        place = {} if note.file is None else {"file": from_workspace(note.file), "line": str(note.line or 1)}
        properties = ",".join(f"{key}={_property(value)}" for key, value in {**place, "title": note.title}.items())
        lines.append(f"::{_GITHUB[note.severity]} {properties}::{_data(note.text)}")
    return lines


def editor(report: Report) -> list[str]:
    """Return a report as lines that `PROBLEM` matches: `puzzles/p03.py:78:1: error: The running sum ... [code]`."""
    return [
        f"{shown(one_line(note.file))}:{note.line or 1}:1: {_EDITOR[note.severity]}: {note.text} [{note.code}]"
        for note in notes(report)
        if note.file is not None
    ]


def begun(what: str) -> str:
    """Return the line by which an editor knows that a check begins, and older findings are out of date."""
    return f"{BEGINS} {one_line(what)}"


def ended(report: Report | None) -> str:
    """Return the line by which an editor knows that a check is over; it may have come to no report."""
    if report is None:
        return f"{ENDS}: nothing"
    return f"{ENDS}: {', '.join(f'{label(result)} {result.verdict.value}' for result in report.results)}"


@contextmanager
def between(what: str, say: Callable[[str], None]) -> Iterator[None]:
    """Say that a check begins, and that it is over if it is stopped: an editor would wait for ever."""
    say(begun(what))
    try:
        yield
    except BaseException:
        say(ended(None))
        raise


def from_workspace(file: str) -> str:
    """Return a path as GitHub expects it: relative to the checkout, if there is one that contains the file."""
    root = os.environ.get(WORKSPACE)
    if root and os.path.realpath(file).startswith(os.path.join(os.path.realpath(root), "")):
        return os.path.relpath(os.path.realpath(file), os.path.realpath(root))
    return shown(file)


def _data(text: str) -> str:
    """Escape the text of a workflow command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Escape a property of a workflow command."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def log_of(report: Report) -> dict[str, Any]:
    """Return a report as a SARIF log with one run."""
    found = list(notes(report))
    codes = sorted({note.code for note in found})
    faulty = any(result.verdict is Verdict.INFRA_ERROR for result in report.results)
    rules = []
    for name in codes:
        code = code_named(name)
        meaning = {"shortDescription": {"text": code.meaning}} if code.meaning else {}
        rules.append({"id": name, **meaning, "defaultConfiguration": {"level": code.severity.value}})
    driver = {"name": "tritonpuzzles", "version": report.tritonpuzzles, "rules": rules}
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": not faulty}],
        "columnKind": "unicodeCodePoints",
        "results": [_result(note, codes.index(note.code)) for note in found],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(note: Note, rule: int) -> dict[str, Any]:
    told = {"ruleId": note.code, "ruleIndex": rule, "level": note.severity.value, "message": {"text": note.text}}
    if note.file is None:
        return told
    path, lines = from_workspace(note.file), source_lines(Path(note.file))
    line = lines[note.line - 1] if note.line is not None and 0 < note.line <= len(lines) else ""
    uri = Path(path).as_uri() if Path(path).is_absolute() else quote(path)
    region = {"region": {"startLine": note.line, "snippet": {"text": line}}} if note.line else {}
    print_of = hashlib.sha256("\n".join((note.code, path, line.strip())).encode()).hexdigest()
    return {
        **told,
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri}, **region}}],
        "partialFingerprints": {FINGERPRINT: print_of},
    }
