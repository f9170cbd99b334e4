"""The line of a file in which a mistake probably stands."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Sequence
from functools import lru_cache

from tritonpuzzles.curriculum.mistakes import Mistake
from tritonpuzzles.judge.verdict.vocabulary import spoken
from tritonpuzzles.results.words import listed
from tritonpuzzles.source import Source

JOINTS: dict[type[ast.operator], str] = {ast.BitAnd: "&", ast.BitOr: "|"}


def suggest_line(
    source: Source, patterns: Sequence[str], among: Container[int] | None = None, host: bool = False
) -> int | None:
    """Return the first line inside a kernel, or of some of its lines, that matches the first pattern that any does.

    Args:
        source: the file's text.
        patterns: regular expressions, the surest first.
        among: numbers of the lines that are asked for; all where it is `None`.
        host: look inside functions and classes that are no kernels, in place of kernels.
    """
    return next(iter(lines_like(source, patterns, among, host)), None)


def lines_like(
    source: Source, patterns: Sequence[str], among: Container[int] | None = None, host: bool = False
) -> list[int]:
    """Return all lines that match the first pattern that any does; see `suggest_line`.

    A line that matches with a constant's number in place of its name is told where the constant is defined.
    """
    lines = [(number, line) for number, line in source.lines(host) if among is None or number in among]
    for pattern in (spoken(pattern, source) for pattern in patterns):
        found = [number for number, line in lines if re.search(pattern, line)]
        if found or (found := _constants_like(source, pattern, [line for _, line in lines])):
            return found
    return []


def _constants_like(source: Source, pattern: str, lines: Sequence[str]) -> list[int]:
    pairs = [(line, name, constant) for line in lines for name, constant in source.constants.items()]
    spelled = [(line, re.sub(rf"\b{name}\b", constant.text, line), constant) for line, name, constant in pairs]
    found = [constant.line for line, text, constant in spelled if text != line and re.search(pattern, text)]
    return list(dict.fromkeys(found))


def line_of(source: Source, mistake: Mistake) -> int | None:
    """Return the line in which a mistake probably stands; its patterns may name variables in braces, as texts do.

    Of a mistake of loops that stand still, a line in the body of the first of them, or its `for`, or a load that stays
    where it is in a loop that moves on: loops that are right may look like the mistake, too.
    """
    if not mistake.still:
        line = suggest_line(source, mistake.lines, host=mistake.host)
        return None if line is None else source.step_made(line)
    for loop in source.walks:
        if loop.is_still:
            return suggest_line(source, mistake.lines, range(loop.line + 1, loop.last_line + 1)) or loop.line
    staying = {line for loop in source.walks for line in loop.staying("load")}
    return suggest_line(source, mistake.lines, staying) or suggest_line(source, mistake.lines)


def rules_out(source: Source, mistake: Mistake) -> bool:
    """Return whether the text of a file's kernels tells that they have not made a mistake.

    Its `unless`, `needs` and `moving` say how.
    """
    walks = source.walks
    if mistake.moving and any(loop.is_still or loop.ends_early for loop in walks):
        return True
    over_ranges = mistake.still and len(source.loops) == len(walks) > 0
    if over_ranges and not any(loop.is_still or loop.staying("load") for loop in walks):
        return True
    lines = _with_numbers(source)
    if mistake.needs is not None and not any(re.search(mistake.needs, line) for line in lines):
        return True
    if mistake.unless is None:
        return False
    which, harmless = mistake.unless
    found = [line for line in lines if re.search(which, line)]
    return bool(found) and all(re.search(harmless, line) for line in found)


@lru_cache(maxsize=4)
def _with_numbers(source: Source) -> list[str]:
    """Return the lines of a file's kernels with what a constant of the file is in place of its name."""
    constants = source.constants
    if not constants:
        return [line for _, line in source.lines()]
    names = re.compile(rf"\b({'|'.join(map(re.escape, constants))})\b(?!\s*(?::[^=]*)?=(?!=))")
    return [names.sub(lambda found: constants[found[1]].text, line) for _, line in source.lines()]


def still_loops(source: Source) -> str:
    """Return a sentence on the loops that take the same tile in every iteration; "" where there are none."""
    still = [loop for loop in source.walks if loop.is_still]
    if not still:
        return ""
    lines = listed([str(loop.line) for loop in still])
    names = list(dict.fromkeys(loop.variable for loop in still if loop.variable != "_"))
    depends = f"depends on {listed(names)}" if names else "changes"
    return f" No address in the loop{'s' * (len(still) > 1)} of line{'s' * (len(still) > 1)} {lines} {depends}."


def chained_comparison(source: Source) -> tuple[int, str] | None:
    """Return a line inside a kernel that joins comparisons by & or | without brackets, and what Python makes of it."""
    compared = [node for kernel in source.kernels for node in kernel.nodes if isinstance(node, ast.Compare)]
    middles = [middle for node in compared for middle in node.comparators[:-1]]
    for middle in sorted(middles, key=lambda middle: middle.lineno):
        joint = JOINTS.get(type(middle.op)) if isinstance(middle, ast.BinOp) else None
        if joint is not None and not source.data[: source.span(middle)[0]].rstrip().endswith(b"("):
            text = f"Line {middle.lineno} joins comparisons by {joint} without brackets. "
            return (
                middle.lineno,
                f"{text}{joint} binds more tightly than <: a < b {joint} c < d is a < (b {joint} c) < d.",
            )
    return None
