"""What edits can make of a kernel, and what they leave alone."""

from __future__ import annotations

import ast

import pytest

from tritonpuzzles.judge.diagnosis.edits import edits
from tritonpuzzles.judge.diagnosis.kerneltext import NameKind
from tritonpuzzles.source import Source

RIGHT = """
@triton.jit
def kernel(x_ptr, w_ptr, y_ptr, stride, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = 0.0
    m = 0.0
    x_ptrs = x_ptr + row * stride + tl.arange(0, BLOCK)
    w_ptrs = w_ptr + tl.arange(0, BLOCK)
    for k in range(0, tl.cdiv(n, BLOCK)):
        cols = k * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptrs, mask=cols < n)
        w = tl.load(w_ptrs, mask=cols < n)
        m = tl.maximum(m, tl.max(x))
        total += tl.sum(x * w - w * w)
        x_ptrs += BLOCK
        w_ptrs += BLOCK
    tl.store(y_ptr + row, tl.sqrt(total + eps) + m)
"""
GIVEN = {"kernel": dict.fromkeys(("x_ptr", "w_ptr", "y_ptr"), NameKind.POINTER)}
LACKS = [
    ("total + eps)", "total)", "nothing uses `eps`"),
    ("total + eps)", "total + 1e-6)", "a number stands in its place"),
    ("tl.sqrt(total + eps) + m", "tl.sqrt(total) + eps + m", "stands outside of"),
    ("total += ", "total = ", "forgets in each iteration"),
    ("tl.maximum(m, tl.max(x))", "tl.max(x)", "of one iteration alone"),
    ("        w_ptrs += BLOCK\n", "", "`w_ptrs` stays where it is"),
    ("tl.cdiv(n, BLOCK)", "n // BLOCK", "what the division leaves over"),
    ("x * w - w * w", "w * x - x * x", "are exchanged"),
    ("eps) + m", "eps)", "lacks a term"),
]


@pytest.mark.parametrize(("right", "wrong", "says"), LACKS, ids=[says for _, _, says in LACKS])
def test_what_is_wrong_can_be_put_right_and_is_said(right: str, wrong: str, says: str) -> None:
    assert RIGHT.count(right) == 1
    text = RIGHT.replace(right, wrong)
    found = [edit for edit in edits(Source(text), GIVEN) if _form(edit.of(text)) == _form(RIGHT)]
    assert any(says in edit.says for edit in found), [edit.says for edit in found]


def test_pointers_and_what_is_not_known_yet_stand_for_no_other_name() -> None:
    for edit in edits(Source(RIGHT), GIVEN):
        old = RIGHT[edit.start : edit.end]
        assert old not in ("x_ptr", "w_ptr", "y_ptr") or edit.new.endswith(("_ptr", "_ptrs")), edit
        assert edit.new != "total" or edit.line > RIGHT.splitlines().index("    total = 0.0") + 1, edit


def _form(text: str) -> str:
    """Return a text without what it does not mean: parentheses, and the order of terms and factors."""
    return str(_sorted(ast.parse(text.replace("; ", "\n        "))))


def _sorted(node: object) -> object:
    if isinstance(node, list):
        return [_sorted(one) for one in node]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mult):
        return type(node.op), sorted(str(_sorted(one)) for one in (node.left, node.right))
    return (type(node), [_sorted(value) for _, value in ast.iter_fields(node)]) if isinstance(node, ast.AST) else node
