"""Facts come from an engine that nobody believes: each is read as it was sent, or refused, and always worded."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tritonpuzzles.decoding.marks import DecodeError
from tritonpuzzles.judge.wording.calls import worded
from tritonpuzzles.judge.wording.launches import Known
from tritonpuzzles.results.where import Region, Span
from tritonpuzzles.wire.facts import (
    BadAccess,
    CallFact,
    Fact,
    Gap,
    LaunchFact,
    LostContext,
    Passed,
    Said,
    SomeRan,
    Stopped,
    Tensor,
    Wrap,
)
from tritonpuzzles.wire.reading import MOST_FACTS, fact_told, facts_told, read_fact, read_facts

TEXT = """import triton
import triton.language as tl


@triton.jit
def copy_kernel(x_ptr, y_ptr, x_row_stride, n_rows, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    for i in range(0, n_cols, BLOCK):
        x = tl.load(x_ptr + row * x_row_stride + cols)
        tl.store(y_ptr + row * n_cols + cols, x, mask=cols < n_cols)
        cols += BLOCK
"""
KNOWN = Known("p.py", "copy(x)", {"p.py": TEXT})
LAUNCH = LaunchFact(
    "copy_kernel", "p.py", 5, ("p.py", 20), (4, 1, 1),
    {"x_row_stride": 8, "n_rows": 4, "n_cols": 6, "BLOCK": 4},
    (Tensor("x_ptr", (4, 6), (8, 1)), Tensor("y_ptr", (4, 6), (6, 1))), ((11, "y_ptr"),), 4,
)  # fmt: skip
REGION = Region("block", (Span(4, 1, 3, 3, 0, (3,)), Span(6, 2, 4, 5, 1, (4, 5))))
FACTS: dict[str, Fact] = {
    "outside": BadAccess("out-of-bounds-load", LAUNCH, "x_ptr", "p.py", 10, 8, 3, 30, lanes=32),
    "masked": BadAccess("out-of-bounds-store", LAUNCH, "y_ptr", "p.py", 11, 8, 3, -1, masked=True, lanes=24),
    "nowhere": BadAccess("out-of-bounds-load", LAUNCH, "", "p.py", 10, 8, 3, None),
    "twice": BadAccess("race-write-write", LAUNCH, "y_ptr", "p.py", 11, 2, 3, 6, 1),
    "undefined": BadAccess("undefined-lane", LAUNCH, "x_ptr", "p.py", 10, 2, 0, 0, stored="y_ptr"),
    "by zero": BadAccess("division-by-zero", LAUNCH, "", "p.py", 10, 2, 0, 0, stored="y_ptr"),
    "shift": BadAccess("undefined-shift", LAUNCH, "", "p.py", 10, 2, 0, 0, stored="y_ptr"),
    "wrapped": BadAccess(
        "int32-overflow", LAUNCH, "x_ptr", "p.py", 10, 2, 0, None, wrap=Wrap("p.py", 10, "*", 2, 1 << 30, 1 << 31)
    ),
    "gap": Gap("y", (4, 6), 2, (3, 4), REGION, None, (4, 6), None, None, (LAUNCH,), (("p.py", 11),), None),
    "rows": Gap("y", (4, 6), 6, (3, 0), REGION, 3, (3, 6), None, (1, 2), (LAUNCH,), (("p.py", 11),), None),
    "some": SomeRan("y", 1 << 31, LAUNCH),
    "changed": CallFact("input-modified", "x", 4, passed=Passed("copy_kernel", "x_ptr", 20, 11)),
    "unmarked": CallFact("unwritten-elements", count=2, of=24, where=REGION),
    "race": CallFact("race", count=1, of=5, run=2, first=(1, 3)),
    "lost": LostContext("misaligned address"),
    "stopped": Stopped("kernel-error", "ValueError: no", "p.py", 10),
    "said": Said("compile-error", "Triton says no.", "p.py", 10, details={"targets": ["sm_80"]}),
}  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def places(data: Any) -> list[list[Any]]:
    """Return the way to each value inside of another."""
    named = list(data.items()) if isinstance(data, dict) else list(enumerate(data)) if isinstance(data, list) else []
    return [[key, *way] for key, value in named for way in ([], *places(value))]


@pytest.mark.parametrize("fact", FACTS.values(), ids=FACTS)
def test_a_fact_is_read_as_it_was_sent_and_worded(fact: Fact) -> None:
    assert read_facts(json.loads(json.dumps(facts_told([fact])))) == [fact]
    assert [finding.code for finding in worded([fact], KNOWN)] == [fact.code] * (not isinstance(fact, SomeRan))


@pytest.mark.slow
@settings(max_examples=600, deadline=None)
@given(st.sampled_from(sorted(FACTS)), st.data(), JSON)
def test_anything_in_any_field_is_read_and_worded_or_refused(name: str, data: st.DataObject, value: Any) -> None:
    told = json.loads(json.dumps(fact_told(FACTS[name])))
    *way, last = data.draw(st.sampled_from(places(told)))
    inner = told = copy.deepcopy(told)
    for key in way:
        inner = inner[key]
    inner[last] = value
    try:
        fact = read_fact(told)
    except ValueError:
        return
    worded([fact], KNOWN)


@pytest.mark.parametrize(
    "change",
    [{"fact": "Fact"}, {"code": "no-such-code"}, {"line": True}, {"file": "a" * 5_000}, {"count": -1}, {"program": 4}],
    ids=str,
)
def test_what_no_engine_of_ours_sends_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(DecodeError):
        read_fact({**fact_told(FACTS["outside"]), **change})


def test_more_facts_than_are_read_are_refused() -> None:
    many = [FACTS["lost"]] * (MOST_FACTS + 1)
    assert len(read_facts(facts_told(many))) == MOST_FACTS
    with pytest.raises(DecodeError):
        read_facts([fact_told(fact) for fact in many])


def test_a_scalar_that_doubles_with_each_line_is_given_up() -> None:
    doubled = "\n".join(f"    a{n + 1} = a{n} + a{n}" for n in range(60))
    text = f"def k(x_ptr, a0):\n{doubled}\n    tl.load(x_ptr + a60)\n"
    launch = LaunchFact("k", "p.py", 1, ("p.py", 90), (4, 1, 1), {"a0": -1}, (Tensor("x_ptr", (4, 6), (8, 1)),))
    fact = BadAccess("out-of-bounds-load", launch, "x_ptr", "p.py", 62, 1, 0, -1)
    assert "x_ptr is read outside" in worded([fact], Known("p.py", "f(x)", {"p.py": text}))[0].message
