"""The sentence on where the right track is left: what is right until there, and what is wrong, by how much."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from tritonpuzzles.curriculum.quantities import Quantity, Walk
from tritonpuzzles.judge.evidence.states import Array
from tritonpuzzles.judge.verdict.divergence.causes import RETURNED, Why
from tritonpuzzles.judge.verdict.divergence.first import First, What
from tritonpuzzles.judge.verdict.divergence.observed import Instant, Observed
from tritonpuzzles.judge.verdict.divergence.phrases import (
    after_turn,
    as_sentence,
    named,
    number,
    off_by,
    plain,
    range_of,
    until,
)
from tritonpuzzles.judge.verdict.divergence.roles import Followed
from tritonpuzzles.judge.verdict.divergence.tally import Miss, Variable

SEVERAL, MANY = 2, 6  # numbers that have one factor, which is a base's, or whichever: it is no chance
BASES = {1.4426950408889634: "log2(e)", 0.6931471805599453: "ln(2)"}
NEAR = 1e-3
MOST_RIGHT = 2  # quantities of which it is said that they are right


class Words:
    """Words for one divergence.

    Args:
        walk: whose quantities are spoken of.
        asked: the main quantities.
        seen: all that was observed.
        first: where the right track is left.
        followed: what each variable follows.
    """

    def __init__(
        self, walk: Walk, asked: Sequence[Quantity], seen: Observed, first: First, followed: Sequence[Followed]
    ) -> None:
        self._walk, self._asked, self._seen, self._first, self._followed = walk, asked, seen, first, followed

    def sentence(self) -> str:
        """Return what is wrong, and what it comes from."""
        return " ".join([as_sentence(self._wrong()), *self._cause()])

    def next_step(self) -> str:
        """Return what to do about it."""
        line, cause = self._first.line, self._first.cause
        if cause is not None and cause.why is Why.START:
            return "Begin with what changes nothing: a sum with 0, a maximum with the lowest number there is."
        if cause is not None and cause.why is Why.PADDING:
            return (
                f"Work out by hand what the lanes of the last tile hold in line {line}: past the end nothing may count."
            )
        if cause is not None and cause.why is Why.ONE:
            return "Take the factor before the maximum changes: the old maximum is gone then."
        if cause is not None and cause.why is Why.INFINITE:
            return f"-inf less -inf is NaN, and so is 0 over 0: of which numbers does line {line} take either?"
        if cause is not None and cause.why is Why.TWICE:
            return f"Let the loop of line {line} begin behind what was taken before it, or take nothing before it."
        if cause is not None and cause.why is Why.LANES:
            name = named(cause.variable)
            return f"Join the lanes of {name} behind line {line}: sums with tl.sum, maxima with tl.max."
        if self._first.variable is not None and "log2(e)" in (self._times(self._first.variable) or ""):
            return (
                "Is an exponential or a logarithm to base 2 taken where one to base e belongs, or the other way round?"
            )
        if self._first.followed is not None and self._first.followed.times is not None:
            return f"Follow the factor into line {line}, from the host function on: which should it be?"
        match self._first.what:
            case What.AGAIN | What.APART:
                return f"Move on by one tile in every turn: follow the addresses of line {line}."
            case What.NOTHING:
                return f"Which loop, or which condition, should have loaded the {self._walk.item_word}s of that row?"
            case What.STUCK:
                return "Let each turn leave there what it has made of it, for the next."
            case What.ELSEWHERE:
                return f"Follow the addresses of line {line} for a program behind the first."
            case What.MASKED:
                return f"Work out by hand which lanes of the last tile the mask of line {line} lets through."
            case What.UNREAD:
                items = f"{self._walk.item_word}s"
                return (
                    f"Which {items} do the first and the last turn take, and which loop or condition should load these?"
                )
            case _:
                return f"Work out by hand what line {line} should give there; --values shows what it gives."

    def details(self) -> dict[str, Any]:
        """Return the same for scripts."""
        first = self._first
        right = {one.name for one in self._followed if one.right and self._seen.is_complete(one.variable)}
        kept = [quantity.name for quantity in self._asked if quantity.name in right]
        found: dict[str, Any] = {"what": first.what.value, "kept": kept}
        if first.variable is not None:
            found["variable"] = first.variable[3]
        if first.followed is not None:
            found["quantity"] = first.followed.name
        if first.miss is not None:
            found |= {"turn": first.miss.turn, "row": first.miss.row}
            found |= {"given": plain(first.miss.given), "right": plain(first.miss.right)}
        if first.cause is not None:
            found |= {"cause": first.cause.why.value, "cause_variable": first.cause.variable[3]}
        return found

    def right(self) -> list[str]:
        """Return which variables hold main quantities that are right to the end: "m in all 3 turns"."""
        strayed = self._first.followed.name if self._first.followed is not None else ""
        found: list[str] = []
        if self._first.what is What.ELSEWHERE:
            return found
        for quantity in self._asked:
            keeps = next(
                (
                    one
                    for one in self._followed
                    if one.right and one.name == quantity.name and self._seen.is_complete(one.variable)
                ),
                None,
            )
            if keeps is None or quantity.name == strayed or keeps.variable[3].startswith(RETURNED):
                continue
            moments = self._seen.moments.get(keeps.variable, [])
            turns = max((moment.turn for moment in moments), default=0) if _in_loop(moments) else min(1, len(moments))
            if turns:
                again = self._first.variable is not None and keeps.variable[3] == self._first.variable[3]
                where = f" in line {keeps.variable[2]}" if again and keeps.variable != self._first.variable else ""
                found.append(f"{keeps.variable[3]}{where}{f' in all {turns} turns' if turns > 1 else ''}")
        return found[:MOST_RIGHT]

    def _wrong(self) -> str:
        first = self._first
        match first.what:
            case What.AGAIN:
                return f"Line {first.line} reads {self._items()} a second time in the same loop."
            case What.APART:
                return f"Line {first.line} reads {self._items()}, which are not those of the tile beside it."
            case What.MASKED:
                return f"The mask of the load in line {first.line} leaves out {self._items()}."
            case What.UNREAD:
                return f"No turn of the loop in line {first.line} takes {self._items()}, and no other load does."
            case What.NOTHING:
                assert first.miss is not None
                what = f"Line {first.line} stores {number(first.miss.given)} into row {first.miss.row}"
                return f"{what}, and no {self._walk.item_word} was loaded before it."
            case What.STUCK:
                assert first.variable is not None
                assert first.miss is not None
                began = number(first.miss.given)
                return f"{first.variable[3]} is {began} after every turn, as it began: line {first.line}."
            case What.ELSEWHERE:
                return self._moved()
            case What.STORE:
                assert first.miss is not None
                if first.cause is not None:
                    return f"{named(first.cause.variable)} holds a number for each lane: line {first.line}."
                given, right = number(first.miss.given), number(first.miss.right)
                return f"Line {first.line} stores {given} into row {first.miss.row}, where {right} is right."
        assert first.miss is not None
        assert first.variable is not None
        return self._strayed(first.variable, first.miss, first.followed)

    def _strayed(self, variable: Variable, miss: Miss, own: Followed | None) -> str:
        """Say until when a variable is right, and how it is wrong from then on."""
        name = named(variable)
        turns = _in_loop(self._seen.moments.get(variable, []))
        after = f"{after_turn(miss.turn)}, " if turns else "in "
        place = f"{after}{self._walk.row_word} {miss.row}: line {variable[2]}."
        if own is None and not math.isfinite(miss.given):
            return f"{name} is {number(miss.given)} {place}"
        cause = self._first.cause
        if own is None and cause is not None and cause.why is Why.START:
            there = f"{named(cause.variable)} begins with {number(cause.value)} in line {cause.variable[2]}"
            return f"{there}." if cause.variable == variable else f"{there}: {name} is wrong in line {variable[2]}."
        if own is None:
            if (times := self._times(variable)) is not None:
                return f"{name} is {times}: line {variable[2]}."
            repeats = turns and any(moment.turn > 1 for moment in self._seen.moments.get(variable, []))
            since = f", from turn {miss.turn} on" if repeats else ""
            none = f"is none of the quantities that the grader knows{since}"
            if any(one.right and one.variable[3] == variable[3] for one in self._followed):
                return f"What line {variable[2]} makes of {name} {none}."
            perhaps = self._perhaps(variable)
            none = none if not perhaps else "is none of the quantities that the grader knows"
            told = f"{name} {none}." if name.startswith("what line") else f"{name} {none}: line {variable[2]}."
            return f"{told}{perhaps}"
        quantity = own.role.quantity
        if quantity.wrong:
            return f"{name} holds {quantity.says}, {quantity.wrong}, {place}"
        if own.times is not None:
            return f"{name} holds {quantity.says} times {own.times:.4g}: line {variable[2]}."
        if own.rough and self._first.cause is None:
            numbers = f"{number(miss.given)} in place of {number(miss.right)}"
            return f"{name}, {quantity.says}, is nearly right, {numbers} {place} Rounding to 16 bits is as coarse."
        wrong = f"{off_by(miss, quantity)} {place}"
        return f"{name}, {quantity.says}, is {until(miss.turn) if turns else ''}{wrong}"

    def _perhaps(self, variable: Variable) -> str:
        """Say what a variable that follows nothing should be, if it is the only main quantity that none follows."""
        right = {one.name for one in self._followed if one.right}
        missing = [quantity for quantity in self._asked if not right & {quantity.name, *quantity.forms}]
        tallies = self._seen.tallies.get(variable, {})
        misses = [
            tally.miss
            for role, tally in tallies.items()
            if role.quantity in missing and role.factor.value == 1 and tally.miss is not None
        ]
        if len(missing) != 1 or not misses:
            return ""
        miss, turns = misses[0], _in_loop(self._seen.moments.get(variable, []))
        where = f"{f'{after_turn(miss.turn)}, ' if turns else 'in '}{self._walk.row_word} {miss.row}"
        says = missing[0].says
        return f" {says[0].upper()}{says[1:]} would be {number(miss.right)} {where}, and it is {number(miss.given)}."

    def _times(self, variable: Variable) -> str | None:
        """Say of which quantity a variable is a multiple, in all that was compared."""
        for role, tally in self._seen.tallies.get(variable, {}).items():
            known = tally.times
            if known is None or (tally.held < MANY and all(abs(known / value - 1) >= NEAR for value in BASES)):
                continue
            if tally.held >= SEVERAL and role.factor.value == 1 and not role.quantity.wrong:
                base = next(
                    (f", which is {word}" for value, word in BASES.items() if abs(known / value - 1) < NEAR), ""
                )
                return f"{role.quantity.says} times {known:.4g}{base}"
        return None

    def _cause(self) -> list[str]:
        cause = self._first.cause
        if cause is None or cause.why is Why.LANES or (cause.why is Why.START and self._first.followed is None):
            return []  # said already
        name, line = named(cause.variable), cause.line
        match cause.why:
            case Why.START:
                return [f"It comes from line {line}, where {name} begins with {number(cause.value)}."]
            case Why.PADDING:
                where = name if str(line) in name else f"{name} (line {line})"
                return [f"Lanes past the end hold {number(cause.value)} in {where}, and count."]
            case Why.CARRIED | Why.STALE:
                return [f"Line {line} has left something else in {name} the turn before."]
            case Why.INFINITE:
                return [f"{name} holds NaN or an infinity there already (line {line}).", *self._lowest(cause.variable)]
            case Why.TURNED:
                return [f"The scores in {name} are transposed (line {line})."]
            case Why.ONE:
                return [f"{name} is 1 in the first turn (line {line}), where what came before it counts nothing."]
            case Why.ZERO:
                return [f"{name} is 0 there (line {line})."]
            case Why.FACTOR:
                return [f"The scores in {name} lack the scale (line {line})."]
            case Why.TWICE:
                return [f"A tile is taken before the loop in line {line}, and that begins with it again."]

    def _lowest(self, variable: Variable) -> Iterator[str]:
        """Say which number for each row was -inf in the turn in which a variable was no number, if one was."""
        assert self._first.miss is not None
        miss, moments = self._first.miss, self._seen.moments
        made = min((one.order for one in moments[variable] if one.has_nan and one.turn == miss.turn), default=None)
        for other, instants in moments.items():
            before = (one for one in instants if made is not None and made[:2] == one.order[:2] and one.order < made)
            if any(one.fixed == -math.inf and not one.is_tile and one.turn == miss.turn for one in before):
                yield f"{named(other)} is -inf (line {other[2]})."
                return

    def _items(self) -> str:
        """Return items in words: "columns 4096 to 8191 of row 0"."""
        items: Array | None = self._first.items
        assert items is not None
        return f"{range_of(self._walk.item_word, items[items >= 0])} of {self._walk.row_word} {self._first.row}"

    def _moved(self) -> str:
        """Say what was loaded, and where what comes of it is stored."""
        moved = self._first.elsewhere
        assert moved is not None
        word = self._walk.row_word if moved.word == "row" else moved.word
        if not moved.loaded.size:
            stored = range_of(word, moved.stored)
            return f"Line {moved.load.line} loads nothing of {stored}, and line {moved.store.line} stores them."
        loads = f"Line {moved.load.line} loads {range_of(word, moved.loaded)} of {moved.load.tensor}"
        return f"{loads}, line {moved.store.line} stores what comes of them into {range_of(word, moved.stored)}."


def _in_loop(moments: Sequence[Instant]) -> bool:
    return any(moment.loop for moment in moments)
