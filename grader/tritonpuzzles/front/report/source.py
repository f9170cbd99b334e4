"""Source files: functions, found without importing the file, and a whole file with what is said of its lines."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Container, Iterator
from dataclasses import dataclass
from pathlib import Path

from tritonpuzzles.front.page.model import Blocks, Fold, Paragraph, Said, Source, SourceLine
from tritonpuzzles.front.report.findings import QUIET, SIGNS
from tritonpuzzles.front.report.naming import line_anchor
from tritonpuzzles.front.report.traffic import times
from tritonpuzzles.front.story import split
from tritonpuzzles.front.text import called, harmless, shared_names
from tritonpuzzles.front.workspace.files import read_small
from tritonpuzzles.results.check import PuzzleResult
from tritonpuzzles.results.codes import Severity
from tritonpuzzles.results.cover import grouped
from tritonpuzzles.results.traffic import LineTraffic
from tritonpuzzles.results.words import plural

KINDS = {Severity.ERROR: "page-wrong", Severity.WARNING: "page-warning"}


@dataclass(frozen=True)
class Listing:
    """Some lines of a file that belong together; `first` is the number of the first, counted from 1."""

    name: str
    first: int
    lines: tuple[str, ...]


def listings(path: Path, names: Collection[str], numbers: Collection[int]) -> list[Listing]:
    """Return the functions of a file that are called so or hold one of the lines, decorators included.

    Returns:
        In the order of the file; nothing for a file that cannot be read or does not parse.
    """
    try:
        source = harmless(_read(path))
        functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    except (OSError, SyntaxError, ValueError, RecursionError):
        return []
    spans = {(_first(node), node.end_lineno or node.lineno): node.name for node in functions}
    wanted = sorted(
        (first, last)
        for (first, last), name in spans.items()
        if name in names or any(first <= number <= last for number in numbers)
    )
    lines = source.split("\n")
    outer = [span for span in wanted if not any(o[0] <= span[0] and span[1] <= o[1] and o != span for o in wanted)]
    return [Listing(spans[first, last], first, tuple(lines[first - 1 : last])) for first, last in outer]


def _first(node: ast.FunctionDef) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def moves(line: LineTraffic, shared: Container[str] = ()) -> Iterator[str]:
    """Yield what a line does to a tensor: `x_ptr read 1.00x`; see `called`."""
    kinds = {"read": line.loaded_bytes, "written": line.stored_bytes, "atomic": line.atomic_bytes}
    for word, moved in kinds.items():
        if moved:
            amount = times(moved / line.tensor_bytes) if line.tensor_bytes else plural(moved, "byte")
            yield f"{called(line, shared)} {word} {amount}"


def margins(result: PuzzleResult) -> dict[int, list[str]]:
    """Return what lines of the file that was checked move, by their numbers."""
    found: dict[int, list[str]] = {}
    shared = shared_names(result.lines)
    for line in result.lines:
        if line.file == str(result.file):
            found.setdefault(line.line, []).extend(moves(line, shared))
    return found


def file_blocks(result: PuzzleResult, cut: Callable[[str], str]) -> Blocks:
    """Return the whole file that was checked, each line with an anchor, or why it cannot be shown.

    The story is folded, where nothing is said of it.
    """
    try:
        text = harmless(_read(result.file.opened)).rstrip("\n")
    except OSError as error:
        return [Paragraph(f"The file cannot be shown: {error.strerror}.", "dim")]
    margin, said = margins(result), _said(result, cut)
    lines = [
        SourceLine(number, line, margin.get(number, ()), said.get(number, ()), line_anchor(result, number))
        for number, line in enumerate(text.split("\n"), 1)
    ]
    end = split(text).story.count("\n")
    if not end or any(number <= end for number in (*margin, *said)):
        return [Source(lines)]
    return [Fold(f"The story, lines 1 to {end}", [Source(lines[:end])]), Source(lines[end:])]


def _said(result: PuzzleResult, cut: Callable[[str], str]) -> dict[int, list[Said]]:
    """Return what is wrong with lines of the file; of a note its line alone, which is not folded then."""
    said: dict[int, list[Said]] = {}
    for finding in (group.first for group in grouped(result.findings) if group.first.code not in QUIET):
        if finding.line and finding.file in (str(result.file), None):
            below = said.setdefault(finding.line, [])
            if finding.severity is not Severity.NOTE:
                words = f"{SIGNS[finding.severity][0]} {cut(harmless(finding.message)).partition(chr(10))[0]}"
                below.append(Said(words, KINDS[finding.severity]))
    return said


def _read(path: Path) -> str:
    return read_small(path).decode("utf-8-sig", "replace")
