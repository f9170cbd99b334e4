"""What leaves the right track, and why, as rows: its name in a finding's details, a sentence, and what to do.

Names in braces are facts of the place, see `words.Words`.
"""

from __future__ import annotations

import enum

MOVE_ON = "Move on by one tile in every iteration: follow the addresses of line {line}."
BY_HAND = "Work out by hand what line {line} should give there; --values shows what it gives."


class Row(enum.Enum):
    """A row of one of the tables."""

    def __init__(self, key: str, says: str, next_step: str = "") -> None:
        self.key, self.says, self.next_step = key, says, next_step


class What(Row):
    """What leaves the right track."""

    VARIABLE = "variable", "{strayed}", BY_HAND  # it follows a quantity no longer
    UNKNOWN = "unknown", "{strayed}", BY_HAND  # a variable that follows none
    STORE = "store", "Line {line} stores {given} into row {row}, where {right} is right.", BY_HAND
    ELSEWHERE = "elsewhere", "{moved}", "Follow the addresses of line {line} for a program after the first."
    AGAIN = "again", "Line {line} reads {items} a second time in the same loop.", MOVE_ON
    APART = "apart", "Line {line} reads {items}, which are not those of the tile beside it.", MOVE_ON
    UNREAD = (
        "unread",
        "No iteration of the loop in line {line} takes {items}, and no other load does.",
        "Which {word}s do the first and the last iteration take, and which loop or condition should load these?",
    )
    STUCK = (
        "stuck",
        "{name} is {given} after every iteration, as it began: line {line}.",
        "Let each iteration leave there what it has made of it, for the next.",
    )
    NOTHING = (
        "nothing",
        "Line {line} stores {given} into row {row}, and no {word} was loaded before it.",
        "Which loop, or which condition, should have loaded the {word}s of that row?",
    )


class Why(Row):
    """How a number came to be wrong."""

    START = (  # what the variable began with
        "start",
        "It comes from line {at}, where {cause} begins with {value}.",
        "Begin with what changes nothing: a sum with 0, a maximum with the lowest number there is.",
    )
    PADDING = (  # what the lanes past the end held
        "padding",
        "Lanes past the end hold {value} in {cause_there}, and count.",
        "Work out by hand what the lanes of the last tile hold in line {line}: past the end nothing may count.",
    )
    CARRIED = "carried", "Line {at} has left something else in {cause} the iteration before."
    INFINITE = (  # something before is no number
        "infinite",
        "{cause} holds NaN or an infinity there already (line {at}).{lowest}",
        "-inf less -inf is NaN, and so is 0 over 0: of which numbers does line {line} take either?",
    )
    TURNED = "turned", "The scores in {cause} are transposed (line {at})."
    FACTOR = "factor", "The scores in {cause} lack the scale (line {at})."
    TWICE = (  # a loop takes again what was taken before it
        "twice",
        "A tile is taken before the loop in line {at}, and that begins with it again.",
        "Let the loop of line {line} begin after what was taken before it, or take nothing before it.",
    )
    LANES = (  # what each lane has kept is never joined
        "lanes",
        "{cause} holds a number for each lane: line {line}.",
        "Join the lanes of {cause} after line {line}: sums with tl.sum, maxima with tl.max.",
    )
