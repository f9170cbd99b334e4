"""`trace` as it is printed, and of real files."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import FIXTURE
from tests.front import samples
from tests.front.conftest import Run
from tritonpuzzles.front.console import console_on
from tritonpuzzles.front.page.model import View
from tritonpuzzles.front.report.source import listings, moves
from tritonpuzzles.front.report.trace import trace_data, trace_lines
from tritonpuzzles.results.check import Verdict
from tritonpuzzles.results.trace import Trace, TracedLaunch
from tritonpuzzles.results.traffic import CachedLine, CacheTraffic, LineTraffic

SOURCE = """import triton


@triton.jit
def load(ptrs):
    return tl.load(ptrs)  # [bold] and a comment that is too long for the eighty columns of an ordinary terminal


@triton.jit
def softmax_kernel(x_ptr):
    x = load(x_ptr)
    tl.store(y_ptr, x); tl.atomic_add(z_ptr, x)


def host():
    return 1
"""


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Trace:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "p03.py"
    path.write_text(SOURCE)
    lines = (
        LineTraffic(str(path), 6, "x_ptr", 200, 0, 0, 100),
        LineTraffic(str(path), 12, "y_ptr", 0, 100, 0, 100),
        LineTraffic(str(path), 12, "z_ptr", 0, 0, 8, None),
        LineTraffic("/elsewhere/helper.py", 3, "x_ptr", 50, 0, 0, 100),
    )
    result = samples.passing(file=str(path), lines=lines)
    launch = TracedLaunch("softmax_kernel", (33, 1, 1), 33, 1024)
    return Trace(result, "late maximum", (33, 781), "float32", (launch, launch))


def text_of(found: Trace, width: int = 80) -> str:
    stream = io.StringIO()
    console = console_on(stream, width)
    for line in trace_lines(found, View(console.width)):
        console.print(line)
    return "\n".join(line.rstrip() for line in stream.getvalue().split("\n"))


def test_source_with_its_traffic_in_the_margin(found: Trace) -> None:
    text = text_of(found)
    assert "  6 │     return tl.load(ptrs)  # [bold] and" in text.replace("x_ptr read 2.00x", "")
    rows = {line.split("│")[0].strip(): line for line in text.split("\n") if "│" in line}
    assert "x_ptr read 2.00x  6" in rows
    assert "y_ptr written 1.00x  12" in rows
    assert "z_ptr atomic 8 bytes" in rows  # its size is not known; on a row of its own
    assert "def host" not in text
    assert "/elsewhere/helper.py:3  x_ptr read 0.50x" in text
    assert "2 times softmax_kernel: 33 programs (grid 33), largest tile 1,024 elements" in text
    assert 'case "late maximum", 33 x 781 float32' in text.replace("\n ", "")
    assert "2.00x        -    2.00x  ✓" in text


@pytest.mark.parametrize("width", [40, 80, 120])
def test_widths(found: Trace, width: int) -> None:
    text = text_of(found, width)
    assert max(len(line) for line in text.split("\n")) <= width
    if width == 40:
        after = text.split("tl.load(ptrs)")[1].split("\n")[1]
        assert after.strip() == "^ x_ptr read 2.00x"


def test_a_file_that_does_not_pass_says_so(found: Trace) -> None:
    failing = replace(found, result=replace(found.result, verdict=Verdict.FAIL))
    assert "Next: tritonpuzzles check 3" in text_of(failing)
    assert "Next:" not in text_of(found)
    assert "writes nothing yet" in text_of(replace(found, result=replace(found.result, verdict=Verdict.UNSOLVED)))


def test_a_file_that_does_not_run_shows_its_findings() -> None:
    text = text_of(Trace(samples.syntax_error()))
    assert "does not parse at line 3" in text
    assert "DRAM traffic" not in text


def test_sources_that_cannot_be_read_keep_their_lines(found: Trace) -> None:
    found.result.file.opened.write_text("def (")
    text = text_of(found)
    assert "p03.py:6 x_ptr read 2.00x" in " ".join(text.split())


def test_listings_are_whole_functions_once(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("@d\ndef outer():\n    def inner():\n        x = 1\n    y = 2\n")
    assert [(name, [*lines]) for name, lines in listings(path, (), {4, 5})] == [("outer", [1, 2, 3, 4, 5])]
    assert listings(path, ("inner",), ()) == [("inner", {3: "    def inner():", 4: "        x = 1"})]
    assert listings(tmp_path / "none.py", ("a",), {1}) == []


def test_moves_are_multiples_of_the_tensor() -> None:
    assert list(moves(LineTraffic("f", 1, "x_ptr", 300, 50, 0, 100))) == ["x_ptr read 3.00x", "x_ptr written 0.50x"]
    assert list(moves(LineTraffic("f", 1, "x_ptr", 0, 0, 0, 100))) == []


READS = (LineTraffic("f", 6, "x_ptr", 100, 0, 0, 100, "x"), LineTraffic("f", 9, "x_ptr", 100, 0, 0, 100, "x"))


@pytest.mark.parametrize(
    ("from_dram", "said"),
    [
        ((100, 0), "x_ptr read 2.00 times, 1.00 times from DRAM: line 9 finds all of it in the L2 cache."),
        ((100, 40), "x_ptr read 2.00 times, 1.40 times from DRAM: line 9 finds 60 % of it in the L2 cache."),
        ((0, 0), "x_ptr read 2.00 times, 0.00 times from DRAM: lines 6 and 9 find all of it in the L2 cache."),
        ((10, 40), "0.50 times from DRAM: line 6 finds 90 % of it, line 9 finds 60 % of it in the L2 cache."),
        ((100, 100), "x_ptr read 2.00 times, all of it from DRAM."),
        ((800, 800), "x_ptr read 2.00 times, 16.00 times from DRAM, which moves whole sectors of 32 bytes."),
    ],
)
def test_what_the_cache_leaves_to_dram(found: Trace, from_dram: tuple[int, int], said: str) -> None:
    lines = tuple(CachedLine("f", row.line, "x_ptr", "x", n, 0) for row, n in zip(READS, from_dram, strict=True))
    cache = CacheTraffic("H200", 50 << 20, (33,), lines)
    text = " ".join(text_of(replace(found, result=replace(found.result, lines=READS), cache=cache)).split())
    assert "L2 cache as on an H200: 50 MiB, empty at first, 33 programs at once" in text
    assert said in text
    assert ("Of larger tensors it may hold less." in text) == ("find" in said)


def test_a_cache_without_a_model_is_told_of(found: Trace) -> None:
    cache = CacheTraffic("H200", 50 << 20, problem="It touches too many places.")
    assert "It touches too many places." in text_of(replace(found, cache=cache))
    assert "L2 cache" not in text_of(found)


def test_json(found: Trace) -> None:
    data = json.loads(json.dumps(trace_data(found), allow_nan=False))
    assert list(data) == [
        "version", "puzzle", "slug", "file", "seed", "verdict", "case", "shape", "dtype", "launches", "operations",
        "scratch", "cache", "traffic", "lines", "findings",
    ]  # fmt: skip
    assert data["cache"] is None
    cached = replace(found, cache=CacheTraffic("H200", 50 << 20, (33,), (CachedLine("f", 6, "x_ptr", "x", 96, 32),), 4))
    told = json.loads(json.dumps(trace_data(cached), allow_nan=False))["cache"]
    assert (told["gpu"], told["at_once"], told["dram_bytes"]) == ("H200", [33], 132)
    assert told["lines"][0]["read_bytes"] == 96
    assert data["lines"][0]["tensor_bytes"] == 100
    assert data["launches"][0] == {"kernel": "softmax_kernel", "grid": [33, 1, 1], "programs": 33, "largest_tile": 1024}


def test_a_real_file(run: Run) -> None:
    real = {"judge": False, "TRITONPUZZLES_PACK": str(FIXTURE)}
    done = run("trace", "1", "--solution", "--seed", "3", **real)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "x_ptr read 1.00x  27 │     x = tl.load(x_ptr + offsets, mask=mask)" in done.stdout
    ascii_only = run("trace", "1", "--solution", PYTHONIOENCODING="ascii", **real).stdout
    assert ascii_only.isascii()
    assert "y_ptr written 1.00x  28 | " in ascii_only


def test_a_missing_file_is_a_finding(run: Run, tmp_path: Path) -> None:
    real = {"judge": False, "TRITONPUZZLES_PACK": str(FIXTURE)}
    done = run("trace", "1", "--file", str(tmp_path / "none.py"), "--json", **real)
    assert done.returncode == 1
    assert json.loads(done.stdout)["findings"][0]["code"] == "missing-file"
