"""A report in SARIF 2.1.0 [1], for tools of code review: one result for each kind of finding at each place.

[1] OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0, 2020.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tritonpuzzles.front.report.problems import Note, from_workspace, notes
from tritonpuzzles.front.text import harmless
from tritonpuzzles.results.check import Report, Verdict
from tritonpuzzles.results.codes import Severity, code_named
from tritonpuzzles.results.submission import MAX_SOURCE_BYTES
from tritonpuzzles.sandbox import read_regular

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT = "tritonpuzzles/v1"  # of the code, the file and the text of the line: it stays where lines move
LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}


def log_of(report: Report) -> dict[str, Any]:
    """Return a report as a SARIF log with one run."""
    found = list(notes(report))
    codes = sorted({note.code for note in found})
    faulty = any(result.verdict is Verdict.INFRA_ERROR for result in report.results)
    driver = {"name": "tritonpuzzles", "version": report.tritonpuzzles, "rules": [_rule(code) for code in codes]}
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": not faulty}],
        "columnKind": "unicodeCodePoints",
        "results": [_result(note, codes.index(note.code)) for note in found],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(name: str) -> dict[str, Any]:
    code = code_named(name)
    meaning = {"shortDescription": {"text": code.meaning}} if code.meaning else {}
    return {"id": name, **meaning, "defaultConfiguration": {"level": LEVELS[code.severity]}}


def _result(note: Note, rule: int) -> dict[str, Any]:
    told = {"ruleId": note.code, "ruleIndex": rule, "level": LEVELS[note.severity], "message": {"text": note.text}}
    if note.file is None:
        return told
    path, line = from_workspace(note.file), _line(note.file, note.line)
    uri = Path(path).as_uri() if Path(path).is_absolute() else quote(path)
    region = {"region": {"startLine": note.line, "snippet": {"text": line}}} if note.line else {}
    print_of = hashlib.sha256("\n".join((note.code, path, line.strip())).encode()).hexdigest()
    return {
        **told,
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri}, **region}}],
        "partialFingerprints": {FINGERPRINT: print_of},
    }


def _line(file: str, line: int | None) -> str:
    lines = _text(file)
    return lines[line - 1] if line is not None and 0 < line <= len(lines) else ""


@cache
def _text(file: str) -> list[str]:
    try:
        return harmless(read_regular(Path(file), MAX_SOURCE_BYTES).decode("utf-8-sig", "replace")).split("\n")
    except (OSError, ValueError):
        return []
