"""The ledger of a file by source line, in a real worker; bytes worked out by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import FIXTURE
from tritonpuzzles.curriculum.record import Argument, MatrixSpec, OutputSpec, Puzzle
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.judge.trace import trace
from tritonpuzzles.results.check import Verdict
from tritonpuzzles.results.trace import Trace

TraceSource = Callable[[str], Trace]
LOAD = "    x = tl.load(x_ptr + offsets, mask=mask)\n"


@pytest.fixture
def trace_source(square: Puzzle, tmp_path: Path) -> TraceSource:
    def run(source: str) -> Trace:
        path = tmp_path / "p01_square.py"
        path.write_text(source)
        return trace(square, path, CheckOptions("cpu", seed=3, timeout=20))

    return run


def moved(found: Trace) -> list[tuple[str, float, float]]:
    sizes = [(line, line.tensor_bytes or 0) for line in found.result.lines]
    return [(line.argument, line.loaded_bytes / size, line.stored_bytes / size) for line, size in sizes]


def test_the_largest_case_line_by_line(trace_source: TraceSource, square_source: str) -> None:
    found = trace_source(square_source)
    n = found.shape[0]
    assert (found.case, found.dtype, found.result.verdict) == ("ordinary numbers", "float32", Verdict.PASS)
    assert moved(found) == [("x_ptr", 1.0, 0.0), ("y_ptr", 0.0, 1.0)]
    source = square_source.splitlines()
    assert ["tl.load" in source[line.line - 1] for line in found.result.lines] == [True, False]
    assert {line.tensor_bytes for line in found.result.lines} == {4 * n}
    assert [row.limit for row in found.result.traffic] == [1.0, 1.0]
    (launch,) = found.launches
    assert (launch.kernel, launch.grid[0], launch.programs) == ("square_kernel", -(-n // 256), -(-n // 256))
    assert launch.largest_tile == 256
    assert found.result.compile == ()


def test_a_failing_kernel_is_traced(trace_source: TraceSource, square_source: str) -> None:
    found = trace_source(square_source.replace(LOAD, LOAD + LOAD).replace("x * x", "x + x"))
    assert found.result.verdict is Verdict.FAIL
    assert moved(found) == [("x_ptr", 1.0, 0.0), ("x_ptr", 1.0, 0.0), ("y_ptr", 0.0, 1.0)]
    assert found.result.traffic[0].loaded_times == 2.0
    assert found.cache is not None
    first, second, store = found.cache.lines
    assert (first.read_bytes, second.read_bytes) == (32 * -(-4 * found.shape[0] // 32), 0)
    assert (store.argument, store.tensor, store.read_bytes, store.written_bytes) == ("y_ptr", "y", 0, first.read_bytes)
    assert [line.line for line in found.cache.lines] == [line.line for line in found.result.lines]
    assert found.cache.read_bytes("x", "x_ptr") == first.read_bytes
    assert found.cache.written_bytes("y", "y_ptr") == store.written_bytes
    assert found.cache.dram_bytes == 2 * first.read_bytes
    assert found.cache.at_once == (found.launches[0].programs,)


def test_a_helper_function_has_its_own_lines(trace_source: TraceSource, square_source: str) -> None:
    helper = "@triton.jit\ndef fetch(ptrs, mask):\n    return tl.load(ptrs, mask=mask)\n\n\n"
    source = square_source.replace("@triton.jit\n", helper + "@triton.jit\n", 1)
    found = trace_source(source.replace(LOAD, "    x = fetch(x_ptr + offsets, mask)\n"))
    assert found.result.verdict is Verdict.PASS
    line = found.result.lines[0].line
    assert "return tl.load(ptrs" in source.splitlines()[line - 1]


def test_a_stub_has_launches_and_no_lines(trace_source: TraceSource) -> None:
    found = trace_source((FIXTURE / "puzzles" / "p01_square.py").read_text())
    assert found.result.verdict is Verdict.UNSOLVED
    assert found.case is not None
    assert found.launches
    assert found.result.lines == ()


def test_a_file_that_does_not_run_has_findings_alone(trace_source: TraceSource, square_source: str) -> None:
    found = trace_source(square_source + "\nraise SystemExit\n")
    assert (found.case, found.launches) == (None, ())
    assert [finding.code for finding in found.result.findings] == ["exit"]


def test_a_tensor_is_drawn_as_the_matrix_that_the_record_says(square: Puzzle, tmp_path: Path) -> None:
    asked = replace(
        square,
        arguments=(Argument("x", picture=MatrixSpec("n", 1)),),
        outputs=(OutputSpec("y", "exact", picture=MatrixSpec(2, "n // 2")),),
        cases=(replace(square.cases[0], shape=(64,)),),
    )
    path = FIXTURE / "solutions" / "p01_square.py"
    found = trace(asked, path, CheckOptions(device="cpu", seed=1), picture=True).picture
    assert found is not None
    assert {tensor.role: tensor.size for tensor in found.launches[0].tensors} == {"x": (64, 1), "y": (2, 32)}
    wrong = tmp_path / path.name
    wrong.write_text(path.read_text().replace("x * x", "x + x + 9"))
    found = trace(asked, wrong, CheckOptions(device="cpu", seed=1), picture=True).picture
    assert found is not None
    assert found.outcomes is not None
    assert found.outcomes.shape == (2, 32)
