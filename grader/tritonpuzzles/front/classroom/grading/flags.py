"""Notes for the instructor, never a verdict: what in a file's text reaches for the machine, what hidden cases found.

The sandbox refuses most of what reaches out: a note says that somebody wrote it, not that it ran. Of a hidden case
students read the name alone.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from dataclasses import replace

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.results.check import Finding, PuzzleResult
from tritonpuzzles.results.codes import Severity

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
    shown = ", ".join(f"{name} (line {line})" for name, line in [*found.items()][:MOST])
    more = f" and {len(found) - MOST} more" if len(found) > MOST else ""
    return ((REACHES, f"The text names what no kernel needs: {shown}{more}."),)


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

    What a case is too much of, a file chooses itself: traffic counted in a hidden case would tell how large that is.
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
    """Return the hidden case that a finding is of, or names."""
    names = (case.name for case in puzzle.cases if case.hidden)
    return next((name for name in names if finding.case == name or f'"{name}"' in finding.message), None)


def _named(finding: Finding, case: str, puzzle: Puzzle) -> Finding:
    step = f"Look for sizes, layouts and numbers that no case of tritonpuzzles check {puzzle.number} has."
    return Finding(finding.code, f'The hidden case "{case}" does not pass.', case=case, next_step=step)
