"""Blocks as HTML, for notebooks and pages: nothing in them can run, and a text is never markup.

Where a sanitizer takes the style away, plain headings, lists and tables are left.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import groupby

from markupsafe import Markup, escape
from rich.text import Text

from tritonpuzzles.front.page import model
from tritonpuzzles.front.page.markup import DIM, bar, code, element, folded, heading, joined, link, styled, table, words
from tritonpuzzles.front.page.model import Block, Blocks, Item, Quote, Source, SourceLine
from tritonpuzzles.front.page.replay import replay_html

CONTINUED = 4  # columns by which a line's rest stands in, where it is broken
HANGING = Markup('<code style="--in: {}ch">{}</code>')
BELOW = Markup('<tr class="page-below {}"><td></td><td class="page-number"></td><td><div>{}</div></td></tr>')


def html(blocks: Blocks) -> str:
    """Return blocks as one `<div>`, with its style sheet."""
    return str(styled(fragment(blocks)))


def terminal_html(text: str, reworded: Callable[[str], str] = str) -> str:
    """Return what a terminal shows, in its colours, as one `<div>`; other escape sequences vanish.

    Args:
        text: as a command prints it.
        reworded: puts a piece of one colour into the words of where it is read.
    """
    lines = (words(Text.from_ansi(line), reworded=reworded) for line in text.rstrip().split("\n"))
    return str(styled(element("pre", joined(lines), "tp-terminal")))


def fragment(blocks: Blocks) -> Markup:
    """Return blocks as HTML; items that follow each other are one list."""
    parts: list[Markup] = []
    for are_items, run in groupby(blocks, lambda block: isinstance(block, model.Item)):
        shown = joined(map(_block, run))
        parts.append(element("ul", shown, "tp-plain") if are_items else shown)
    return joined(parts)


def _block(block: Block) -> Markup:
    match block:
        case model.Gap():
            return Markup("")
        case model.Title():
            return element("div", words(block.words), "tp-head")
        case model.Heading():
            return heading(block.title, block.rest)
        case model.Paragraph():
            return element("p", words(block.words, block.style))
        case model.Item():
            return _item(block)
        case model.Quote():
            return _quote(block)
        case model.Printed():
            more = element("p", f"... {block.more}", DIM) if block.more else Markup("")
            return element("div", code(block.lines), "tp-output") + more
        case model.Verbatim():
            return code([block.text.strip("\n")])
        case model.Prose():
            return _prose(block.markdown)
        case model.Next():
            step = link(block.link[1], block.link[0]) if block.link is not None else escape(block.step)
            return element("p", Markup("<b>Next:</b> {}").format(step), "tp-next")
        case model.Question():
            answers = element("ul", Markup("").join(element("li", answer) for answer in block.answers))
            return element("div", element("b", block.asked) + answers, "tp-question")
        case model.Bar():
            return bar(block)
        case model.Table():
            return table(block)
        case model.Replay():
            return replay_html(block)
        case model.Source():
            return _source(block)
        case model.Fold():
            return folded(block.title, fragment(block.content))
        case model.Brief():
            return fragment(block.whole)
        case model.Section():
            anchor = Markup(' id="{}"').format(block.anchor) if block.anchor else ""
            return Markup("<section{}>{}</section>").format(anchor, fragment(block.content))


def _item(item: Item) -> Markup:
    """Return an item; what it begins with stands on the line of its sign."""
    first, *rest = item.body
    begun = words(first.words, first.style) if isinstance(first, model.Paragraph) else _block(first)
    sign = words(item.sign, item.style)
    return element("li", Markup("{} {}\n{}").format(sign, begun, fragment(rest)))


def _quote(quote: Quote) -> Markup:
    parts = []
    if quote.place is not None:
        place = link(f"#{quote.anchor}", quote.place) if quote.anchor else quote.place
        parts.append(element("div", place, "tp-place"))
    return joined([*parts, *([code(quote.lines)] if quote.lines else [])])


def _prose(markdown: str) -> Markup:
    """Return an entry of the glossary: a paragraph, and code as it stands."""
    told, *fenced = re.split(r"^```\w*\n?", markdown, flags=re.MULTILINE)
    inline = re.sub(r"`([^`]*)`", r"<code>\1</code>", str(escape(" ".join(told.split()))))
    shown = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", inline)
    shown = re.sub(r"\*(\w[^*]*)\*", r"<i>\1</i>", shown)
    return element("p", Markup(shown)) + Markup("").join(code([block.rstrip()]) for block in fenced[::2])


def _source(source: Source) -> Markup:
    """Return lines of source as a table: what stands beside each, its number, the line, below it what is wrong."""
    rows = joined(map(_row, source.lines))
    return Markup('<div class="page-code"><table><tbody>\n{}\n</tbody></table></div>').format(rows)


def _row(line: SourceLine) -> Markup:
    margin = Markup("").join(element("span", label) for label in line.margin)
    cells = (
        element("td", margin, "page-margin"),
        element("td", str(line.number), "page-number"),
        element("td", HANGING.format(len(line.code) - len(line.code.lstrip()) + CONTINUED, line.code)),
    )
    kind = "page-moves" if line.margin else line.below[0].kind if line.below else ""
    row = Markup('<tr id="{}" class="{}">{}</tr>').format(line.anchor, kind, Markup("").join(cells))
    return joined([row, *(BELOW.format(said.kind, said.words) for said in line.below)])
