"""Sentences on the first divergence: what is right until there, and what is wrong, by how much."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

from tritonpuzzles.curriculum.quantities import Quantity, Walk
from tritonpuzzles.judge.evidence.states import Array, LaunchStates
from tritonpuzzles.judge.verdict.divergence.first import First
from tritonpuzzles.judge.verdict.divergence.observed import Observed
from tritonpuzzles.judge.verdict.divergence.roles import Followed, What, Why
from tritonpuzzles.judge.verdict.divergence.tally import RETURNED, Miss, Variable
from tritonpuzzles.judge.verdict.judged import JudgedCase

SEVERAL, MANY = 2, 6  # numbers with one common factor that prove it: if it is one of `BASES`, or any factor
BASES = {1.4426950408889634: "log2(e)", 0.6931471805599453: "ln(2)"}
BASE_STEP = "Check whether an exponential or a logarithm to base 2 is used in place of one to base e, or the reverse."
FACTOR_STEP = "Follow the factor from the host function to line {line}, and check its value."
NONE = "is none of the quantities that the grader knows"
NEAR = 1e-3
LARGE = 1e4  # a ratio beyond it is not worth reporting
MOST_RIGHT = 2  # at most so many quantities are reported as right


@dataclass(frozen=True)
class Look:
    """One case's recorded variables, compared with the right values of its walk, in words."""

    case: JudgedCase
    walk: Walk
    asked: Sequence[Quantity]  # the main quantities
    launches: Sequence[LaunchStates]
    seen: Observed
    first: First | None  # and followed: see `first_divergence`; sentences exist only if `first` is not `None`
    followed: Sequence[Followed]

    @property
    def _first(self) -> First:
        assert self.first is not None
        return self.first

    def sentence(self) -> str:
        """Return what is wrong, and where it comes from."""
        what, cause = self._first.what, self._first.cause
        said = what.says
        if cause is not None and cause.why is Why.LANES:
            said = cause.why.says
        elif cause is not None and not (cause.why is Why.START and what is What.UNKNOWN):  # `strayed` reports that
            said = f"{what.says} {cause.why.says}"
        text = said.format_map(self._facts)
        return f"W{text[1:]}" if text.startswith("what line") else text  # a variable's name keeps its case

    def next_step(self) -> str:
        """Return the next step."""
        cause, own, variable = self._first.cause, self._first.followed, self._first.variable
        step = self._first.what.next_step
        if cause is not None and cause.why.next_step:
            step = cause.why.next_step
        elif self._first.miss is not None and math.isnan(self._first.miss.given):
            step = Why.INFINITE.next_step
        elif variable is not None and "log2(e)" in self._times(variable):
            step = BASE_STEP
        elif own is not None and own.times is not None:
            step = FACTOR_STEP
        return step.format_map(self._facts)

    @cached_property
    def _facts(self) -> dict[str, object]:
        """The values for the names in braces of the rows in `roles`."""
        first, cause, miss = self._first, self._first.cause, self._first.miss
        found: dict[str, object] = {"line": first.line, "word": self.walk.item_word, "row": first.row}
        if first.items is not None:
            items = _range_of(self.walk.item_word, first.items[first.items >= 0])
            found["items"] = f"{items} of {self.walk.row_word} {first.row}"
        if miss is not None:
            found |= {"given": _number(miss.given), "right": _number(miss.right), "row": miss.row}
        if cause is not None:
            name = _named(cause.variable)
            there = name if str(cause.line) in name else f"{name} (line {cause.line})"
            found |= {"cause": name, "at": cause.line, "value": _number(cause.value), "cause_there": there}
            found["lowest"] = self._lowest(cause.variable) if cause.why is Why.INFINITE else ""
        if first.elsewhere is not None:
            found["moved"] = self._moved()
        if first.variable is not None and miss is not None:
            found["name"] = _named(first.variable)
            found["strayed"] = self._strayed(first.variable, miss, first.followed)
        return found

    def details(self) -> dict[str, Any]:
        """Return the same for scripts."""
        first = self._first
        right = {one.name for one in self.followed if one.right and self.seen.is_complete(one.variable)}
        kept = [quantity.name for quantity in self.asked if quantity.name in right]
        found: dict[str, Any] = {"what": first.what.key, "kept": kept}
        if first.variable is not None:
            found["variable"] = first.variable[3]
        if first.followed is not None:
            found["quantity"] = first.followed.name
        if first.miss is not None:
            found |= {"turn": first.miss.turn, "row": first.miss.row}
            found |= {"given": _plain(first.miss.given), "right": _plain(first.miss.right)}
        if first.cause is not None:
            found |= {"cause": first.cause.why.key, "cause_variable": first.cause.variable[3]}
        return found

    def right(self) -> dict[str, int]:
        """Return variables of main quantities that are right to the end, "m in all 3 iterations", with their lines."""
        own, variable = self._first.followed, self._first.variable
        found: dict[str, int] = {}
        asked = self.asked if self._first.what is not What.ELSEWHERE else ()
        for name in (quantity.name for quantity in asked if own is None or quantity.name != own.name):
            complete = (one.variable for one in self.followed if one.right and one.name == name)
            keeps = next(filter(self.seen.is_complete, complete), None)
            if keeps is None or keeps[3].startswith(RETURNED):
                continue
            moments = self.seen.moments.get(keeps, [])
            turns = max((one.turn for one in moments), default=0) if self._turns(keeps) else min(1, len(moments))
            if turns:
                again = variable is not None and keeps != variable and keeps[3] == variable[3]
                where = f" in line {keeps[2]}" if again else ""
                found[f"{keeps[3]}{where}{f' in all {turns} iterations' if turns > 1 else ''}"] = keeps[2]
        return dict(islice(found.items(), MOST_RIGHT))

    def _strayed(self, variable: Variable, miss: Miss, own: Followed | None) -> str:
        """Say until when a variable is right, and how it is wrong from then on."""
        name, line, cause = _named(variable), variable[2], self._first.cause
        place = f"{self._place(variable, miss)}: line {line}."
        if own is None:
            if not math.isfinite(miss.given):
                return f"{name} is {_number(miss.given)} {place}"
            if cause is not None and cause.why is Why.START:
                there = f"{_named(cause.variable)} begins with {_number(cause.value)} in line {cause.variable[2]}"
                return f"{there}." if cause.variable == variable else f"{there}: {name} is wrong in line {line}."
            if times := self._times(variable):
                return f"{name} is {times}: line {line}."
            return self._unknown(variable, miss)
        says, wrong = own.role.quantity.says, own.role.quantity.wrong
        if wrong:
            return f"{name} holds {says}, {wrong}, {place}"
        if own.times is not None:
            return f"{name} holds {says} times {own.times:.4g}: line {line}."
        if own.rough and cause is None:
            numbers = _instead(miss)
            return f"{name}, {says}, is nearly right, {numbers} {place} Rounding to 16 bits is as coarse."
        since = f"right {'after' if miss.turn == 2 else 'until'} iteration {miss.turn - 1} and "
        since = since if miss.turn > 1 and self._turns(variable) else ""
        return f"{name}, {says}, is {since}{_off_by(miss, own.role.quantity)} {place}"

    def _unknown(self, variable: Variable, miss: Miss) -> str:
        """Return that a variable follows no quantity, and its right value if only one main quantity is missing."""
        name, line, moments = _named(variable), variable[2], self.seen.moments.get(variable, [])
        turns = self._turns(variable) and any(one.turn > 1 for one in moments)
        since = f", from iteration {miss.turn} on" if turns else ""
        at = "" if name.startswith("what line") else f": line {line}"
        right = {one.name for one in self.followed if one.right}
        missing = [quantity for quantity in self.asked if not right & {quantity.name, *quantity.forms}]
        tallies = self.seen.tallies.get(variable, {}).items()
        meant = (tally.miss for role, tally in tallies if role.quantity in missing and role.factor.value == 1)
        other = next(filter(None, meant), None)
        if len(missing) != 1 or other is None or self.walk.n_items < SEVERAL:
            return f"{name} {NONE}{since}{at}."
        says = missing[0].says[0].upper() + missing[0].says[1:]
        there = f"{_number(other.right)} {self._place(variable, other)}, and it is {_number(other.given)}"
        return f"{name} {NONE}{at}. {says} would be {there}."

    def _place(self, variable: Variable, miss: Miss) -> str:
        """Return "after iteration 2, row 7"."""
        return f"{f'after iteration {miss.turn}, ' if self._turns(variable) else 'in '}{self.walk.row_word} {miss.row}"

    def _turns(self, variable: Variable) -> bool:
        return any(moment.loop for moment in self.seen.moments.get(variable, []))

    def _times(self, variable: Variable) -> str:
        """Return the quantity that a variable is a constant multiple of, with the factor; "" if there is none."""
        for role, tally in self.seen.tallies.get(variable, {}).items():
            times, plain = tally.times, role.factor.value == 1 and not role.quantity.wrong
            if times is not None and plain and tally.held >= SEVERAL and 1 / LARGE < abs(times) < LARGE:
                bases = (f", which is {word}" for value, word in BASES.items() if abs(times / value - 1) < NEAR)
                if (base := next(bases, "")) or tally.held >= MANY:
                    return f"{role.quantity.says} times {times:.4g}{base}"
        return ""

    def _lowest(self, variable: Variable) -> str:
        """Return a sentence on a variable, one number per row, that was -inf before this one became NaN; else ""."""
        assert self._first.miss is not None
        miss, moments = self._first.miss, self.seen.moments
        made = min((one.order for one in moments[variable] if one.has_nan and one.turn == miss.turn), default=None)
        for other, instants in moments.items():
            before = (one for one in instants if made is not None and made[:2] == one.order[:2] and one.order < made)
            if any(one.fixed == -math.inf and not one.is_tile and one.turn == miss.turn for one in before):
                return f" {_named(other)} is -inf (line {other[2]})."
        return ""

    def _moved(self) -> str:
        """Return a sentence on what was loaded, and where the result is stored."""
        moved = self._first.elsewhere
        assert moved is not None
        word = self.walk.row_word if moved.word == "row" else moved.word
        stored = _range_of(word, moved.stored)
        if not moved.loaded.size:
            return f"Line {moved.load.line} loads nothing of {stored}, and line {moved.store.line} stores them."
        loads = f"Line {moved.load.line} loads {_range_of(word, moved.loaded)} of {moved.load.tensor}"
        return f"{loads}, line {moved.store.line} stores their results into {stored}."


