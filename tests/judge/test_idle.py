"""A factor that is always 1, by the text of a kernel alone."""

from __future__ import annotations

import pytest

from tritonpuzzles.judge.verdict.kernels import idle_factor
from tritonpuzzles.source import Source

KERNEL = """
@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    m = -3.4e38
    l = 0.0
    for start in range(0, n, BLOCK):
        x = tl.load(x_ptr + start)
        {first}
        {second}
        {third}
        l = l * alpha + tl.sum(tl.exp(x - m_new), axis=0)
        m = m_new
"""
NEW = "m_new = tl.maximum(m, tl.max(x, axis=0))"


@pytest.mark.parametrize(
    ("first", "second", "third", "expected"),
    [
        (NEW, "m = m_new", "alpha = tl.exp(m - m_new)", (10, "m", "m_new", 9)),
        (NEW, "m = m_new", "alpha = tl.math.exp2((m - m_new) * scale)", (10, "m", "m_new", 9)),
        ("m = tl.maximum(m, tl.max(x, axis=0))", "m_new = m", "l *= tl.exp(m_new - m)", (10, "m_new", "m", 9)),
        (NEW, "alpha = tl.exp(m - m_new)", "m = m_new", None),
        ("m_old = m", "m = tl.maximum(m, x)", "alpha = tl.exp(m_old - m)", None),
        ("m_old = m", "m += 1", "alpha = tl.exp(m_old - m)", None),
        ("m_old = m", "m, k = tl.maximum(m, x), 0", "alpha = tl.exp(m_old - m)", None),
        ("m_old = m", "if n > 1: m = x", "alpha = tl.exp(m_old - m)", None),
        (NEW, "alpha = tl.exp(m_new - m_new)", "pass", (9, "m_new", "m_new", 9)),
    ],
)
def test_the_first_is_told(first: str, second: str, third: str, expected: tuple[int, str, str, int] | None) -> None:
    found = idle_factor(Source(KERNEL.format(first=first, second=second, third=third)))
    assert (found is None) == (expected is None)
    if found is not None and expected is not None:
        line, left, right, copied = expected
        same = f"{left} is {right} itself in line {line}, since line {copied}"
        text = f"Line {line} subtracts {left} from itself" if left == right else same
        assert found.line == copied
        assert found.text == f"{text}: the factor is always 1, and what was summed before is not rescaled."


def test_what_was_so_before_a_loop_need_not_be_so_in_it() -> None:
    begun = KERNEL.replace("    l = 0.0\n", "    l = 0.0\n    m_new = m\n")
    text = begun.format(first="l = l * tl.exp(m - m_new)", second="pass", third=NEW)
    assert idle_factor(Source(text)) is None


def test_a_file_that_cannot_be_read_has_none() -> None:
    assert idle_factor(Source("def kernel(:")) is None
