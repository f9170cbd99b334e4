"""A replay of one program: step by step what its variables held, beside what is right; without a script.

Every assignment is a radio button, so that the arrow keys walk through them, and style sheets show what belongs to the
one that is chosen.
"""

from __future__ import annotations

from collections.abc import Iterator
from secrets import token_hex

from markupsafe import Markup

from tritonpuzzles.front.page.markup import BAD, GOOD, element, folded, joined, table
from tritonpuzzles.front.page.model import RIGHT, WRONG, Column, Replay, SourceLine, Table
from tritonpuzzles.front.text import one_line, six_digits
from tritonpuzzles.results.states import RowStates, VariableValue

KEEPS_ITS_KEYS = Markup(' data-lm-suppress-shortcuts="true"')  # else JupyterLab takes the arrow keys
COLUMNS = (Column(), Column("variable"), Column("held", right=True), Column("right", right=True), Column())


def replay_html(replay: Replay) -> Markup:
    """Return the buttons, what is known at each of them, and the code."""
    return _Steps(replay.states).html(replay)


class _Steps:
    """The assignments of one program."""

    def __init__(self, states: RowStates) -> None:
        self._states, self._steps = states, states.variables
        self._name = f"tp-{token_hex(4)}"
        self._start = next((step for step, one in enumerate(self._steps) if not one.right), 0)

    def html(self, replay: Replay) -> Markup:
        """Return the replay, in a fold."""
        parts = [
            element("style", joined(self._rules())),
            element("p", "Each button is one assignment; the arrow keys walk through them.", "tp-dim"),
            Markup('<div class="tp-steps" role="radiogroup" aria-label="steps">{}</div>').format(
                Markup("").join(self._buttons())
            ),
            *map(self._panel, range(len(self._steps))),
            *(element("pre", Markup("").join(map(_code, lines)), "tp-replayed") for lines in replay.code),
        ]
        inner = Markup('<div class="tp-replay" id="{}">\n{}\n</div>').format(self._name, joined(parts))
        return folded(f"Replay of the program of {self._states.row_word} {self._states.row}", inner, replay.opened)

    def _rules(self) -> Iterator[Markup]:
        """Yield what shows the panel and the line of the step that is chosen."""
        for step, one in enumerate(self._steps):
            chosen = Markup("#{0}:has(#{0}-{1}:checked)").format(self._name, step)
            yield Markup("{0} .tp-at-{1} {{ display: block; }}").format(chosen, step)
            yield Markup("{0} .tp-line-{1} {{ background: var(--tp-lit); box-shadow: {2}; }}").format(
                chosen, one.line, "inset 0.35em 0 var(--tp-open)"
            )

    def _buttons(self) -> Iterator[Markup]:
        turn = 0
        for step, one in enumerate(self._steps):
            if one.turn != turn:
                turn = one.turn
                yield element("span", f"iteration {turn}", "tp-turn")
            checked = Markup(" checked") if step == self._start else ""
            yield Markup(
                '<input type="radio" name="{0}" id="{0}-{1}" class="{2}" aria-label="{3}" title="{3}"{4}{5}>'
            ).format(self._name, step, GOOD if one.right else BAD, _words(one), checked, KEEPS_ITS_KEYS)

    def _panel(self, step: int) -> Markup:
        """Return what is known after a step: the tile, and the latest value of each variable.

        What has none yet has its line all the same, so that nothing below jumps.
        """
        one = self._steps[step]
        latest: dict[str, VariableValue | None] = dict.fromkeys(step.name for step in self._steps)
        latest.update((before.name, before) for before in self._steps[: step + 1])
        rows = [
            ("", one_line(name), "", "", "")
            if held is None
            else (RIGHT if held.right else WRONG, one_line(name), *_numbers(held), held.quantity)
            for name, held in latest.items()
        ]
        parts = [element("p", _words(one)), self._row(one), table(Table(COLUMNS, rows, "numbers"))]
        return element("div", joined(parts), f"tp-panel tp-at-{step}")

    def _row(self, one: VariableValue) -> Markup:
        """Return the row as a bar with the tile lit."""
        first, last = one.tile
        items = max(self._states.items, 1)
        left, width = 100 * first / items, 100 * (last + 1 - first) / items
        words = f"{self._states.item_word}s {first} to {last} of {self._states.items}"
        return Markup(
            '<div class="tp-row" role="img" aria-label="{0}"><span style="left:{1:.2f}%;width:{2:.2f}%"></span></div>\n'
            '<p class="tp-dim">{0}</p>'
        ).format(words, left, width)


def _words(one: VariableValue) -> str:
    held, right = _numbers(one)
    wrong = "" if one.right else f", where {right} is right"
    return f"iteration {one.turn}, line {one.line}: {one_line(one.name)} is {held}{wrong}"


def _numbers(one: VariableValue) -> tuple[str, str]:
    return six_digits(one.got), six_digits(one.expected)


def _code(line: SourceLine) -> Markup:
    return Markup('<span class="tp-line tp-line-{}"><span class="tp-dim">{:>4}</span> {}</span>').format(
        line.number, line.number, line.code
    )
