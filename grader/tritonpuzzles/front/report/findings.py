"""The findings: each kind once, the cause before the cost, with the learner's line and the next step."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from functools import cached_property, partial
from pathlib import Path

from rich.text import Text

from tritonpuzzles.front.glossary import find, words_in
from tritonpuzzles.front.page.model import (
    Block,
    Blocks,
    Brief,
    Fold,
    Heading,
    Item,
    Next,
    Paragraph,
    Prose,
    Quote,
    View,
)
from tritonpuzzles.front.report.naming import line_anchor, where
from tritonpuzzles.front.text import harmless, one_line
from tritonpuzzles.front.workspace.files import read_small
from tritonpuzzles.results.check import Finding, PuzzleResult
from tritonpuzzles.results.codes import Severity
from tritonpuzzles.results.cover import QUOTED, RIGHT, Group, account_of, grouped
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.results.words import listed

Anchor = Callable[[int], str]  # gives a line's name
LONGEST = 200  # characters of a line that is quoted
QUIET = frozenset({"register-spills", "cases-not-run"})  # shown with --verbose, by `inspect` or among the cases
CALLED = {
    "race-write-write": "stores of several programs to one place",
    "race-read-write": "reads of what another program stores",
    "race-in-program": "accesses to what another thread of the program stores",
    "written-twice": "elements that are stored twice",
    "kernel-error": "a kernel that stops",
    "out-of-bounds-load": "reads outside of a tensor",
    "out-of-bounds-store": "stores outside of a tensor",
}
SIGNS = {Severity.ERROR: ("✗", "bold red"), Severity.WARNING: ("!", "bold yellow"), Severity.NOTE: ("·", "bold blue")}


def finding_blocks(result: PuzzleResult, view: View) -> Blocks:
    """Return the section on the findings: errors that are causes in full, everything seen beside them in one line.

    A page folds what was seen beside them, and explains the words of the first.
    """
    anchor = partial(line_anchor, result) if view.linked else None
    told = [finding for finding in result.findings if view.verbose or finding.code not in QUIET]
    account, quotes = account_of(told), Quotes(result.file, anchor)
    if view.verbose or not account.open:
        return every_finding(told, result.file, anchor)
    blocks: list[Block] = [Heading("What is wrong"), *(_item(group, quotes) for group in account.open)]
    if more := (*account.beside, *account.notes):
        apart = quotes.copy()
        seen = [Paragraph(beside(account.beside), "dim", 4)] if account.beside else []
        title = beside(account.beside) if account.beside else "What else was seen"
        blocks.append(
            Brief(
                [*seen, *(_item(group, quotes) for group in account.notes)],
                [Fold(title, [_item(group, apart) for group in more])],
            )
        )
    return [*blocks, *_words(account.open)]


def every_finding(findings: Sequence[Finding], file: Submission, anchor: Anchor | None = None) -> Blocks:
    """Return a heading and the findings, each kind once; none if there are no findings."""
    groups = grouped(findings)
    if not groups:
        return []
    errors = any(group.is_error for group in groups)
    quotes = Quotes(file, anchor)
    title = Heading("What is wrong" if errors else "What was seen")
    return [title, *(_item(group, quotes) for group in groups), *_words(groups)]


def _words(groups: Sequence[Group]) -> Blocks:
    """Return the words of the first finding that the glossary explains, in one line below all findings."""
    first = groups[0].first
    words = words_in(f"{harmless(first.message).partition(chr(10))[0]} {one_line(first.next_step or '')}")
    if not words:
        return []
    named = ", ".join(words)
    explained = [Prose(entry.text) for entry in find(named)]
    return [Brief([Paragraph(f"Words: tritonpuzzles words {named}", "dim")], [Fold(f"Words: {named}", explained)])]


def beside(groups: Sequence[Group]) -> str:
    """Return what else was seen: `Seen beside that, and perhaps gone with it: race write write (line 30).`"""
    located = {group.first.code for group in groups if _lines_in_words(group)}
    told = (group for group in groups if _lines_in_words(group) or group.first.code not in located)
    words = []
    for group in told:
        code = one_line(group.first.code)
        words.append(CALLED.get(code, code.replace("-", " ")) + _lines_in_words(group))
    return f"Seen beside that, and perhaps gone with it: {'; '.join(words)}."


def _lines_in_words(group: Group) -> str:
    lines = [line for line in (group.first.line, *group.lines) if line is not None]
    return f" ({'line' if len(lines) == 1 else 'lines'} {', '.join(map(str, lines))})" if lines else ""


def the_same_in(group: Group) -> str:
    """Return in which other lines the same was seen: ` The same in lines 23 and 30.`"""
    if not group.lines:
        return ""
    return f" The same in line{'s' if len(group.lines) > 1 else ''} {listed(list(map(str, group.lines)))}."


def note_item(finding: Finding, quotes: Quotes) -> Item:
    """Return a finding as notes are shown, whatever its code weighs elsewhere."""
    return _item(grouped([finding])[0], quotes, Severity.NOTE)


def _item(group: Group, quotes: Quotes, severity: Severity | None = None) -> Item:
    severity = severity or group.first.severity
    sign, style = SIGNS[severity]
    sentence, *code = harmless(group.first.message).split("\n")
    text = Text()
    if severity is not Severity.ERROR:
        text.append(f"{severity.value}: ", style=style)
    text.append(sentence)
    text.append(the_same_in(group))
    text.append(seen_in(group), style="dim")
    body: list[Block] = [Paragraph(text, indent=0), quotes.of(group.first, code)]
    if right := group.first.details.get(RIGHT):
        named = "; ".join(one_line(str(one)) for one in right)
        body.append(Paragraph(f"✓ Right already: {named}.", "green", 0))
    if group.first.next_step:
        body.append(Next(one_line(group.first.next_step)))
    return Item(sign, style, body)


def seen_in(group: Group) -> str:
    """Return in how many cases something was seen, or in which one, where the message does not name it."""
    if len(group.cases) > 1:
        return f" In {len(group.cases)} cases."
    if not group.cases or group.cases[0] in group.first.message:
        return ""
    seen = group.first.details.get("cases")
    word = "Clearest in" if isinstance(seen, list) and len(seen) > 1 else "In"
    return f' {word} "{one_line(group.cases[0])}".'


def _same(path: str, other: str) -> bool:
    try:
        return os.path.realpath(path) == os.path.realpath(other)
    except ValueError:  # a null byte
        return False


class Quotes:
    """Quotes lines of the checked file, each once; for other files only the place, as a message may name any file."""

    def __init__(self, file: Submission, anchor: Anchor | None, quoted: Collection[tuple[str, int]] = ()) -> None:
        self._file, self._anchor = file, anchor
        self._quoted = set(quoted)

    def copy(self) -> Quotes:
        """Return another one that has quoted the same."""
        return Quotes(self._file, self._anchor, self._quoted)

    def of(self, finding: Finding, code: list[str]) -> Quote:
        """Return the place that a finding is about, and its source: `code`, where the message itself brought it."""
        source = [line for line in code if line.strip()]
        if finding.line is None:
            return Quote(None, source)
        path = finding.file or str(self._file)
        if (path, finding.line) in self._quoted:
            return Quote(None, [])
        self._quoted.add((path, finding.line))
        anchor = self._anchor if finding.file in (None, str(self._file)) else None
        place = where(finding.line, path, self._file)
        return Quote(place, source or self._line(finding, path, finding.line), anchor and anchor(finding.line))

    def _line(self, finding: Finding, path: str, line: int) -> list[str]:
        source = self._source if QUOTED not in finding.details and _same(path, str(self._file)) else []
        if QUOTED in finding.details:
            text = harmless(str(finding.details[QUOTED]))
        elif 0 < line <= len(source):
            text = source[line - 1].strip()
        else:
            return []
        return [f"{line} │ {text if len(text) <= LONGEST else f'{text[: LONGEST - 3]}...'}"]

    @cached_property
    def _source(self) -> list[str]:
        return source_lines(self._file.opened)


def source_of(path: Path) -> str:
    """Return the text of a source file, harmless.

    Raises:
        OSError: if it cannot be read.
    """
    return harmless(read_small(path).decode("utf-8-sig", "replace"))


def source_lines(path: Path) -> list[str]:
    """Return the lines of a source file; none if it cannot be read."""
    try:
        return source_of(path).split("\n")
    except (OSError, ValueError):
        return []
