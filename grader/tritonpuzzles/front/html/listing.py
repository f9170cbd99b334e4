"""A file's source as HTML, with what each line moves beside it and what is wrong with it below."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from tritonpuzzles.front.called import shared_names
from tritonpuzzles.front.html.paths import Folders
from tritonpuzzles.front.html.report.anchors import line_anchor
from tritonpuzzles.front.html.report.markup import element, folded
from tritonpuzzles.front.notebook.source import split
from tritonpuzzles.front.report.findings import QUIET, SIGNS
from tritonpuzzles.front.report.trace import moves
from tritonpuzzles.front.text import harmless
from tritonpuzzles.front.workspace.files import read_small
from tritonpuzzles.results.check import PuzzleResult
from tritonpuzzles.results.codes import Severity
from tritonpuzzles.results.cover import grouped

KINDS = {Severity.ERROR: "page-wrong", Severity.WARNING: "page-warning"}
CONTINUED = 4  # columns by which a line's rest stands in, where it is broken
HANGING = Markup('<code style="--in: {}ch">{}</code>')
BELOW = Markup('<td></td><td class="page-number"></td><td><div>{}</div></td>')
NEWLINE = "\n"


@dataclass(frozen=True)
class Said:
    """A finding below its line: a sentence, and a class of `page.css` for its colour."""

    words: str
    kind: str


def listing_html(result: PuzzleResult, folders: Folders) -> Markup:
    """Return the whole file that was checked, each line with an anchor, or why it cannot be shown."""
    try:
        source = harmless(read_small(result.file.opened).decode("utf-8-sig", "replace"))
    except OSError as error:
        return element("p", f"The file cannot be shown: {error.strerror}.", "page-dim")
    labels: dict[int, list[str]] = {}
    shared = shared_names(result.lines)
    for line in result.lines:
        if line.file == str(result.file):
            labels.setdefault(line.line, []).extend(moves(line, shared))
    said: dict[int, list[Said]] = {}
    for finding in (group.first for group in grouped(result.findings) if group.first.code not in QUIET):
        if finding.line and finding.file in (str(result.file), None):
            beneath = said.setdefault(finding.line, [])
            if finding.severity is not Severity.NOTE:
                words = f"{SIGNS[finding.severity][0]} {folders.cut(harmless(finding.message)).split(NEWLINE)[0]}"
                beneath.append(Said(words, KINDS[finding.severity]))
    return source_html(source.rstrip("\n").split("\n"), labels, said, lambda line: line_anchor(result, line))


def source_html(
    lines: Sequence[str],
    labels: Mapping[int, Sequence[str]],
    said: Mapping[int, Sequence[Said]],
    anchor: Callable[[int], str],
) -> Markup:
    """Return lines of source as tables: the story folded, where nothing is said of it, then the code.

    Args:
        lines: of the file, harmless.
        labels: line number from 1 -> what stands in its margin.
        said: line number -> what to write below it.
        anchor: gives a line's name, which links lead to.
    """
    rows = [
        _row(number, line, labels.get(number, ()), said.get(number, ()), anchor(number))
        for number, line in enumerate(lines, 1)
    ]
    end = split(NEWLINE.join(lines)).story.count(NEWLINE)
    if not end or any(number <= end for number in (*labels, *said)):
        return _table(rows)
    story = folded(f"The story, lines 1 to {end}", _table(rows[:end]))
    return Markup("\n").join([story, _table(rows[end:])])


def _table(rows: Sequence[Markup]) -> Markup:
    return Markup('<div class="page-code"><table><tbody>\n{}\n</tbody></table></div>').format(Markup("\n").join(rows))


def _row(number: int, line: str, labels: Sequence[str], said: Sequence[Said], anchor: str) -> Markup:
    margin = Markup("").join(element("span", label) for label in labels)
    cells = (
        element("td", margin, "page-margin"),
        element("td", str(number), "page-number"),
        element("td", HANGING.format(len(line) - len(line.lstrip()) + CONTINUED, line)),
    )
    kind = "page-moves" if labels else said[0].kind if said else ""
    rows = [Markup('<tr id="{}" class="{}">{}</tr>').format(anchor, kind, Markup("").join(cells))]
    rows += [element("tr", BELOW.format(one.words), f"page-below {one.kind}") for one in said]
    return Markup("\n").join(rows)
