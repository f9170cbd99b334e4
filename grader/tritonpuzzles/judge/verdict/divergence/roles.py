"""Which quantity each variable follows, judged by its values, and tables of what can go wrong and why.

Names of variables are ignored. A table row has a key for a finding's details, a sentence, and a next step; names in
braces are filled in by `words.Look`.
"""

from __future__ import annotations

import enum
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from tritonpuzzles.curriculum.quantities import TILE, WEIGHT, Quantity
from tritonpuzzles.judge.verdict.divergence.tally import SOME, Miss, Role, Tallies, Tally, Variable

MOVE_ON = "Check the addresses of line {line}: they must move by one tile in every iteration."
BY_HAND = "Work out by hand the right value of line {line} there; --values shows the kernel's value."
MOSTLY = 0.5  # share of a variable's numbers


class Row(enum.Enum):
    """A row of one of the tables."""

    def __init__(self, key: str, says: str, next_step: str = "") -> None:
        self.key, self.says, self.next_step = key, says, next_step


class What(Row):
    """What first goes wrong."""

    VARIABLE = "variable", "{strayed}", BY_HAND  # it no longer follows its quantity
    UNKNOWN = "unknown", "{strayed}", BY_HAND  # a variable that follows no quantity
    STORE = "store", "Line {line} stores {given} into row {row}, where {right} is right.", BY_HAND
    ELSEWHERE = "elsewhere", "{moved}", "Follow the addresses of line {line} for a program after the first."
    AGAIN = "again", "Line {line} reads {items} a second time in the same loop.", MOVE_ON
    APART = "apart", "Line {line} reads {items}, which are not those of the tile beside it.", MOVE_ON
    UNREAD = (
        "unread",
        "No iteration of the loop in line {line} loads {items}, and no other load of that pass does.",
        "Work out which {word}s the first and the last iteration load, and which loop or condition must load these.",
    )
    STUCK = (
        "stuck",
        "{name} keeps its start value, {given}, in every iteration: line {line}.",
        "Assign the new value in each iteration, for the next one.",
    )
    NOTHING = (
        "nothing",
        "Line {line} stores {given} into row {row}, and no {word} was loaded before it.",
        "Find the loop, or the condition, that should have loaded the {word}s of that row.",
    )


class Why(Row):
    """Why a number is wrong."""

    START = (  # the start value of the variable
        "start",
        "It comes from line {at}, where {cause} begins with {value}.",
        "Start with a value that changes nothing: a sum with 0, a maximum with the lowest number.",
    )
    PADDING = (  # the values of lanes past the end
        "padding",
        "Lanes past the end hold {value} in {cause_there}, and count.",
        "Work out by hand the lanes of the last tile in line {line}: those past the end must not count.",
    )
    CARRIED = "carried", "In the iteration before, line {at} left another value in {cause}."
    INFINITE = (  # an earlier value is NaN
        "infinite",
        "{cause} is NaN there already (line {at}).{lowest}",
        "-inf - -inf, 0 / 0, 0 * inf and the root of a negative number are NaN: check which line {line} computes.",
    )
    TURNED = "turned", "The scores in {cause} are transposed (line {at})."
    FACTOR = "factor", "The scores in {cause} lack the scale (line {at})."
    TWICE = (  # a loop processes again what was processed before it
        "twice",
        "A tile is processed before the loop in line {at}, and the loop begins with it again.",
        "Let the loop of line {line} begin after that tile, or process no tile before the loop.",
    )
    LANES = (  # the values of the lanes are never reduced
        "lanes",
        "{cause} has a number for each lane: line {line}.",
        "Reduce the lanes of {cause} after line {line}: sums with tl.sum, maxima with tl.max.",
    )


@dataclass(frozen=True)
class Followed:
    """A variable and the quantity that it follows."""

    variable: Variable
    role: Role
    right: bool  # whether it follows it to the end
    miss: Miss | None  # where it does not
    rough: bool = False  # whether it agrees within 16-bit rounding
    times: float | None = None  # a constant factor on all its numbers, if it is one that no kernel needs

    @property
    def name(self) -> str:
        """The quantity's name."""
        return self.role.quantity.name


def follow(tallies: Tallies, asked: Sequence[Quantity], carried: Collection[str]) -> list[Followed]:
    """Return for each variable the quantity that it follows best, if any.

    Some main quantities are followed by no variable to the end. Such a quantity is assigned to the variables that
    followed it at first, even if they agree with another one: the maximum of the last tile is the running maximum gone
    wrong. But if none of these is carried to the next iteration, they are intermediate steps: `carried` are the names
    of variables with a value before the first tile.
    """
    every = (_followed(variable, roles) for variable, roles in tallies.items())
    found = [one for one in every if one is not None]
    right = {one.name for one in found if one.right}
    missing = [quantity for quantity in asked if not right & {quantity.name, *quantity.forms}]
    lost = {one.variable: was for one in found if (was := _lost(one, tallies[one.variable], missing)) is not None}
    states = {was.name for was in lost.values() if was.variable[3] in carried}
    return [lost[one.variable] if one.variable in lost and lost[one.variable].name in states else one for one in found]


def _lost(one: Followed, roles: dict[Role, Tally], missing: Sequence[Quantity]) -> Followed | None:
    """Return a variable with the main quantity that it followed at first, if it is right as another quantity."""
    for role, tally in roles.items() if one.right else ():
        if role.quantity in missing and _began(tally) and tally.miss is not None:
            return Followed(one.variable, role, False, tally.miss)
    return None


def _followed(variable: Variable, roles: dict[Role, Tally]) -> Followed | None:
    """Return what a variable follows: to the end, or at first, or within 16-bit rounding, or up to a factor."""
    right = [(role, tally) for role, tally in roles.items() if not role.quantity.wrong]
    exact = [role for role, tally in right if tally.is_exact and (tally.telling or role.quantity.part == WEIGHT)]
    if exact:
        return Followed(variable, max(exact, key=lambda role: bool(roles[role].telling)), True, None)
    for role, tally in roles.items() if not any(_began(one) for _, one in right) else ():
        meant = next((other for known, other in right if known.quantity.name == role.quantity.of), Tally())
        if role.quantity.wrong and _began(tally) and meant.miss is not None:
            return Followed(variable, role, False, meant.miss)
    best = max(right, key=lambda item: (_began(item[1]), item[1].share), default=None)
    if best is None or best[1].miss is None:
        return None
    if _began(best[1]) or best[1].telling >= MOSTLY * best[1].held:
        return Followed(variable, best[0], False, best[1].miss)
    rough = next((role for role, tally in roles.items() if tally.is_rough and _has_a_size(role.quantity)), None)
    if rough is not None:
        return Followed(variable, rough, False, roles[rough].miss, rough=True)
    scaled = (role for role, tally in roles.items() if role.quantity.scaled and role.factor.value == 1 and tally.times)
    tile = next((role for role in scaled if role.quantity.kind == TILE), None)
    return Followed(variable, tile, False, roles[tile].miss, times=roles[tile].times) if tile is not None else None


def _has_a_size(quantity: Quantity) -> bool:
    """Return whether agreement with a quantity within one percent proves anything."""
    return not (quantity.wrong or quantity.scaled or quantity.absolute or quantity.part == WEIGHT)


def _began(tally: Tally) -> bool:
    """Return whether a variable was right at first, with enough numbers that show it."""
    return tally.held > 0 and tally.began and tally.telling >= SOME * tally.held
