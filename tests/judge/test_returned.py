"""The line that makes what comes back in a wrong form, by the text of the host code alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.judge.verdict.returned import GRADIENT_OF, OUTPUT, at_their_making
from tritonpuzzles.results.check import Finding

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


def line(tmp_path: Path, number: int, text: str, **details: str) -> int | None:
    path = tmp_path / "p.py"
    path.write_text(text)
    (found,) = at_their_making([Finding("wrong-shape", "Another.", details=details)], puzzle(number), path)
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
def test_lines(number: int, text: str, details: dict[str, str], expected: int | None, tmp_path: Path) -> None:
    assert line(tmp_path, number, text, **details) == expected
