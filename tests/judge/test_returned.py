"""The line that makes what comes back in a wrong form, by the text of the host code alone."""

from __future__ import annotations

import pytest

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.judge.verdict.host import GRADIENT_OF, OUTPUT, at_their_making
from tritonpuzzles.results.check import Finding
from tritonpuzzles.source import Source

AUTOGRAD = """
class Dot(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        c = torch.empty(1)
        return multiply(a, b, c)

    @staticmethod
    def backward(ctx, g):
        da = db = None
        if ctx.needs_input_grad[0]:
            da = torch.empty_like(a)
        db = torch.empty_like(b)
        return da, db.T, None, None


def dot(a, b, transpose_a=False, transpose_b=False):
    return Dot.apply(a, b)
"""
HOST = """
def softmax(x):
    y = torch.empty_like(x)
    if y.numel() == 0:
        return x
    y = torch.empty(x.shape)
    return y
"""


def line(number: int, text: str, **details: str) -> int | None:
    found = at_their_making(Finding("wrong-shape", "Another.", details=details), puzzle(number), Source(text))
    return found.line


def puzzle(number: int) -> Puzzle:
    return load_curriculum().puzzles[number]


@pytest.mark.parametrize(
    ("number", "text", "details", "expected"),
    [
        (1, HOST, {OUTPUT: "y"}, 6),
        (8, AUTOGRAD, {OUTPUT: "c"}, 6),
        (8, AUTOGRAD, {OUTPUT: "da", GRADIENT_OF: "a"}, 12),
        (8, AUTOGRAD, {OUTPUT: "db", GRADIENT_OF: "b"}, 14),
        (1, HOST, {}, None),
        (1, "softmax = torch.softmax", {OUTPUT: "y"}, None),
        (1, "def softmax(x): pass", {OUTPUT: "y"}, None),
        (1, "def softmax(", {OUTPUT: "y"}, None),
    ],
)
def test_lines(number: int, text: str, details: dict[str, str], expected: int | None) -> None:
    assert line(number, text, **details) == expected


EXCHANGED = """
class Dot(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        {asked}
        da = db = None
        if {for_a}:
            da = multiply(g, b.T)
        if {for_b}:
            db = multiply(a.T, g)
        return da, db, None, None
"""


@pytest.mark.parametrize(
    ("asked", "for_a", "for_b", "line", "flag"),
    [
        ("need_b, need_a, _, _ = ctx.needs_input_grad", "need_a", "need_b", 5, "need_a"),
        ("needs = ctx.needs_input_grad", "needs[1]", "needs[0]", None, ""),  # of another name
        ("first = ctx.needs_input_grad[1]", "first", "other", 5, "first"),
        ("pass", "ctx.needs_input_grad[1]", "ctx.needs_input_grad[0]", 7, "ctx.needs_input_grad[1]"),
        ("need_a, need_b = ctx.needs_input_grad[:2]", "need_a", "need_b", None, ""),
    ],
)
def test_a_gradient_that_is_made_where_another_is_asked_for(
    asked: str, for_a: str, for_b: str, line: int | None, flag: str
) -> None:
    source = Source(EXCHANGED.format(asked=asked, for_a=for_a, for_b=for_b))
    missing = Finding("wrong-type", "None comes back.", details={OUTPUT: "da", GRADIENT_OF: "a"})
    found = at_their_making(missing, puzzle(8), source)
    if line is None:
        assert found.message == missing.message
    else:
        told = f"It is computed where {flag} is true, which says whether b needs a gradient."
        assert (found.line, found.message) == (line, f"None comes back. {told}")
        assert found.next_step is not None
        assert "place 0 is a's" in found.next_step


def test_gradients_that_come_back_in_each_others_place_and_shape_are_told_at_the_return() -> None:
    """By its shape what stands in a's place is b's; without it the conditions may as well be exchanged."""
    text = EXCHANGED.format(asked="need_a, need_b = ctx.needs_input_grad[:2]", for_a="need_a", for_b="need_b")
    source = Source(text.replace("return da, db", "return db, da"))
    missing = Finding("wrong-type", "None comes back.", details={OUTPUT: "da", GRADIENT_OF: "a"})
    assert at_their_making(missing, puzzle(8), source, {"da"}).line == 11
    assert at_their_making(missing, puzzle(8), source).line == 5
