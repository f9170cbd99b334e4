"""Elements that nothing writes, told of at the loop that stores: by the text of the kernel alone."""

from __future__ import annotations

import pytest

from tritonpuzzles.judge.verdict.kernels import MOVE, NO_LOOP, at_the_loop
from tritonpuzzles.judge.wording.unwritten import FILL_GAPS
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.cover import OPEN
from tritonpuzzles.source import Source

KERNEL = """
@triton.jit
def kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    left, end = n, y_ptr + offs
    LOOP
        x = tl.load(x_ptr + offs)
        STORE
        left -= BLOCK
"""
LOOP, STORE = 6, 8


def file_of(loop: str, store: str) -> Source:
    return Source(KERNEL.replace("LOOP", loop).replace("STORE", store))


def told(loop: str, store: str, **details: object) -> Finding:
    given = Finding(
        "unwritten-elements", "Columns.", file="p.py", line=STORE, next_step=FILL_GAPS, details={OPEN: True, **details}
    )
    return at_the_loop(given, file_of(loop, store))


@pytest.mark.parametrize("loop", ["for start in range(0, n, BLOCK):", "while left > 0:"])
def test_a_store_whose_address_stands_still(loop: str) -> None:
    found = told(loop, "tl.store(y_ptr + offs, x)", written=8)
    assert found.message == f"Columns. The loop of line {LOOP} does not move the address of the store in line {STORE}."
    assert (found.line, found.next_step) == (STORE, MOVE)
    assert file_of(loop, "tl.store(y_ptr + offs, x)").loops[0].staying("store") == {STORE}


@pytest.mark.parametrize(
    ("loop", "store"),
    [
        ("for start in range(0, n, BLOCK):", "tl.store(y_ptr + start + offs, x)"),
        ("while left > 0:", "tl.store(end, x); end += BLOCK"),
    ],
)
def test_a_loop_behind_whose_end_nothing_is_written(loop: str, store: str) -> None:
    found = told(loop, store, written=8)
    assert f"The loop of line {LOOP} ends there" in found.message
    assert found.line == LOOP
    assert not file_of(loop, store).loops[0].staying("store")


def test_gaps_elsewhere_are_no_loops_fault() -> None:
    found = told("for start in range(0, n, BLOCK):", "tl.store(y_ptr + start + offs, x)")
    assert (found.message, found.line, found.next_step) == ("Columns.", STORE, FILL_GAPS)


def test_without_a_loop_none_is_spoken_of() -> None:
    assert told("if n > 0:", "tl.store(y_ptr + offs, x)", written=8).next_step == NO_LOOP


def test_a_store_that_stays_at_its_first_row_is_not_the_ranges_fault() -> None:
    loop = "for row in range(tl.program_id(0), n, tl.num_programs(0)):"
    source = file_of(loop, "tl.store(y_ptr + tl.program_id(0) * n + offs, x)")
    given = Finding("unwritten-elements", "Rows.", file="p.py", line=STORE, next_step="Go on.")
    found = at_the_loop(given, source)
    assert f"does not move the address of the store in line {STORE}" in found.message
    assert (found.line, found.next_step) == (STORE, MOVE)


def test_of_a_loop_over_rows_of_its_own_the_range_is_told() -> None:
    loop = "for row in range(tl.program_id(0), n, tl.num_programs(0)):"
    found = told(loop, "tl.store(y_ptr + row * n + offs, x)", written=8)
    assert found.message == "Columns. The loop around it, in line 6, is range(tl.program_id(0), n, tl.num_programs(0))."
