"""From a check's full result to the line that is kept of it: what pages and tables show, in at most 5 KB.

It includes notes for the instructor, which never change a verdict: names in a file's text that reach for the machine,
and failures in hidden cases. The sandbox refuses most such access: a note says that somebody wrote it, not that it ran.
Of a hidden case students read only the name.
"""

from __future__ import annotations

import ast
import json
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.decoding.decoder import Decoder
from tritonpuzzles.front.classroom.model import MOST_BYTES, VERSION, Outcome, Submitted, Told
from tritonpuzzles.front.text import some
from tritonpuzzles.results.check import Finding, PuzzleResult, Verdict, plain
from tritonpuzzles.results.codes import Severity
from tritonpuzzles.results.words import plural

MOST_FINDINGS = 4
MOST_CHARACTERS = 400  # of a sentence
MOST_LOADS = 8
MOST_NOTES = 8
FEWEST_CHARACTERS = 50
LINES = Decoder(text=MOST_BYTES, items=64, encodable=False)  # names of files are bytes, and need be no text
REACHES = "reaches-out"
DEADLINE = "deadline"
MOST = 4  # names in the sentence
MODULES = frozenset((
    "asyncio", "builtins", "cffi", "ctypes", "ftplib", "gc", "http", "importlib", "inspect", "marshal", "mmap",
    "multiprocessing", "pickle", "pty", "requests", "resource", "shutil", "signal", "smtplib", "socket", "ssl",
    "subprocess", "threading", "tritonpuzzles", "urllib",
))  # fmt: skip
CALLS = frozenset((
    "os.system", "os.popen", "os.fork", "os.kill", "os.remove", "os.unlink", "os.rename", "os.replace", "os.rmdir",
    "os.symlink", "os.link", "os.chmod", "os.walk", "os.scandir", "os.listdir", "os._exit", "sys.exit", "sys.settrace",
    "eval", "exec", "compile", "open", "__import__", "exit", "quit", "input",
))  # fmt: skip
PREFIXES = ("os.exec", "os.spawn", "os.posix_spawn", "sys._")
HIDDEN = "hidden-case"  # code of the notes for the instructor


def boiled(result: PuzzleResult, submitted: Submitted, key: str, sha256: str) -> Outcome:
    """Return what is kept of a check, and nothing of hidden cases but their names; `handed_in_by` adds the rest."""
    result = for_students(result, submitted.puzzle)
    benchmark = result.benchmark
    loads = [
        (item.tensor or item.argument, round(item.loaded_times, 3)) for item in result.traffic if item.loaded_bytes
    ]
    return Outcome(
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
        ValueError: if it is not a line of this version.
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
    case, step = (text and _cut(text, characters) for text in (told.case, told.next_step))
    return replace(told, message=_cut(told.message, characters), case=case, next_step=step)


def _telling(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings that are kept: errors first, otherwise in the report's order, which puts the cause first.

    Of findings that share code, line and next step and differ only in case, the first is kept.
    """
    weights = [*Severity]
    alike: dict[tuple[str, int | None, str | None], list[Finding]] = {}
    for finding in sorted(findings, key=lambda finding: weights.index(finding.severity)):
        alike.setdefault((finding.code, finding.line, finding.next_step), []).append(finding)
    return [_first(found[0], len({one.case for one in found}) - 1) for found in [*alike.values()][:MOST_FINDINGS]]


def _first(finding: Finding, more: int) -> Finding:
    """Return a finding whose message says how many more cases have the same."""
    first, *code = finding.message.split("\n", 1)
    told = f"{first} The same in {plural(more, 'more case')}." if more else first
    return replace(finding, message="\n".join([told, *code]))


def _told(finding: Finding) -> Told:
    told = Told(finding.code, finding.severity.value, finding.message, finding.line, finding.case, finding.next_step)
    return _told_shorter(told, MOST_CHARACTERS)


def _cut(text: str, characters: int) -> str:
    """Return a text, cut to a length with dots at its end if it is longer."""
    return text if len(text) <= characters else f"{text[: characters - 3].rstrip()}..."


def reaching(text: bytes) -> tuple[tuple[str, str], ...]:
    """Return a flag for what in a file's text reaches for files, processes, the network or the grader; else nothing."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a file's own backslashes
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    found: dict[str, int] = {}
    for name, line in _names(tree):
        found.setdefault(name, line)
    if not found:
        return ()
    shown = some([f"{name} (line {line})" for name, line in found.items()], MOST)
    return ((REACHES, f"The text names what no kernel needs: {shown}."),)


def _names(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield each such name with its line."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from ((alias.name, node.lineno) for alias in names if alias.name.partition(".")[0] in MODULES)
            case ast.ImportFrom(module=str(module)) if module.partition(".")[0] in MODULES:
                yield module, node.lineno
            case ast.ImportFrom(module=("os" | "sys") as module, names=names):
                yield from (
                    (f"{module}.{alias.name}", node.lineno) for alias in names if _is_call(f"{module}.{alias.name}")
                )
            case ast.Call(func=ast.Name(id=name)) if name in CALLS:
                yield name, node.lineno
            case ast.Attribute(value=ast.Name(id=("os" | "sys") as module), attr=name) if _is_call(f"{module}.{name}"):
                yield f"{module}.{name}", node.lineno


def _is_call(name: str) -> bool:
    return name in CALLS or name.startswith(PREFIXES)


def for_students(result: PuzzleResult, puzzle: Puzzle) -> PuzzleResult:
    """Return a result without a number, a line or a size of a hidden case.

    A file can choose in which case its traffic is excessive; traffic counted in a hidden case would reveal its size.
    """
    findings: list[Finding] = []
    for finding in result.findings:
        case = _hidden_in(finding, puzzle)
        known = finding if case is None else _named(finding, case, puzzle)
        if (case is None or finding.severity is Severity.ERROR) and known not in findings:
            findings.append(known)
    counted = any(case.hidden and case.name == result.traffic_case for case in puzzle.cases)
    return replace(result, findings=tuple(findings), traffic=() if counted else result.traffic)


def for_instructor(result: PuzzleResult, puzzle: Puzzle) -> tuple[tuple[str, str], ...]:
    """Return what was found in hidden cases, as notes that no student reads."""
    errors = [(_hidden_in(finding, puzzle), finding.message) for finding in result.errors]
    return tuple((HIDDEN, f'Hidden case "{case}": {message}') for case, message in errors if case is not None)


def _hidden_in(finding: Finding, puzzle: Puzzle) -> str | None:
    """Return the name of the hidden case that a finding belongs to or mentions."""
    names = (case.name for case in puzzle.cases if case.hidden)
    return next((name for name in names if finding.case == name or f'"{name}"' in finding.message), None)


def _named(finding: Finding, case: str, puzzle: Puzzle) -> Finding:
    step = f"Look for sizes, layouts and numbers that no case of tritonpuzzles check {puzzle.number} has."
    return Finding(finding.code, f'The hidden case "{case}" does not pass.', case=case, next_step=step)