def _range_of(word: str, numbers: Array) -> str:
    """Return numbers in words: "columns 4096 to 8191"."""
    if not numbers.size:
        return f"no {word}"
    low, high = int(numbers.min()), int(numbers.max())
    return f"{word} {low}" if low == high else f"{word}s {low} to {high}"


def _named(variable: Variable) -> str:
    """Return a variable's name; for a function's result, its line."""
    return f"what line {variable[2]} returns" if variable[3].startswith(RETURNED) else variable[3]


def _off_by(miss: Miss, quantity: Quantity) -> str:
    """Return by how much a number is wrong: by a factor, or for a score both values."""
    given, right = miss.given, miss.right
    if not math.isfinite(given):
        return _number(given)
    ratio = 0.0 if quantity.scaled or right == 0 else given / right
    if ratio <= 0 or max(ratio, 1 / ratio) > LARGE or f"{ratio:.4g}" == "1":
        return _instead(miss)
    return f"{ratio:.4g} times too large" if ratio > 1 else f"{1 / ratio:.4g} times too small"


def _instead(miss: Miss) -> str:
    """Return both numbers, with as many digits as show that they differ."""
    given, right = _number(miss.given), _number(miss.right)
    return f"{miss.given:.7g} in place of {miss.right:.7g}" if given == right else f"{given} in place of {right}"


def _number(value: float) -> str:
    """Return a number as sentences show it."""
    if math.isnan(value):
        return "NaN"
    whole = math.isfinite(value) and value == int(value) and abs(value) < 1e6
    return f"{value:,.0f}" if whole else f"{value:.4g}"


def _plain(value: float) -> float | str:
    """Return a number as JSON can store it."""
    return value if math.isfinite(value) else str(value)
