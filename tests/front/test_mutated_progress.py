"""Entries of the state file with something wrong in them: read, with what only a newer version knows, or refused."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given, settings

from tests.mutated import mutated
from tritonpuzzles.decoding.marks import DecodeError
from tritonpuzzles.front.workspace.progress import Progress, from_dict

ENTRY: dict[str, Any] = {
    "attempts": 3,
    "solved_at": "2026-01-01T00:00:00+00:00",
    "solved_hash": "ab",
    "best": {"rate": 3, "unit": "GB/s", "device": "H100", "at": None},
    "hints": 1,
    "verdict": "pass",
    "codes": ["a", "b"],
    "seen": {"code": "c", "message": "m", "line": 3, "next_step": None, "in_cell": True},
    "stars": 2,
    "predicted_stars": 3,
    "speeds": [{"device": "d", "dtype": "float32", "shape": [1, 2], "rate": 3.5}],
}


def test_what_is_written_is_read() -> None:
    assert from_dict({}) == Progress()
    found = from_dict({**ENTRY, "newer": {"x": 1}, "others": 2})
    assert found.others == {"newer": {"x": 1}, "others": 2}
    assert json.loads(json.dumps(found.to_dict())) == {**ENTRY, "newer": {"x": 1}, "others": 2}


@settings(max_examples=300, deadline=None)
@given(mutated(ENTRY))
def test_an_entry_is_read_or_refused(data: Any) -> None:
    with contextlib.suppress(ValueError):
        assert from_dict(from_dict(data).to_dict()) == from_dict(data)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"attempts": -1}, "attempts is -1, and may be 0 or more"),
        ({"hints": True}, "hints is True; a whole number is expected"),
        ({"codes": "a"}, "codes is 'a'; a list is expected"),
        ({"best": {"rate": 1}}, "best: 'unit' is missing"),
        ({"best": {**ENTRY["best"], "rate": "1"}}, "best.rate is '1'; a number is expected"),
        ({"seen": {**ENTRY["seen"], "in_cell": None}}, "seen.in_cell is None; true or false is expected"),
        ({"speeds": [{**ENTRY["speeds"][0], "shape": [1, 1.5]}]}, "speeds[0].shape[1] is 1.5; a whole number"),
    ],
)
def test_what_is_said(change: dict[str, Any], said: str) -> None:
    with pytest.raises(DecodeError) as caught:
        from_dict({**ENTRY, **change})
    assert said in str(caught.value)
