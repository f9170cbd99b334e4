"""Where the host function sets the sizes that a compile error blames."""

from __future__ import annotations

from dataclasses import replace

from tritonpuzzles.judge.verdict.host import with_places
from tritonpuzzles.results.check import Finding
from tritonpuzzles.source import Source

FILE = """
@triton.jit
def kernel(x_ptr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    BLOCK_M = 3


def host(x):
    BLOCK_M, BLOCK_N = (8, 8)
    kernel[(1,)](x, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N)


def other(x):
    kernel[(1,)](x, BLOCK_M=64, BLOCK_N=8)
"""


def step(*names: str) -> str | None:
    finding = Finding("compile-error", "Too small.", next_step="Enlarge it.", details={"sizes": dict.fromkeys(names)})
    return with_places(finding, Source(FILE)).next_step


def test_the_lines_that_set_a_size_are_named() -> None:
    assert step("BLOCK_N") == "Enlarge it. See lines 8 and 13."
    assert step("BLOCK_K") == "Enlarge it."
    assert step() == "Enlarge it."


def test_what_one_line_sets_is_told_there_and_where_it_is_seen() -> None:
    finding = Finding("compile-error", "Too small.", line=4, next_step="Enlarge it.", details={"sizes": {"BLOCK_M": 8}})
    one = Source(FILE.partition("\n\ndef other")[0])
    told = with_places(finding, one)
    assert (told.line, told.message, told.next_step) == (8, "Too small. It is seen in line 4.", "Enlarge it.")
    whole = with_places(replace(finding, line=one.kernels[0].node.lineno), one)
    assert (whole.line, whole.message) == (8, "Too small.")


def test_what_blames_no_size_stays_as_it_is() -> None:
    finding = Finding("compile-error", "Wrong.", next_step="Mend it.")
    assert with_places(finding, Source("")) == finding
