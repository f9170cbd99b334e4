# ruff: noqa: E501 (tables of long lines)
"""Backward records that no submission can satisfy: refused when they are read, or when their first case is drawn."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.packs.slips import changed, said

SECOND = Path(__file__).parents[1] / "second_pack"
RECORD = Path("records/p03_swish_backward.toml")
X = 'name = "x"\nrequires_grad = true\n'
DY = '[[gradients]]\nname = "dy"\n'
DX = 'name = "dx"\n'
SWISH = "return x * torch.sigmoid(x)"

# old text of the record, new text, what is said
RECORDS = {
    "an output's dtype": (DX, DX + 'dtype = "float32"\n', "output 'dx' is float32, and its argument 'x' in the case's dtype: autograd gives a gradient in its argument's own dtype"),
    "an argument's dtype": (X, X + 'dtype = "float64"\n', "output 'dx' is in the case's dtype, and its argument 'x' float64"),
    "a gradient of whole numbers": (X, X + 'dtype = "int64"\n', "'x' requires a gradient and is int64: only floating point numbers can be differentiated"),
    "whole numbers for a gradient": (DY, DY + 'dtype = "int32"\n', "'dy' is a gradient and is int32"),
    "a gradient of a gradient": (DY, DY + "requires_grad = true\n", "'dy' is a gradient and cannot require one itself"),
    "no gradient required": ("requires_grad = true\n", "", "0 arguments require a gradient (none), and there is 1 output: one for each, in their order"),
    "two gradients for one result": (DY, DY + '\n[[gradients]]\nname = "dz"\n\n[[results]]\nname = "z"\ntolerance = "close"\n', "the reference answers:swish returns 1 tensor; the record has 2 [[gradients]]: dy, dz"),
    "the gradient of nobody": ('name = "ordinary numbers"\n', 'name = "ordinary numbers"\ngradients_of = ["dy"]\n', "case 'ordinary numbers' asks for the gradient of 'dy', which is no argument that requires one"),
    "no pass": ('name = "one row"\n', 'name = "one row"\npasses = 0\n', "case 'one row' has 0 passes: 1 or more, and 1 where no gradient is asked for"),
    "passes of nothing": ('name = "one row"\n', 'name = "one row"\npasses = 2\ngradients_of = []\n', "case 'one row' has 2 passes"),
    "other gradients of the same memory": ('name = "ordinary numbers"\n', 'name = "ordinary numbers"\ngradients_of = []\n', "comes after 'ordinary numbers', whose tensors it gets, and asks for other gradients"),
    "a gradient of another shape": (DY, DY + 'shape = ["n_cols"]\n', "; its gradient dy has ("),
}  # fmt: skip

# what the reference does, what is said
REFERENCES = {
    "x is not used": ("return torch.ones_like(x)", "the reference answers:swish gives a result, of gradient dy, in which no argument that requires a gradient (x) is used"),
    "x is detached": ("return x.detach() * 2", "in which no argument that requires a gradient (x) is used"),
    "two results": ("return x * x, x", "the reference answers:swish returns 2 tensors; the record has 1 [[gradients]]: dy"),
    "one number": ("return (x * x).sum()", "the reference answers:swish gives shape (); its gradient dy has ("),
    "in place": ("return x.mul_(2)", "the reference answers:swish raises RuntimeError: a leaf Variable that requires grad"),
}  # fmt: skip


@pytest.fixture
def backward(tmp_path: Path) -> Path:
    """Return a copy of the pack with a backward call, that puzzle alone."""
    pack = Path(shutil.copytree(SECOND, tmp_path / "pack", ignore=shutil.ignore_patterns("mutants")))
    (pack / "curriculum.toml").write_text('format = 1\ntitle = "x"\npuzzles = ["p03_swish_backward"]\n')
    return pack


def check(pack: Path) -> str:
    return said(pack, "check", "3", "--solution", "--device", "cpu", "--seed", "1")


@pytest.mark.parametrize("slip", RECORDS)
def test_a_record(slip: str, backward: Path) -> None:
    old, new, words = RECORDS[slip]
    changed(backward / RECORD, old, new)
    told = check(backward)
    assert "p03_swish_backward.toml" in told
    assert words in told


@pytest.mark.parametrize("slip", REFERENCES)
def test_a_reference(slip: str, backward: Path) -> None:
    body, words = REFERENCES[slip]
    changed(backward / "answers.py", SWISH, body)
    told = check(backward)
    assert "p03_swish_backward.toml, case 'ordinary numbers': " in told
    assert words in told


def test_a_reference_that_ignores_one_of_two(backward: Path) -> None:
    changed(backward / RECORD, X, X + '\n[[arguments]]\nname = "w"\nrequires_grad = true\n')
    changed(backward / RECORD, DX, DX + 'tolerance = "close"\n\n[[outputs]]\nname = "dw"\n')
    changed(backward / "answers.py", "def swish(x: Tensor)", "def swish(x: Tensor, w: Tensor)")
    assert "the reference answers:swish does not use w, which requires a gradient" in check(backward)


def test_whole_numbers_cannot_require_a_gradient_forwards_either(pack: Path) -> None:
    changed(pack / "records" / "p01_square.toml", 'name = "x"', 'name = "x"\ndtype = "int64"\nrequires_grad = true')
    assert "'x' requires a gradient and is int64" in said(pack)
