"""What a file's text stands for: constants by their names, helpers that are exponentials, steps with a name."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tritonpuzzles.judge.verdict.grids import numbering_of
from tritonpuzzles.judge.verdict.moved import step_made
from tritonpuzzles.judge.verdict.parsed import Constant, constants_of, exponential_lines, spelled_out
from tritonpuzzles.judge.verdict.suggested import lines_like
from tritonpuzzles.judge.verdict.vocabulary import spoken

TEXT = '''"""A file."""
LOG2E = tl.constexpr(0.6931471805599453)
LOWEST = float("-inf")
TWICE = 1
TWICE = 2


@triton.jit
def power(d):
    return tl.exp2(d * LOG2E)


@triton.jit
def folded(m, x):
    m_new = tl.maximum(m, tl.max(x, 0))
    return m_new, tl.exp(m - m_new)


@triton.jit
def kernel(x_ptr, n, stride, BLOCK: tl.constexpr):
    SMALL: tl.constexpr = -1e9
    pid = tl.program_id(0)
    row, col = pid // n, pid % n
    step = BLOCK
    peak = tl.full((), LOWEST, tl.float32)
    total = 0.0
    for start in range(0, n, BLOCK):
        v = tl.load(x_ptr)
        higher = tl.maximum(peak, tl.max(v, axis=0))
        shrink = power(peak - higher)
        total = total * shrink + tl.sum(power(v - higher), axis=0)
        peak = higher
        x_ptr += step
        total += shrink
'''


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "p.py"
    file.write_text(TEXT)
    return file


def test_constants_are_numbers_that_are_assigned_once(path: Path) -> None:
    assert constants_of(path) == {
        "LOG2E": Constant("0.6931471805599453", 2),
        "LOWEST": Constant("float('-inf')", 3),
        "SMALL": Constant("-1000000000.0", 21),
    }


def test_a_pattern_finds_a_constant_where_it_is_defined(path: Path) -> None:
    assert lines_like(path, [r"0\.6931"]) == [2]
    assert lines_like(path, [r"=\s*tl\.full\(.*-inf"]) == [3]
    assert lines_like(path, [r"nowhere", r"tl\.full\("]) == [25]


def test_a_helper_that_is_an_exponential_is_read_as_one(path: Path) -> None:
    assert exponential_lines(path) == {9, 10}
    kernel = next(function for _, function in spelled_out(path) if function.name == "kernel")
    assert "shrink = tl.exp(peak - higher)" in ast.unparse(kernel)
    assert spoken("{alpha} = exp({m_old} - {m_new}), {l}", path) == "alpha = exp(m_old - m_new), total"  # of two maxima


def test_patterns_may_name_variables(tmp_path: Path) -> None:
    alone = tmp_path / "alone.py"
    alone.write_text(TEXT.replace("m_new = tl.maximum(m, tl.max(x, 0))", "m_new = m"))
    assert lines_like(alone, [r"^\s*{alpha}\s*="]) == [30]


@pytest.mark.parametrize(("line", "made"), [(33, 24), (34, 34), (31, 31)])
def test_a_step_with_a_name_is_told_where_it_is_made(path: Path, line: int, made: int) -> None:
    assert step_made(path, line) == made


def test_tiles_are_numbered_where_a_program_s_number_is_divided(path: Path) -> None:
    assert numbering_of(path) == 23
