"""Blocks as HTML, for notebooks and pages: nothing in them can run, and a text is never markup.

If a sanitizer removes the style, plain headings, lists and tables are left. A replay of one program needs no script:
every assignment is a radio button, so the arrow keys move between them, and style sheets show the panel and the line
of the selected one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from secrets import token_hex

from markupsafe import Markup, escape
from rich.text import Text

from tritonpuzzles.front.page import model
from tritonpuzzles.front.page.markup import (
    BAD,
    DIM,
    GOOD,
    bar,
    code,
    element,
    folded,
    joined,
    link,
    styled,
    table,
    words,
)
from tritonpuzzles.front.text import one_line, six_digits
from tritonpuzzles.results.states import RowStates, VariableValue

CONTINUED = 4  # columns by which the rest of a wrapped line is indented
HANGING = Markup('<code style="--in: {}ch">{}</code>')
BELOW = Markup('<tr class="page-below {}"><td></td><td class="page-number"></td><td><div>{}</div></td></tr>')
KEEPS_ITS_KEYS = Markup(' data-lm-suppress-shortcuts="true"')  # else JupyterLab takes the arrow keys
REPLAYED = (
    model.Column(),
    model.Column("variable"),
    model.Column("held", right=True),
    model.Column("right", right=True),
    model.Column(),
)


def html(blocks: model.Blocks) -> str:
    """Return blocks as one `<div>`, with its style sheet."""
    return str(styled(fragment(blocks)))


def terminal_html(text: str, reworded: Callable[[str], str] = str) -> str:
    """Return what a terminal shows, in its colours, as one `<div>`; other escape sequences vanish."""
    lines = (words(Text.from_ansi(line), reworded=reworded) for line in text.rstrip().split("\n"))
    return str(styled(element("pre", joined(lines), "tp-terminal")))


def fragment(blocks: model.Blocks) -> Markup:
    """Return blocks as HTML; items that follow each other are one list."""
    parts: list[Markup] = []
    for are_items, run in groupby(blocks, lambda block: isinstance(block, model.Item)):
        shown = joined(map(_block, run))
        parts.append(element("ul", shown, "tp-plain") if are_items else shown)
    return joined(parts)


def _block(block: model.Block) -> Markup:
    match block:
        case model.Gap():
            return Markup("")
        case model.Title():
            return element("div", words(block.words), "tp-head")
        case model.Heading():
            beside = Markup(" ") + element("span", block.rest, DIM) if block.rest else Markup("")
            return element("h4", escape(block.title) + beside)
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
            return _replay(block)
        case model.Source():
            return _source(block)
        case model.Fold():
            return folded(block.title, fragment(block.content))
        case model.Brief():
            return fragment(block.whole)
        case model.Section():
            anchor = Markup(' id="{}"').format(block.anchor) if block.anchor else ""
            return Markup("<section{}>{}</section>").format(anchor, fragment(block.content))


def _item(item: model.Item) -> Markup:
    """Return an item; what it begins with stands on the line of its sign."""
    first, *rest = item.body
    begun = words(first.words, first.style) if isinstance(first, model.Paragraph) else _block(first)
    sign = words(item.sign, item.style)
    return element("li", Markup("{} {}\n{}").format(sign, begun, fragment(rest)))


def _quote(quote: model.Quote) -> Markup:
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


def _source(source: model.Source) -> Markup:
    """Return lines of source as a table: margin, number, line, and below it what is wrong."""
    rows = joined(map(_row, source.lines))
    return Markup('<div class="page-code"><table><tbody>\n{}\n</tbody></table></div>').format(rows)


def _row(line: model.SourceLine) -> Markup:
    margin = Markup("").join(element("span", label) for label in line.margin)
    cells = (
        element("td", margin, "page-margin"),
        element("td", str(line.number), "page-number"),
        element("td", HANGING.format(len(line.code) - len(line.code.lstrip()) + CONTINUED, line.code)),
    )
    kind = "page-moves" if line.margin else line.below[0].kind if line.below else ""
    row = Markup('<tr id="{}" class="{}">{}</tr>').format(line.anchor, kind, Markup("").join(cells))
    return joined([row, *(BELOW.format(said.kind, said.words) for said in line.below)])


def _replay(replay: model.Replay) -> Markup:
    """Return the assignments of one program, in a fold."""
    states, name = replay.states, f"tp-{token_hex(4)}"
    steps = states.variables
    parts = [
        element("style", joined(_rules(steps, name))),
        element("p", "Each button is one assignment; the arrow keys walk through them.", "tp-dim"),
        Markup('<div class="tp-steps" role="radiogroup" aria-label="steps">{}</div>').format(
            Markup("").join(_buttons(steps, name))
        ),
        *(_panel(states, step) for step in range(len(steps))),
        *(element("pre", Markup("").join(map(_replayed_line, lines)), "tp-replayed") for lines in replay.code),
    ]
    inner = Markup('<div class="tp-replay" id="{}">\n{}\n</div>').format(name, joined(parts))
    return folded(f"Replay of the program of {states.row_word} {states.row}", inner, replay.opened)


def _rules(steps: Sequence[VariableValue], name: str) -> Iterator[Markup]:
    """Yield what shows the panel and the line of the step that is chosen."""
    for step, one in enumerate(steps):
        chosen = Markup("#{0}:has(#{0}-{1}:checked)").format(name, step)
        yield Markup("{0} .tp-at-{1} {{ display: block; }}").format(chosen, step)
        yield Markup("{0} .tp-line-{1} {{ background: var(--tp-lit); box-shadow: {2}; }}").format(
            chosen, one.line, "inset 0.35em 0 var(--tp-open)"
        )


def _buttons(steps: Sequence[VariableValue], name: str) -> Iterator[Markup]:
    start = next((step for step, one in enumerate(steps) if not one.right), 0)
    turn = 0
    for step, one in enumerate(steps):
        if one.turn != turn:
            turn = one.turn
            yield element("span", f"iteration {turn}", "tp-turn")
        checked = Markup(" checked") if step == start else ""
        yield Markup(
            '<input type="radio" name="{0}" id="{0}-{1}" class="{2}" aria-label="{3}" title="{3}"{4}{5}>'
        ).format(name, step, GOOD if one.right else BAD, _step_words(one), checked, KEEPS_ITS_KEYS)


def _panel(states: RowStates, step: int) -> Markup:
    """Return what is known after a step: the row as a bar with the tile lit, and the latest value of each variable.

    A variable without a value yet has an empty line, so that the lines below do not move.
    """
    steps, one = states.variables, states.variables[step]
    latest: dict[str, VariableValue | None] = dict.fromkeys(step.name for step in steps)
    latest.update((before.name, before) for before in steps[: step + 1])
    rows = [
        ("", one_line(name), "", "", "")
        if held is None
        else (model.RIGHT if held.right else model.WRONG, one_line(name), *_numbers(held), held.quantity)
        for name, held in latest.items()
    ]
    first, last = one.tile
    items = max(states.items, 1)
    left, width = 100 * first / items, 100 * (last + 1 - first) / items
    bar = Markup(
        '<div class="tp-row" role="img" aria-label="{0}"><span style="left:{1:.2f}%;width:{2:.2f}%"></span></div>\n'
        '<p class="tp-dim">{0}</p>'
    ).format(f"{states.item_word}s {first} to {last} of {states.items}", left, width)
    parts = [element("p", _step_words(one)), bar, table(model.Table(REPLAYED, rows, "numbers"))]
    return element("div", joined(parts), f"tp-panel tp-at-{step}")


def _step_words(one: VariableValue) -> str:
    held, right = _numbers(one)
    wrong = "" if one.right else f", where {right} is right"
    return f"iteration {one.turn}, line {one.line}: {one_line(one.name)} is {held}{wrong}"


def _numbers(one: VariableValue) -> tuple[str, str]:
    return six_digits(one.got), six_digits(one.expected)


def _replayed_line(line: model.SourceLine) -> Markup:
    return Markup('<span class="tp-line tp-line-{}"><span class="tp-dim">{:>4}</span> {}</span>').format(
        line.number, line.number, line.code
    )
