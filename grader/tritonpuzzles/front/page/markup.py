"""The pieces of HTML that blocks are made of, and the frame of a page. Text that is not `Markup` is always escaped.

A page is one file that loads nothing, and in which nothing foreign can run.
"""

from __future__ import annotations

import functools
import io
from base64 import b64encode
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path

from markupsafe import Markup, escape
from rich.console import Console
from rich.segment import Segment
from rich.text import Text

from tritonpuzzles.front.page.model import Bar, Cell, Column, Link, Table, Words

GOOD, BAD, OPEN, NOTE, DIM = "tp-good", "tp-bad", "tp-open", "tp-note", "tp-dim"
COLOURS = {1: BAD, 2: GOOD, 3: OPEN, 4: NOTE, 5: BAD, 6: NOTE}  # by the number of the colour; from 8 on it is bright
_CONSOLE = Console(
    file=io.StringIO(), color_system=None, force_jupyter=False
)  # knows what styles are called; nothing is written to it
# Styles are inline, also on single elements (the bars of the report); pictures are data.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
_PAGE = Markup(
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    '<meta http-equiv="Content-Security-Policy" content="{}">\n'
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    '<meta name="color-scheme" content="light dark">\n'
    "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>\n{}\n</main>\n{}</body>\n</html>\n"
)


@functools.cache
def style() -> Markup:
    """Return the style sheet of a report, in its element."""
    return Markup("<style>\n{}</style>").format(Markup(Path(__file__).with_name("style.css").read_text()))


def styled(content: Markup) -> Markup:
    """Return content in its own block, with the style sheet."""
    return Markup('<div class="tp-report">\n{}\n{}\n</div>').format(style(), content)


def element(name: str, content: str, of: str = "") -> Markup:
    """Return `<name class="of">content</name>`."""
    attribute = Markup(' class="{}"').format(of) if of else ""
    return Markup("<{0}{1}>{2}</{0}>").format(name, attribute, content)


def joined(parts: Iterable[Markup]) -> Markup:
    """Return parts joined by line breaks."""
    return Markup("\n").join(parts)


def folded(summary: str, content: Markup, opened: bool = False) -> Markup:
    """Return content that a click opens, or closes."""
    is_open = Markup(" open") if opened else ""
    return Markup("<details{}><summary>{}</summary>\n{}\n</details>").format(is_open, summary, content)


def code(lines: Iterable[str]) -> Markup:
    """Return lines of source as they stand."""
    return element("pre", "\n".join(lines))


def link(address: str, content: str) -> Markup:
    """Return a link to an address."""
    return Markup('<a href="{}">{}</a>').format(address, content)


def data_uri(kind: str, data: bytes) -> Markup:
    """Return a picture as a data URI; `kind` is its media type: "image/png"."""
    return Markup("data:{};base64,{}").format(kind, b64encode(data).decode())


def words(text: Words, style: str = "", reworded: Callable[[str], str] = str) -> Markup:
    """Return text with its colours; `reworded` puts a piece of one colour into other words."""
    coloured = Text(text) if isinstance(text, str) else text.copy()
    coloured.stylize_before(style or coloured.style)
    return Markup("").join(_piece(segment, reworded) for segment in coloured.render(_CONSOLE))


def _piece(segment: Segment, reworded: Callable[[str], str]) -> Markup:
    text, style = escape(reworded(segment.text)), segment.style
    if style is None or not segment.text.strip():
        return text
    colour = style.color.number if style.color is not None else None
    kind = COLOURS.get(colour % 8, "") if colour is not None else DIM if style.dim else ""
    marked = element("span", text, kind) if kind else text
    return element("b", marked) if style.bold else marked


def bar(found: Bar) -> Markup:
    """Return a bar that takes a share of the available width."""
    share = min(max(found.value / found.most, 0.0), 1.0)
    colour = _CONSOLE.get_style(found.style).color
    of = COLOURS.get(colour.number or 0, "") if colour is not None else ""
    kind = f"{of} tp-hatched" if found.hatched else of
    return Markup('<span class="tp-bar {}" style="width:{:.1f}%"></span>').format(kind, 100 * share)


def table(found: Table) -> Markup:
    """Return a table, with a row of heads if it has any."""
    heads = Markup("")
    if any(column.head for column in found.columns):
        cells = Markup("").join(_cell("th", column.head, column) for column in found.columns)
        heads = element("thead", element("tr", cells)) + Markup("\n")
    rows = (map(_cell, ["td"] * len(row), row, found.columns) for row in found.rows)
    body = joined(element("tr", Markup("").join(row)) for row in rows)
    return element(
        "table", heads + element("tbody", Markup("\n{}\n").format(body)), f"tp-{found.kind}" if found.kind else ""
    )


def _cell(name: str, cell: Cell, column: Column) -> Markup:
    kinds = (("tp-right", column.right), ("tp-whole", column.whole))
    return element(name, _content(cell), " ".join(kind for kind, applies in kinds if applies))


def _content(cell: Cell) -> Markup:
    match cell:
        case Bar():
            return bar(cell)
        case Link():
            return link(cell.address, words(cell.words))
        case tuple():
            return Markup("<br>").join(map(_content, cell))
        case _:
            return words(cell)


def document(title: str, body: Markup, css: str = "", script: str = "") -> str:
    """Return a whole page; its own `css` is added to that of all pages.

    A script is one of ours; the policy contains its hash, so that no other script runs.
    """
    style = Markup(Path(__file__).with_name("page.css").read_text(encoding="utf-8") + css)
    element = Markup("<script>{}</script>\n").format(Markup(script)) if script else Markup("")
    return str(_PAGE.format(Markup(policy(script)), title, style, body, element))


def policy(script: str = "") -> str:
    """Return what a page may do: run nothing, or one script."""
    if not script:
        return POLICY
    digest = b64encode(sha256(script.encode()).digest()).decode()
    return f"{POLICY}; script-src 'sha256-{digest}'"
