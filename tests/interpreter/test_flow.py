"""Which assignments of a kernel's text may reach a line, and what changes from one iteration to the next."""

from __future__ import annotations

import pytest
import triton
import triton.language as tl

from tests.worded import text_of


@triton.jit
def two_passes(x_ptr, n, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    p = x_ptr + o
    m = 0.0
    for i in range(0, n, BLOCK):
        a = tl.load(p, mask=o < n - i)  # first
        p += BLOCK
    for i in range(0, n, BLOCK):
        b = tl.load(p, mask=o < n)  # second
        keep = o < n - i
        if n > 1:
            o = o + 0
        c = tl.load(x_ptr + i + o, mask=keep)  # third
        m = m + tl.sum(a + b + c)
        p += BLOCK
    p = x_ptr + o
    tl.store(p, m)  # last


def line(mark: str) -> int:
    first: int = two_passes.starting_line_number
    return first + next(n for n, text in enumerate(two_passes.src.splitlines(), 1) if text.endswith(f"# {mark}"))


def added(name: str, mark: str) -> list[str]:
    return [step.text for step in text_of(two_passes).reaching(name, line(mark))]


def test_the_source_begins_at_the_def() -> None:
    assert two_passes.src.startswith("def two_passes")


@pytest.mark.parametrize(
    ("name", "mark", "texts"),
    [
        ("p", "first", ["x_ptr + o", "BLOCK"]),  # before the loop, and from the iteration before
        ("p", "second", ["x_ptr + o", "BLOCK", "BLOCK"]),  # what the first loop has left, too
        ("p", "last", ["x_ptr + o"]),  # set anew
        ("keep", "third", ["o < n - i"]),
        ("o", "third", ["tl.arange(0, BLOCK)", "0"]),  # a condition may not hold
        ("nothing", "third", []),
    ],
)
def test_what_reaches_a_line(name: str, mark: str, texts: list[str]) -> None:
    assert added(name, mark) == texts


def test_what_an_earlier_loop_has_moved_on_is_left_over() -> None:
    flow = text_of(two_passes)
    earlier = flow.left_over("p", line("second"))
    assert earlier is not None
    assert earlier.lineno < line("first") < (earlier.end_lineno or 0) < line("second")
    assert flow.left_over("p", line("first")) is None
    assert flow.left_over("p", line("last")) is None


def test_what_changes_from_turn_to_turn() -> None:
    changing = text_of(two_passes).changing(line("third"))
    assert {"i", "p", "m", "keep", "b", "c", "o"} <= changing
    assert not changing & {"n", "BLOCK", "x_ptr", "a"}
    assert text_of(two_passes).changing(line("last")) == set()
