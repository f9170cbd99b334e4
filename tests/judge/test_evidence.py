"""What a worker tells is read with suspicion: no number of its own decides a limit, no field is taken as it comes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import Check
from tritonpuzzles.judge.evidence.cases import case_evidence
from tritonpuzzles.judge.evidence.memory import cache_traffic
from tritonpuzzles.results.check import Verdict
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.wire.frames import Frame

SIZES = {"x": 400, "y": 400}
ROW = {
    "argument": "x_ptr",
    "tensor": "x",
    "tensor_bytes": 400,
    "loaded_bytes": 800,
    "stored_bytes": 0,
    "atomic_bytes": 0,
}
NAMES = ("y",)
LISTS = ("outputs", "facts", "lines", "launches", "scratch", "copies", "exact", "orders", "configurations")


def case(**row: Any) -> Frame:
    plain = {"kind": "case", "stored": True, "scratch_bytes": 0, "configuration": 0, "seconds": 0.5}
    return Frame({**plain, **{key: [] for key in LISTS}, "traffic": [{**ROW, **row}]})


def test_multiples_rest_on_the_judges_own_sizes() -> None:
    (row,) = case_evidence(case(tensor_bytes=1 << 40), SIZES, NAMES).traffic
    assert row.loaded_times == 2.0
    (scratch,) = case_evidence(case(tensor="scratch"), SIZES, NAMES).traffic
    assert scratch.loaded_times == 2.0


@pytest.mark.parametrize("field", ["loaded_bytes", "stored_bytes", "atomic_bytes", "tensor_bytes"])
@pytest.mark.parametrize("value", [math.nan, -1, 1.5, None, "3", True, math.inf, 10**4000])
def test_bytes_are_counts(field: str, value: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        case_evidence(case(**{field: value}), SIZES, NAMES)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from([*ROW, "stored", *LISTS, "traffic"]), JSON)
def test_anything_in_any_field_is_read_or_refused(field: str, value: Any) -> None:
    frame = case(**{field: value}) if field in ROW else Frame({**case().header, field: value})
    try:
        told = case_evidence(frame, SIZES, NAMES)
    except (TypeError, ValueError, KeyError):
        return
    assert all(math.isfinite(row.loaded_times) and row.loaded_times >= 0 for row in told.traffic)


CACHED = {
    "file": "f.py", "line": 3, "argument": "x_ptr", "tensor": "x", "read_bytes": 64, "written_bytes": 0, "lines": 2,
}  # fmt: skip
ASKED = {
    "variant": "k B=4", "programs": 4, "warps": 4, "loads": 4, "stores": 0, "asked_bytes": 64, "loaded_bytes": 64,
    "stored_bytes": 0, "own_bytes": 64, "lines": 2, "read_bytes": 64, "written_bytes": 0,
}  # fmt: skip
CACHE = {
    "gpu": "H200", "l2_bytes": 1, "at_once": [4], "lines": [CACHED], "copied_bytes": 2, "filled_bytes": 0,
    "problem": None, "in_order_bytes": None, "launches": [ASKED],
}  # fmt: skip


def test_what_a_cache_leaves_to_dram_is_read() -> None:
    found = cache_traffic(CACHE, Submission.of(Path("f.py")))
    assert (found.dram_bytes, found.at_once, found.lines[0].tensor) == (66, (4,), "x")
    assert cache_traffic({**CACHE, "problem": "Too many."}, Submission.of(Path("f.py"))).dram_bytes is None


@settings(max_examples=200, deadline=None)
@given(st.sampled_from([*CACHED, *CACHE]), JSON)
def test_anything_that_is_said_of_a_cache_is_read_or_refused(field: str, value: Any) -> None:
    told = {**CACHE, "lines": [{**CACHED, field: value}]} if field in CACHED else {**CACHE, field: value}
    try:
        found = cache_traffic(told, Submission.of(Path("f.py")))
    except (TypeError, ValueError, KeyError):
        return
    assert found.problem is not None or (found.dram_bytes is not None and found.dram_bytes >= 0)


FORGED = """
    import tritonpuzzles.engine.cpu as cpu
    honest = cpu.TensorTraffic
    cpu.TensorTraffic = lambda *row: honest(*row[:3], {loaded}, *row[4:])
    return y
"""


@pytest.mark.parametrize("loaded", ["float('nan')", "-1", "0"])
def test_a_count_that_is_forged_beside_the_host_function_counts_for_nothing(
    loaded: str, check_source: Check, square_source: str
) -> None:
    assert "BLOCK_SIZE=256)\n    return y\n" in square_source
    source = square_source.replace("256)\n    return y\n", "256)" + FORGED.format(loaded=loaded))
    result = check_source(source)
    assert result.verdict is Verdict.PASS
    assert [row.loaded_times for row in result.traffic if row.tensor == "x"] == [1.0]
