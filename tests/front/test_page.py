"""The blocks: whatever a learner wrote goes through every one of them as text, on a page and on a terminal."""

from __future__ import annotations

from dataclasses import is_dataclass

import pytest
from rich.text import Text

from tests.front.test_html import HOSTILE, Elements
from tritonpuzzles.front.console import printed
from tritonpuzzles.front.page import model
from tritonpuzzles.front.page.html import html, terminal_html
from tritonpuzzles.front.page.terminal import rendered
from tritonpuzzles.results.states import ElementValue, RowStates, VariableValue

X = HOSTILE
LINE = model.SourceLine(1, X, [X], [model.Said(X, X)], X)
STATES = RowStates(
    X,
    X,
    0,
    X,
    X,
    8,
    (ElementValue((0,), 1.0, 2.0, right=False),),
    (VariableValue(1, (0, 7), 1, X, X, 1.0, 2.0, False),),
    X,
)
TABLE = model.Table(
    [model.Column(X), model.Column(on_page=True)], [[X, model.Link(X, X)], [(X, Text(X, "bold red")), X]], X
)
BLOCKS: list[model.Block] = [
    model.Title(Text(X)),
    model.Heading(X, X),
    model.Paragraph(X, "dim"),
    model.Item(X, "bold red", [model.Paragraph(Text.assemble((X, "green"), X)), model.Paragraph(X)]),
    model.Quote(X, [X, X], X),
    model.Printed([X], X),
    model.Verbatim(X),
    model.Prose(f"**{X}** `{X}` *{X}*\n```python\n{X}\n```"),
    model.Next(X),
    model.Next(X, (X, X)),
    model.Question(X, [X]),
    TABLE,
    model.Source([LINE]),
    model.Replay(STATES, TABLE, [[LINE]], opened=True),
    model.Fold(X, [model.Paragraph(X)]),
    model.Brief([model.Paragraph(X)], [model.Paragraph(X)]),
    model.Section([model.Paragraph(X)], X),
    model.Bar(1, 2, "bold red", 8),
    model.Gap(),
]
ATTRIBUTES = {
    "id", "class", "style", "href", "type", "name", "title", "aria-label", "role", "checked", "open",
    "data-lm-suppress-shortcuts",
}  # fmt: skip


def name_of(block: model.Block) -> str:
    return type(block).__name__


def test_every_kind_of_block_is_tried() -> None:
    parts = {"View", "Column", "Link", "SourceLine", "Said"}
    kinds = {name for name, found in vars(model).items() if is_dataclass(found) and found.__module__ == model.__name__}
    assert {name_of(block) for block in BLOCKS} | parts == kinds


@pytest.mark.parametrize("block", BLOCKS, ids=name_of)
def test_hostile_text_in_a_block_is_text(block: model.Block) -> None:
    page = html([block])
    elements = Elements(page)
    assert not {tag for tag, _ in elements.found} & {"script", "img", "svg", "iframe"}
    assert not [name for _, attributes in elements.found for name in attributes if name not in ATTRIBUTES]
    sheets = elements.of("style")
    assert len(sheets) == (2 if isinstance(block, model.Replay) else 1)  # ours
    if not isinstance(block, (model.Bar, model.Gap)):
        assert "<script>" in elements.text


@pytest.mark.parametrize("width", [40, 80])
@pytest.mark.parametrize("block", BLOCKS, ids=name_of)
def test_a_terminal_reads_no_markup(block: model.Block, width: int) -> None:
    text = printed(rendered([block, model.Paragraph("[bold]x[/bold] :smile:")], model.View(width)), width)
    assert text.endswith("[bold]x[/bold] :smile:\n")
    assert max(len(line) for line in text.split("\n")) <= width
    assert isinstance(block, (model.Bar, model.Gap, model.Fold)) or "script" in "".join(text.split())


def test_what_a_terminal_shows_has_no_links() -> None:
    shown = terminal_html(f"\x1b]8;;javascript:alert(1)\x1b\\words\x1b]8;;\x1b\\ \x1b[31m{HOSTILE}\x1b[0m")
    elements = Elements(shown)
    assert elements.of("a") == []
    assert "words" in elements.text
    assert f"{HOSTILE}" in elements.text
