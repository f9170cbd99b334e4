"""Numbers, names and turns in words."""

from __future__ import annotations

import math

from tritonpuzzles.curriculum.quantities import Quantity
from tritonpuzzles.judge.evidence.states import Array
from tritonpuzzles.judge.verdict.divergence.causes import RETURNED
from tritonpuzzles.judge.verdict.divergence.tally import Miss, Variable

LARGE = 1e4  # a ratio that says no more than that it is large


def range_of(word: str, numbers: Array) -> str:
    """Return numbers in words: "columns 4096 to 8191"."""
    if not numbers.size:
        return f"no {word}"
    low, high = int(numbers.min()), int(numbers.max())
    return f"{word} {low}" if low == high else f"{word}s {low} to {high}"


def named(variable: Variable) -> str:
    """Return a variable's name; of what a function returns, its place."""
    name = variable[3]
    return f"what line {variable[2]} returns" if name.startswith(RETURNED) else name


def as_sentence(text: str) -> str:
    """Return a sentence that may begin with `what line 7 returns`; a variable keeps its own letters."""
    return f"W{text[1:]}" if text.startswith("what line") else text


def until(turn: int) -> str:
    """Say until which turn something is right, where one is before."""
    if turn <= 1:
        return ""
    return "right after turn 1 and " if turn == 2 else f"right until turn {turn - 1} and "


def after_turn(turn: int) -> str:
    """Say behind which turn something is seen."""
    return f"after turn {turn}"


def off_by(miss: Miss, quantity: Quantity) -> str:
    """Say how a number is wrong: by a factor, or a score by its distance."""
    given, right = miss.given, miss.right
    if not math.isfinite(given):
        return number(given)
    if quantity.scaled or right == 0 or given / right <= 0:
        return f"{number(given)} in place of {number(right)}"
    ratio = given / right
    if max(ratio, 1 / ratio) > LARGE:
        return f"{number(given)} in place of {number(right)}"
    if f"{ratio:.4g}" == "1":
        return f"{given:.7g} in place of {right:.7g}"
    return f"{ratio:.4g} times too large" if ratio > 1 else f"{1 / ratio:.4g} times too small"


def number(value: float) -> str:
    """Return a number as a sentence has it."""
    if math.isnan(value):
        return "NaN"
    return f"{value:,.0f}" if value == int_of(value) and abs(value) < 1e6 else f"{value:.4g}"


def int_of(value: float) -> float:
    """Return the whole part of a number; an infinity has none."""
    return float(int(value)) if math.isfinite(value) else math.nan


def plain(value: float) -> float | str:
    """Return a number as JSON holds it."""
    return value if math.isfinite(value) else str(value)
