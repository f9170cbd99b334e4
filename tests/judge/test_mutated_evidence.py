"""What a worker sends with something wrong in it: it is read within its bounds, or refused, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.divergence.test_states import told
from tests.judge.test_evidence import CACHE
from tests.mutated import GARBAGE, mutated
from tests.pictures.test_data import TILE, frame
from tritonpuzzles.judge.evidence.cases import case_evidence, finding, launch_summary
from tritonpuzzles.judge.evidence.fields import SENT as FIELDS
from tritonpuzzles.judge.evidence.memory import cache_traffic, kernel_resources, launch_accesses
from tritonpuzzles.judge.evidence.states import launch_states
from tritonpuzzles.judge.verdict.speed import positive, timing
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.results.traffic import LineTraffic
from tritonpuzzles.wire.frames import Frame

FILE = Submission.of(Path("f.py"))
OCCUPANCY = {"blocks_per_sm": 2, "warps_per_sm": 8, "fraction": 0.125, "limited_by": "registers"}
WORK = {
    "instructions": 40, "load_bytes": 16, "loads": 1, "store_bytes": 0, "stores": 0, "local_bytes": 0, "special": 1,
    "barriers": 1, "shuffles": 5, "shared": 2, "narrow": 0, "tensor_operations": 0,
    "tensor_time": 0, "plain_operations": 64, "queued": False, "ahead": False,
}  # fmt: skip
RESOURCES = {
    "shared_bytes": 1024, "num_warps": 4, "num_stages": 3, "registers": 32, "stack_bytes": None, "spill_bytes": 0,
    "local_accesses": 0, "tensor_core": {"HMMA": 3}, "load_bits": 128, "store_bits": None, "occupancy": OCCUPANCY,
    "notes": ["no ptxas"], "code": {"once": WORK, "loops": [WORK]},
}  # fmt: skip
KERNEL = {
    "kernel": "k", "dtypes": ["fp16"], "constants": {"B": 4, "ACT": "relu"},
    "targets": [
        {"target": "sm_90", "ok": True, "resources": RESOURCES}, {"target": "sm_80", "ok": False, "resources": None},
    ],
    "code": "abc",
}  # fmt: skip
FIT = {
    "per_multiprocessor": 2, "num_warps": 4, "max_warps": 64, "registers": 32, "shared_bytes": 0, "num_ctas": 1,
    "limited_by": "warps",
}  # fmt: skip
LAUNCH = {
    "kernel": "k", "line": 3, "grid": [4, 1, 1], "programs": 4, "largest_tile": 16, "constants": {"B": 4}, "fit": FIT,
    "unknown": "", "numbers": {"n": -7}, "calls": [9], "written": ["y"], "most_together": 0, "choices": {"B": "4"},
    "busy": 4, "code": "abc", "tuner": [0, 1], "reuse": [[1, 0.5], [16, 0.0]],
}  # fmt: skip
LINE = {
    "file": "f.py", "line": 3, "argument": "x_ptr", "loaded_bytes": 64, "stored_bytes": 0, "atomic_bytes": 0,
    "tensor_bytes": None, "tensor": "x",
}  # fmt: skip
OUTPUT = {"type": "Tensor", "shape": [1, 2], "dtype": "float32", "contiguous": True, "device": "cpu", "nbytes": 8}
MOVED = {
    "argument": "x_ptr", "tensor": "x", "tensor_bytes": 8, "loaded_bytes": 16, "stored_bytes": 0, "atomic_bytes": 0,
}  # fmt: skip
CASE = {
    "outputs": [OUTPUT], "exact": [], "orders": [{"way": "last first", "file": "f.py", "line": 3, "outputs": [OUTPUT]}],
    "facts": [], "traffic": [MOVED], "lines": [LINE], "launches": [LAUNCH], "stored": True, "scratch": [4],
    "scratch_bytes": 16, "copies": [], "configurations": ["BLOCK=16"], "configuration": 0, "seconds": 0.5,
}  # fmt: skip
FINDING = {
    "code": "no-launch", "message": "m", "file": None, "line": 3, "case": "c", "next_step": None, "details": {"n": 1},
}  # fmt: skip
TIMING = {"best_ms": 1, "low_ms": 1.5, "median_ms": 2.0, "high_ms": 2.5, "samples": 100}
STATES = np.zeros(6, dtype="<f4").tobytes()

# what is sent, and what reads it
SENT: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "cache": (CACHE, lambda data: cache_traffic(data, FILE)),
    "kernel": (KERNEL, kernel_resources),
    "launch": (LAUNCH, launch_summary),
    "line": (LINE, lambda data: FIELDS.read(LineTraffic, data)),
    "case": (CASE, lambda data: case_evidence(Frame(data, bytes(16)), {"x": 8}, ["x"])),
    "finding": (FINDING, finding),
    "timing": (TIMING, timing),
    "states": (told(b"").header["launches"], lambda data: launch_states(Frame({"launches": data}, STATES))),
    "accesses": (frame(tile={}).header["launches"], lambda data: launch_accesses(Frame({"launches": data}, TILE))),
}
VALUES = [*GARBAGE, float("nan"), float("inf"), 1 << 62, (1 << 62) + 1, "sm_80", "load", "store", [1] * 9, [[1, 1, 1]]]


@pytest.mark.parametrize("kind", SENT)
def test_what_an_honest_worker_sends_is_read(kind: str) -> None:
    data, read = SENT[kind]
    read(data)


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_it_is_read_or_refused(data: st.DataObject) -> None:
    document, read = SENT[data.draw(st.sampled_from(sorted(SENT)))]
    refused(read, data.draw(mutated(document, VALUES)))


def refused(read: Callable[[Any], Any], data: Any) -> str | None:
    try:
        read(data)
    except (ValueError, TypeError, KeyError) as error:
        return str(error)
    return None


@pytest.mark.parametrize(
    ("kind", "change", "said"),
    [
        ("cache", {"l2_bytes": -1}, "l2_bytes is -1, and may be 0 to"),
        ("cache", {"at_once": [1] * 20_001}, "at_once: a list has 20,001 items; the most is 20,000"),
        ("cache", {"lines": [{}]}, "lines[0]: 'file' is missing"),
        ("kernel", {"targets": [{"target": "sm_90", "ok": 1, "resources": None}]}, "targets[0].ok is 1; true or false"),
        ("launch", {"fit": {**FIT, "num_warps": 0}}, "a program has at least one warp"),
        ("launch", {"fit": {**FIT, "num_ctas": True}}, "fit.num_ctas is True; a whole number"),
        ("line", {"line": "7"}, "line is '7'; a whole number"),
        ("line", {"tensor": 1}, "tensor is 1; text is expected"),
        ("case", {"outputs": [OUTPUT] * 17}, "a list has 17 items; the most is 16"),
        ("case", {"outputs": [{**OUTPUT, "shape": [1] * 17}]}, "shape: a list has 17 items; the most is 16"),
        ("case", {"outputs": [{**OUTPUT, "nbytes": -1}]}, "nbytes is -1"),
        ("case", {"stored": 1}, "stored is 1; true or false"),
        ("case", {"traffic": [{**MOVED, "loaded_bytes": -5}]}, "loaded_bytes is -5"),
        ("finding", {"code": "all-is-well"}, "there is no finding 'all-is-well'"),
        ("finding", {"details": []}, "details is a list; a table"),
        ("timing", {"low_ms": 3}, "not positive and in order"),
        ("timing", {"best_ms": 0}, "not positive and in order"),
        ("timing", {"samples": 1}, "of 2 samples or more"),
        ("timing", {"high_ms": float("inf")}, "high_ms is inf; a finite number"),
    ],
)
def test_what_is_said(kind: str, change: dict[str, Any], said: str) -> None:
    data, read = SENT[kind]
    assert said in str(refused(read, {**data, **change}))


@pytest.mark.parametrize("value", [0, -1.0, float("nan"), float("inf"), "1", True, None, 10**400])
def test_a_rate_is_positive_and_finite(value: Any) -> None:
    assert refused(positive, value) is not None


def test_text_is_cut() -> None:
    assert len(FIELDS.read(LineTraffic, {**LINE, "argument": "x" * 3000}).argument) == 2000
