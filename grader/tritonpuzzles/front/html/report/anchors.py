"""The places of a page that links lead to: what is said of a file, its pictures and code, and the lines of that."""

from __future__ import annotations

from markupsafe import Markup

from tritonpuzzles.results.check import PuzzleResult


def part_anchor(result: PuzzleResult) -> str:
    """Return the name of the place where a file's pictures and code begin."""
    return f"p{result.puzzle:02d}"


def report_anchor(result: PuzzleResult) -> str:
    """Return the name of the place where the report on a file begins."""
    return f"{part_anchor(result)}-report"


def line_anchor(result: PuzzleResult, line: int) -> str:
    """Return the name of a line of the file that was checked."""
    return f"{part_anchor(result)}-line-{line}"


def link(anchor: str, words: str) -> Markup:
    """Return a link to a place of the page."""
    return Markup('<a href="#{}">{}</a>').format(anchor, words)
