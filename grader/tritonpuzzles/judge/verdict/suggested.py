"""The line of a file in which a mistake probably stands. It is read as text: nothing of it is run."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from pathlib import Path

from tritonpuzzles.curriculum.mistakes import Mistake
from tritonpuzzles.judge.verdict.loops import Loop, loops_of, moves_on
from tritonpuzzles.judge.verdict.moved import step_made
from tritonpuzzles.judge.verdict.parsed import constants_of
from tritonpuzzles.judge.verdict.vocabulary import spoken
from tritonpuzzles.results.submission import MAX_SOURCE_BYTES
from tritonpuzzles.results.words import listed
from tritonpuzzles.sandbox import read_regular

QUOTES = re.compile(r"^\s*[rR]?(\"{3}|'{3})")

TOKENS = re.compile(r"<<|>>|[<>=!]=|[<>=&|,:()\[\]{}]|\b(?:and|or|if|else)\b")
COMPARISONS = frozenset({"<", ">", "<=", ">=", "==", "!="})


def suggest_line(
    path: Path, patterns: Sequence[str], among: Container[int] | None = None, host: bool = False
) -> int | None:
    """Return the first line inside a kernel, or of some of its lines, that matches the first pattern that any does.

    Args:
        path: of the file.
        patterns: regular expressions, the surest first.
        among: numbers of the lines that are asked for; all where it is `None`.
        host: look inside functions and classes that are no kernels, in place of kernels.
    """
    return next(iter(lines_like(path, patterns, among, host)), None)


def lines_like(
    path: Path, patterns: Sequence[str], among: Container[int] | None = None, host: bool = False
) -> list[int]:
    """Return all lines that match the first pattern that any does; see `suggest_line`."""
    lines = [(number, line) for number, line in _code_lines(path, host) if among is None or number in among]
    for pattern in (spoken(pattern, path) for pattern in patterns):
        found = [number for number, line in lines if re.search(pattern, line)]
        if found or (found := _through_constants(pattern, lines, path)):
            return found
    return []


def _through_constants(pattern: str, lines: Sequence[tuple[int, str]], path: Path) -> list[int]:
    """Return where the constants are defined with whose numbers in place of their names a line matches a pattern."""
    found: dict[int, None] = {}
    for _, line in lines:
        for name, constant in constants_of(path).items():
            text = re.sub(rf"\b{name}\b", constant.text, line)
            if text != line and re.search(pattern, text):
                found[constant.line] = None
    return list(found)


def line_of(path: Path, mistake: Mistake) -> int | None:
    """Return the line in which a mistake probably stands; its patterns may name variables in braces, as texts do.

    Of a mistake of loops that stand still, a line in the body of the first of them, or its `for`, or a load that stays
    where it is in a loop that moves on: loops that are right may look like the mistake, too.
    """
    if not mistake.still:
        line = suggest_line(path, mistake.lines, host=mistake.host)
        return None if line is None else step_made(path, line)
    still = _still(path)
    if still:
        body = range(still[0].line + 1, still[0].last_line + 1)
        return suggest_line(path, mistake.lines, body) or still[0].line
    staying = [line for loop in loops_of(path) for line in sorted(loop.staying)]
    return suggest_line(path, mistake.lines, staying) or suggest_line(path, mistake.lines)


def rules_out(path: Path, mistake: Mistake) -> bool:
    """Return whether the text of a file's kernels tells that they have not made a mistake.

    Its `unless`, `needs` and `moving` say how.
    """
    if mistake.moving and any(loop.is_still or loop.ends_early for loop in loops_of(path)):
        return True
    if mistake.still and moves_on(path):
        return True
    if mistake.needs is None and mistake.unless is None:  # most: the file need not be read
        return False
    lines = _with_numbers([line for _, line in _code_lines(path)], path)
    if mistake.needs is not None and not any(re.search(mistake.needs, line) for line in lines):
        return True
    if mistake.unless is None:
        return False
    which, harmless = mistake.unless
    found = [line for line in lines if re.search(which, line)]
    return bool(found) and all(re.search(harmless, line) for line in found)


def _with_numbers(lines: Sequence[str], path: Path) -> list[str]:
    """Return lines with what a constant of the file is in place of its name."""
    constants = constants_of(path)
    if not constants:
        return list(lines)
    names = re.compile(rf"\b({'|'.join(map(re.escape, constants))})\b(?!\s*(?::[^=]*)?=(?!=))")
    return [names.sub(lambda found: constants[found[1]].text, line) for line in lines]


def still_loops(path: Path) -> str:
    """Return a sentence on the loops that take the same tile in every turn; "" where there are none."""
    still = _still(path)
    if not still:
        return ""
    lines = listed([str(loop.line) for loop in still])
    names = list(dict.fromkeys(loop.variable for loop in still if loop.variable != "_"))
    depends = f"depends on {listed(names)}" if names else "changes"
    return f" No address in the loop{'s' * (len(still) > 1)} of line{'s' * (len(still) > 1)} {lines} {depends}."


def _still(path: Path) -> list[Loop]:
    return [loop for loop in loops_of(path) if loop.is_still]


def chained_comparison(path: Path) -> tuple[int, str] | None:
    """Return a line inside a kernel that joins comparisons by & or | without brackets, and what Python makes of it."""
    for number, line in _code_lines(path):
        joint = _joint(line)
        if joint is not None:
            text = f"Line {number} joins comparisons by {joint} without brackets. {joint} binds more tightly than <: "
            return number, f"{text}a < b {joint} c < d is a < (b {joint} c) < d."
    return None


def _code_lines(path: Path, host: bool = False) -> list[tuple[int, str]]:
    """Return the lines inside kernels, or inside all else, with their numbers; none of a file that cannot be read."""
    try:
        text = read_regular(path, MAX_SOURCE_BYTES).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return []
    return list(_code(_inside(text.splitlines(), kernels=not host)))


def _joint(line: str) -> str | None:
    """Return the & or | that stands between two comparisons of a line, and in no brackets that they are not in."""
    levels = [("", "")]  # of each open bracket: the last comparison, and the & or | behind it
    for token in TOKENS.findall(line):
        compared, joint = levels[-1]
        if token in "([{":
            levels.append(("", ""))
        elif token in ")]}":
            levels = levels[:-1] or [("", "")]
        elif token in ("&", "|"):
            levels[-1] = compared, token if compared else ""
        elif token in COMPARISONS:
            if joint:
                return joint
            levels[-1] = token, ""
        elif token not in ("<<", ">>"):  # what ends an expression
            levels[-1] = "", ""
    return None


def _inside(lines: Sequence[str], kernels: bool) -> Iterator[tuple[int, str]]:
    """Yield the lines inside kernels, behind their parameters, or inside what is none, with their numbers."""
    in_kernel = in_parameters = decorated = False
    for number, line in enumerate(lines, 1):
        if line and not line[0].isspace() and not line.startswith((")", "#")):
            in_kernel = decorated and line.startswith("def ")
            decorated = line.startswith("@") and (decorated or "jit" in line)
            in_parameters = in_kernel and not _ends_head(line)
        elif in_parameters:
            in_parameters = not _ends_head(line)
        elif in_kernel is kernels:
            yield number, line


def _ends_head(line: str) -> bool:
    """Return whether a line is the last of a function's head."""
    return line.split("#")[0].rstrip().endswith(":")


def _code(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield lines without their comments, and none of a docstring."""
    quotes = ""
    for number, line in lines:
        opened = None if quotes else QUOTES.match(line)
        if quotes or opened:
            rest = line[opened.end() :] if opened else line
            quotes = quotes or (opened[1] if opened else "")
            quotes = "" if quotes in rest else quotes
        else:
            yield number, line.split("#")[0]
