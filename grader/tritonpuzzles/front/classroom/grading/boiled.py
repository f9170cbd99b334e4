"""From all that a check tells to the line that is kept of it: what pages and tables show, in at most 5 KB."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import overload

from tritonpuzzles.decoding.decoder import Decoder
from tritonpuzzles.front.classroom.grading.flags import for_students
from tritonpuzzles.front.classroom.model import (
    MOST_BYTES,
    MOST_CHARACTERS,
    MOST_FINDINGS,
    VERSION,
    Outcome,
    Submitted,
    Told,
)
from tritonpuzzles.results.check import Finding, PuzzleResult, Verdict, plain
from tritonpuzzles.results.codes import Severity
from tritonpuzzles.results.words import plural

MOST_LOADS = 8
MOST_NOTES = 8
FEWEST_CHARACTERS = 50
LINES = Decoder(text=MOST_BYTES, items=64, encodable=False)  # names of files are bytes, and need be no text


def boiled(result: PuzzleResult, submitted: Submitted, key: str, sha256: str) -> Outcome:
    """Return what is kept of a check, and nothing of hidden cases but their names."""
    result = for_students(result, submitted.puzzle)
    benchmark = result.benchmark
    loads = [
        (item.tensor or item.argument, round(item.loaded_times, 3)) for item in result.traffic if item.loaded_bytes
    ]
    outcome = Outcome(
        key=key,
        student=submitted.student,
        puzzle=submitted.puzzle.number,
        slug=result.slug,
        file=submitted.shown,
        sha256=sha256,
        how=submitted.how,
        verdict=result.verdict.value,
        device=result.device,
        findings=tuple(map(_told, _telling(result.findings))),
        passed_cases=sum(case.verdict is Verdict.PASS for case in result.cases),
        cases=len(result.cases),
        stars=result.stars,
        loads=tuple(loads[:MOST_LOADS]),
        rate=None if benchmark is None else round(benchmark.rate, 3),
        unit="" if benchmark is None else benchmark.unit,
        seconds=round(result.seconds, 2),
    )
    return handed_in_by(submitted, outcome)


def handed_in_by(submitted: Submitted, outcome: Outcome) -> Outcome:
    """Return an outcome as that of a file with the same bytes: who handed it in, as what and when."""
    at = submitted.handed_in
    return replace(
        outcome,
        student=submitted.student,
        file=submitted.shown,
        how=submitted.how,
        handed_in=None if at is None else at.isoformat(),
        is_late=submitted.is_late,
        notes=tuple(_cut(note, MOST_CHARACTERS) for note in submitted.notes[:MOST_NOTES]),
    )


def line_of(outcome: Outcome) -> bytes:
    """Return an outcome as a line of JSON; where it is longer than it may be, sentences are cut, and then left out."""
    characters = MOST_CHARACTERS
    while len(line := _line(outcome)) > MOST_BYTES and (characters > FEWEST_CHARACTERS or len(outcome.findings) > 1):
        characters = max(FEWEST_CHARACTERS, characters // 2)
        fewer = outcome.findings if characters > FEWEST_CHARACTERS else outcome.findings[:-1] or outcome.findings
        outcome = _shorter(replace(outcome, findings=fewer), characters)
    return line


def read_line(line: bytes) -> Outcome:
    """Return the outcome of a line.

    Raises:
        ValueError: if it is none of this version.
    """
    found = LINES.read(Outcome, json.loads(line))
    if found.version != VERSION:
        raise ValueError(f"version {found.version} is not {VERSION}")
    return found


def _line(outcome: Outcome) -> bytes:
    return json.dumps(plain(outcome), separators=(",", ":")).encode() + b"\n"


def _shorter(outcome: Outcome, characters: int) -> Outcome:
    told = tuple(_told_shorter(one, characters) for one in outcome.findings)
    notes = tuple(_cut(note, characters) for note in outcome.notes)
    flags = tuple((code, _cut(text, characters)) for code, text in outcome.flags)
    how, file = _cut(outcome.how, characters), _cut(outcome.file, characters)
    return replace(outcome, findings=told, notes=notes, flags=flags, how=how, file=file)


def _told_shorter(told: Told, characters: int) -> Told:
    message, case, step = (_cut(text, characters) for text in (told.message, told.case, told.next_step))
    return replace(told, message=message or "", case=case, next_step=step)


def _telling(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings that are kept: errors first, and among these the cause, as a report has them.

    Of those with one code, line and next step, which differ in their cases, the first stands for all.
    """
    weights = [*Severity]
    alike: dict[tuple[str, int | None, str | None], list[Finding]] = {}
    for finding in sorted(findings, key=lambda finding: weights.index(finding.severity)):
        alike.setdefault((finding.code, finding.line, finding.next_step), []).append(finding)
    kept = [*alike.values()][:MOST_FINDINGS]
    return [_first(found[0], len({one.case for one in found}) - 1) for found in kept]


def _first(finding: Finding, more: int) -> Finding:
    """Return a finding that says how many more cases have the like."""
    first, *code = finding.message.split("\n", 1)
    told = f"{first} The same in {plural(more, 'more case')}." if more else first
    return replace(finding, message="\n".join([told, *code]))


def _told(finding: Finding) -> Told:
    return Told(
        finding.code,
        finding.severity.value,
        _cut(finding.message, MOST_CHARACTERS),
        finding.line,
        _cut(finding.case, MOST_CHARACTERS),
        _cut(finding.next_step, MOST_CHARACTERS),
    )


@overload
def _cut(text: str, characters: int) -> str: ...
@overload
def _cut(text: None, characters: int) -> None: ...
def _cut(text: str | None, characters: int) -> str | None:
    """Return a text, or its beginning with dots behind it."""
    return text if text is None or len(text) <= characters else f"{text[: characters - 3].rstrip()}..."
