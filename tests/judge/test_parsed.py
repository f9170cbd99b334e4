"""What a file's text stands for: constants by their names, helpers that are exponentials, steps with a name."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

from tritonpuzzles.judge.verdict.advice import lines_like, spoken
from tritonpuzzles.source import Source
from tritonpuzzles.source.file import Constant

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


SOURCE = Source(TEXT)


def test_a_helper_that_subtracts_is_more_than_an_exponential() -> None:
    assert [*SOURCE.exponentials] == ["power"]
    assert not Source("@triton.jit\ndef power(v):\n    return tl.exp(v - tl.max(v))").exponentials


def test_constants_are_numbers_that_are_assigned_once() -> None:
    assert SOURCE.constants == {
        "LOG2E": Constant("0.6931471805599453", 2),
        "LOWEST": Constant("float('-inf')", 3),
        "SMALL": Constant("-1000000000.0", 21),
    }


def test_a_pattern_finds_a_constant_where_it_is_defined() -> None:
    assert lines_like(SOURCE, [r"0\.6931"]) == [2]
    assert lines_like(SOURCE, [r"=\s*tl\.full\(.*-inf"]) == [3]
    assert lines_like(SOURCE, [r"nowhere", r"tl\.full\("]) == [25]


def test_a_helper_that_is_an_exponential_is_read_as_one() -> None:
    assert [one.lines for one in SOURCE.exponentials.values()] == [range(9, 11)]
    assert SOURCE.is_exponential(ast.parse("power(peak - higher)", mode="eval").body)
    assert not SOURCE.is_exponential(ast.parse("folded(peak, higher)", mode="eval").body)
    assert (
        spoken("{alpha} = exp({m_old} - {m_new}), {l}", SOURCE) == "alpha = exp(m_old - m_new), total"
    )  # of two maxima


def test_patterns_may_name_variables() -> None:
    alone = Source(TEXT.replace("m_new = tl.maximum(m, tl.max(x, 0))", "m_new = m"))
    assert lines_like(alone, [r"^\s*{alpha}\s*="]) == [30]


@pytest.mark.parametrize(("line", "made"), [(33, 24), (34, 34), (31, 31)])
def test_a_step_with_a_name_is_told_where_it_is_made(line: int, made: int) -> None:
    assert SOURCE.step_made(line) == made


def test_tiles_are_numbered_where_a_program_s_number_is_divided() -> None:
    assert SOURCE.numbering_line == 23


PARSERS = """
import ast, gc, threading, time
import tritonpuzzles.source

class Garbage:
    def __init__(self):
        self.me = self

    def __del__(self):
        time.sleep(0)  # lets another thread go on, as a tensor's end does

text, errors = "\\n".join(f"def f{n}(x):\\n    return x + {n}" for n in range(400)), []

def parse():
    for _ in range(40):
        for _ in range(30):
            Garbage()
        try:
            ast.parse(text)
        except SystemError as error:
            errors.append(str(error))

gc.set_threshold(200)
threads = [threading.Thread(target=parse) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(errors)
"""


def test_threads_that_parse_at_the_same_time_do_not_fail() -> None:
    """Python before 3.13 counts the depth of a tree for all threads together: without a lock this fails there."""
    done = subprocess.run([sys.executable, "-c", PARSERS], capture_output=True, text=True, timeout=120)
    assert done.stdout == "[]\n", done.stderr
