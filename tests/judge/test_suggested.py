"""The line shown with a named mistake: in a kernel, no docstring, of the surest pattern. And masks without brackets."""

from __future__ import annotations

import pytest

from tritonpuzzles.curriculum.mistakes import Mistake
from tritonpuzzles.judge.verdict.advice import chained_comparison, rules_out, suggest_line
from tritonpuzzles.source import Source

KERNEL = '''
def host(x):
    for start in range(0, n // BLOCK):  # of the host function
        kernel[(1,)](x)


@triton.jit
def kernel(
    x_ptr,  # range( is spoken of here
    n,
):
    """Add what `range(` gives.

    for start in range(0, n // 2): not code
    """
    m = 0.0  # range(0, n // 4)
    for start in range(0, n, BLOCK):
        m += 1
    for start in range(0, n // BLOCK):
        m += 1


def after(x):
    for start in range(0, n // BLOCK):
        pass
'''


FILE = Source(KERNEL)


def line_of(text: str, skip: int = 0) -> int:
    return [number for number, line in enumerate(KERNEL.splitlines(), 1) if text in line][skip]


def test_the_first_line_of_a_kernel_that_is_code() -> None:
    assert suggest_line(FILE, [r"range\("]) == line_of("range(0, n, BLOCK)")


def test_the_surest_pattern_decides_before_the_first_line() -> None:
    assert suggest_line(FILE, [r"for.*//", r"for"]) == line_of("range(0, n // BLOCK):", skip=1)
    assert suggest_line(FILE, [r"while", r"for"]) == line_of("range(0, n, BLOCK)")
    assert suggest_line(FILE, [r"while"]) is None


def test_what_follows_a_kernel_is_none() -> None:
    assert suggest_line(FILE, [r"pass"]) is None


@pytest.mark.parametrize(
    ("unless", "needs", "ruled_out"),
    [
        (None, None, False),
        (None, r"m \+= 1", False),
        (None, r"pass", True),
        ((r"range\(", r"n // BLOCK|BLOCK\)"), None, True),
        ((r"range\(", r"n // BLOCK"), None, False),
        ((r"while", r"while"), None, False),
    ],
)
def test_a_text_rules_a_mistake_out(unless: tuple[str, str] | None, needs: str | None, ruled_out: bool) -> None:
    assert rules_out(FILE, Mistake("a-code", "It is.", "Mend it.", (), (), unless, needs)) == ruled_out


def test_a_docstring_of_one_line_ends_there() -> None:
    source = Source("@triton.jit\ndef k(x_ptr):\n    '''Load x.'''\n    x = tl.load(x_ptr)\n")
    assert suggest_line(source, ["[Ll]oad"]) == 4


@pytest.mark.parametrize(
    ("code", "joint"),
    [
        ("mask = rows < n_rows & cols < n_cols", "&"),
        ("x = tl.load(p, mask=rows[:, None] < n & cols[None, :] < m, other=0.0)", "&"),
        ("s = tl.where(keys[None, :] >= n | rows[:, None] >= n, -1.0, s)", "|"),
        ("mask = (rows < n_rows) & (cols < n_cols)", None),
        ("mask = (rows < n_rows) & inside", None),
        ("mask = 0 <= rows < n_rows", None),
        ("mask = low < (cols & 7) < high", None),
        ("odd = cols & 1 == 1", None),
        ("if a < b and flags & 1 == 1:", None),
        ("x = tl.load(p, mask=a < b, other=c & d, eviction_policy=e == f)", None),
        ("y = x << 2 & 3", None),
        ("x = 1  # a < b & c < d", None),
    ],
)
def test_comparisons_that_lack_brackets(code: str, joint: str | None) -> None:
    found = chained_comparison(Source(f"@triton.jit\ndef k(p, n):\n    {code}\n"))
    assert (found is not None) == (joint is not None)
    if found is not None:
        line, text = found
        assert line == 3
        assert text == (
            f"Line 3 joins comparisons by {joint} without brackets. {joint} binds more tightly than <: "
            f"a < b {joint} c < d is a < (b {joint} c) < d."
        )
