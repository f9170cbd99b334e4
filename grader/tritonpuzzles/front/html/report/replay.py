"""A replay of one program: step by step what its variables held, beside what is right; without a script.

Every assignment is a radio button, so that the arrow keys walk through them, and style sheets show what belongs to the
one that is chosen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from secrets import token_hex

from markupsafe import Markup

from tritonpuzzles.front.html.report.markup import BAD, GOOD, element, folded, heading, table
from tritonpuzzles.front.report.functions import Listing, listings
from tritonpuzzles.front.report.states import about_row, number, place
from tritonpuzzles.front.text import one_line
from tritonpuzzles.results.check import PuzzleResult
from tritonpuzzles.results.codes import COMPILE_ERROR
from tritonpuzzles.results.states import RowStates, VariableValue

BEFORE, BEHIND = 6, 4  # lines of code that are shown around those of the steps
KEEPS_ITS_KEYS = Markup(' data-lm-suppress-shortcuts="true"')  # else JupyterLab takes the arrow keys
SIGNS = {True: ("✓", GOOD), False: ("✗", BAD)}


def replay_html(result: PuzzleResult) -> Markup:
    """Return the numbers of a row and its program's replay; nothing where there are none."""
    states = result.states
    if states is None or any(finding.code == COMPILE_ERROR for finding in result.findings):
        return Markup("")  # what never runs has no values
    parts = [heading("Values", about_row(states))]
    if any(not one.right for one in states.elements):  # of a row that is right they say nothing
        parts.append(_elements(states))
    elif not states.variables and not states.note:
        return Markup("")
    if states.variables:
        code = listings(result.file.opened, (), {one.line for one in states.variables})
        parts.append(_Replay(states, code).html())
    if states.note:
        parts.append(element("p", states.note, "tp-dim"))
    return Markup("\n").join(parts)


def _elements(states: RowStates) -> Markup:
    rows = [(_sign(one.right), place(one), number(one.got), number(one.expected)) for one in states.elements]
    return table(("", "element", "got", "expected"), rows, "tp-numbers")


class _Replay:
    """The replay of the assignments of one program."""

    def __init__(self, states: RowStates, code: Sequence[Listing]) -> None:
        self._states, self._steps, self._code = states, states.variables, code
        self._name = f"tp-{token_hex(4)}"
        self._start = next((step for step, one in enumerate(self._steps) if not one.right), 0)

    def html(self) -> Markup:
        """Return it, folded."""
        parts = [
            element("style", Markup("\n").join(self._rules())),
            element("p", "Each button is one assignment; the arrow keys walk through them.", "tp-dim"),
            Markup('<div class="tp-steps" role="radiogroup" aria-label="steps">{}</div>').format(
                Markup("").join(self._buttons())
            ),
            Markup("\n").join(self._panel(step) for step in range(len(self._steps))),
            *(self._listing(listing) for listing in self._code),
        ]
        inner = Markup('<div class="tp-replay" id="{}">\n{}\n</div>').format(self._name, Markup("\n").join(parts))
        return folded(f"Replay of the program of {self._states.row_word} {self._states.row}", inner)

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
                yield element("span", f"turn {turn}", "tp-turn")
            checked = Markup(" checked") if step == self._start else ""
            yield Markup(
                '<input type="radio" name="{0}" id="{0}-{1}" class="{2}" aria-label="{3}" title="{3}"{4}{5}>'
            ).format(self._name, step, SIGNS[one.right][1], self._words(one), checked, KEEPS_ITS_KEYS)

    def _words(self, one: VariableValue) -> str:
        wrong = "" if one.right else f", where {number(one.expected)} is right"
        return f"turn {one.turn}, line {one.line}: {one_line(one.name)} is {number(one.got)}{wrong}"

    def _panel(self, step: int) -> Markup:
        """Return what is known behind a step: the tile, and the latest value of each variable.

        What has none yet has its line all the same, so that nothing below jumps.
        """
        one = self._steps[step]
        latest: dict[str, VariableValue | None] = dict.fromkeys(step.name for step in self._steps)
        latest.update((before.name, before) for before in self._steps[: step + 1])
        rows = [
            ("", one_line(name), "", "", "")
            if held is None
            else (_sign(held.right), one_line(name), number(held.got), number(held.expected), held.quantity)
            for name, held in latest.items()
        ]
        parts = [element("p", self._words(one)), self._row(one)]
        parts.append(table(("", "variable", "held", "right", ""), rows, "tp-numbers"))
        return element("div", Markup("\n").join(parts), f"tp-panel tp-at-{step}")

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

    def _listing(self, listing: Listing) -> Markup:
        steps = [one.line for one in self._steps if listing.first <= one.line < listing.first + len(listing.lines)]
        around = range(min(steps) - BEFORE, max(steps) + BEHIND + 1) if steps else range(0)
        lines = Markup("").join(
            Markup('<span class="tp-line tp-line-{}"><span class="tp-dim">{:>4}</span> {}</span>').format(
                line, line, text
            )
            for line, text in enumerate(listing.lines, listing.first)
            if line in around
        )
        return element("pre", lines, "tp-replayed")


def _sign(right: bool) -> Markup:
    return element("span", *SIGNS[right])
