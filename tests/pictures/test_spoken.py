"""Alternative texts: the numbers that a picture shows, in sentences."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

pytest.importorskip("matplotlib")

from tests.pictures.conftest import trace_figures, trace_words
from tritonpuzzles.front.pictures import save
from tritonpuzzles.results.trace import Trace

Solution = Callable[[int], Trace]


@pytest.mark.slow
def test_every_picture_is_told_with_its_title_and_its_case(solution: Solution, unmasked: Trace) -> None:
    for found in (*(solution(number) for number in range(6)), unmasked):
        told = trace_words(found)
        figures = trace_figures(found)
        assert len(told) == len(figures)
        for words, figure in zip(told, figures, strict=True):
            title = str(figure.get_label())
            assert title.split(":")[0].removesuffix(" lie") in words
            assert f'case "{found.case}", {" x ".join(map(str, found.shape))}' in words
            assert "·" not in words


def test_a_file_holds_what_it_shows_in_words(solution: Solution, tmp_path: Path) -> None:
    found = solution(3)
    drawing, picture = tmp_path / "x.svg", tmp_path / "x.png"
    for path in (drawing, picture):
        assert save(found, path)
    told = " ".join(trace_words(found))
    assert f"<title>{escape(told)}</title>" in drawing.read_text(encoding="utf-8")
    assert told.encode("latin-1", "replace")[:40] in picture.read_bytes()


def test_a_solution_in_words(solution: Solution) -> None:
    found = solution(3)
    n_rows, n_cols = found.shape
    access, timeline, traffic = trace_words(found)
    every, tiles = n_rows * n_cols, -(-n_cols // 4096)
    read = f"x_ptr read: {every:,} of {every:,} elements, each by one program, 2 times, in {n_rows * tiles} tiles of"
    assert f"softmax_kernel in {n_rows} programs" in access
    assert f"{read} 1 x 4,096 lanes, the last ones reach {-n_cols % 4096:,} columns past the end, masked off." in access
    assert f"What program {n_rows // 2} reads and writes, in order of time." in timeline
    assert f"{3 * tiles} steps. pass 1 of 2 over x_ptr, reads x_ptr, line" in timeline
    assert f": {tiles} steps; pass 2 of 2" in timeline
    assert "x_ptr read 2.00 times its size, 1 is the least, 2 is allowed;" in traffic


def test_a_wrong_kernel_in_words(unmasked: Trace) -> None:
    n_rows, n_cols = unmasked.shape
    spilled = (n_rows - 1) * (-n_cols % 1024)
    access, _, outcomes, traffic = trace_words(unmasked)
    assert f"each by 1 to 2 programs, {n_rows * n_cols - spilled:,} once, {spilled:,} 2 times" in access
    assert f"reach {-n_cols % 1024} columns past the end and not masked off" in access
    assert outcomes.startswith(f"Where the wrong elements of y lie: {spilled:,} of {n_rows * n_cols:,}.")
    assert f"{n_rows * n_cols - spilled:,} right, {spilled:,} too small. Wrong: " in outcomes
    assert "y_ptr written 1." in traffic
    assert traffic.endswith("1 is allowed: over the limit.")


def test_attention_in_words(solution: Solution) -> None:
    n, d = solution(5).shape
    programs = -(-n // 64)
    access, _, scores, _ = trace_words(solution(5))
    assert f"k_ptr read: {n * d:,} of {n * d:,} elements, each by all {programs} programs, {programs} times" in access
    first = programs // 2 * 64
    assert f"Rows {first} to {first + 63} of q_ptr against {programs} tiles of k_ptr." in scores
    assert "at most 64 x 64 = 4,096 scores at a time." in scores
