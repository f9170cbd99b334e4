"""From accesses to areas: boxes, colours, cells, loops, and the choice of a case."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from tritonpuzzles.front.pictures.axes import rectangles, thinned
from tritonpuzzles.front.pictures.tiles import NOBODY, SEVERAL, Box, areas, boxes_of, shrunk
from tritonpuzzles.front.pictures.timeline import lanes_of, pass_words, passes, steps_of
from tritonpuzzles.judge.verdict.showcase import doublings
from tritonpuzzles.results.trace import Access, AccessedTensor, LaunchAccesses, folded

COLS = 10


def access(rows: slice, cols: slice, program: int = 0, operation: str = "load", line: int = 1) -> Access:
    elements = np.arange(4 * COLS).reshape(4, COLS)[rows, cols].reshape(-1)
    return Access(operation, int(operation != "load"), "f.py", line, elements, np.full(len(elements), program))


def launch(*accesses: Access, programs: int = 2) -> LaunchAccesses:
    tensors = (AccessedTensor("x_ptr", "x", (4, COLS)), AccessedTensor("y_ptr", "output", (4, COLS)))
    return LaunchAccesses("k", (programs, 1, 1), programs, tensors, accesses)


def test_a_full_area_is_one_box_and_a_run_over_the_edge_two() -> None:
    assert boxes_of(access(slice(1, 3), slice(4, 8)), COLS) == {0: (Box(1, 3, 4, 8),)}
    over = Access("store", 0, "f.py", 1, np.arange(18, 23), np.zeros(5, dtype=int))
    assert boxes_of(over, COLS) == {0: (Box(1, 2, 8, 10), Box(2, 3, 0, 3))}
    twice = Access("load", 0, "f.py", 1, np.array([5, 5, 6, 15]), np.array([0, 0, 0, 1]))
    assert boxes_of(twice, COLS) == {0: (Box(0, 1, 5, 7),), 1: (Box(1, 2, 5, 6),)}


@pytest.mark.parametrize(("shape", "expected"), [((), (1, 1)), ((7,), (1, 7)), ((3, 4), (3, 4)), ((2, 3, 4), (6, 4))])
def test_folded(shape: tuple[int, ...], expected: tuple[int, int]) -> None:
    assert folded(shape) == expected


def test_who_reads_what_and_how_often() -> None:
    all_rows = slice(0, 4)
    (read,) = areas(
        launch(access(all_rows, slice(0, 5)), access(all_rows, slice(4, 8), 1), access(all_rows, slice(4, 5)))
    )
    assert read.who[0].tolist() == [0] * 4 + [SEVERAL] + [1] * 3 + [NOBODY] * 2
    assert read.count[0].tolist() == [1] * 4 + [3] + [1] * 3 + [0] * 2
    assert read.by[0].tolist() == [1] * 4 + [2] + [1] * 3 + [0] * 2
    assert (read.row_starts, read.col_starts) == ([0], [0, 4])
    assert read.title == "x_ptr read"


def test_reads_come_before_writes_and_atomics_are_writes() -> None:
    row = slice(0, 1), slice(0, COLS)
    found = areas(launch(access(*row, operation="atomic"), access(*row)))
    assert [(area.name, area.written) for area in found] == [("x_ptr", False), ("y_ptr", True)]
    assert areas(launch()) == []


def test_one_odd_element_among_thousands_stays() -> None:
    values = np.zeros((3, 9067), dtype=int)
    values[1, 9066] = 4
    cells, tall, wide = shrunk(values, (150, 300), values)
    assert cells.shape == (3, 300)
    assert (tall, wide) == (1, 31)
    assert np.argwhere(cells).tolist() == [[1, 299]]
    small, tall, wide = shrunk(values[:, :5], (150, 300), values[:, :5])
    assert small.shape == (3, 5)
    assert (tall, wide) == (1, 1)


def test_rectangles_cover_a_mask_exactly_once() -> None:
    mask = np.random.default_rng(1).random((20, 30)) < 0.4
    covered = np.zeros(mask.shape, dtype=int)
    for top, bottom, left, right in rectangles(mask):
        covered[top:bottom, left:right] += 1
    assert (covered == mask).all()
    assert rectangles(np.ones((4, 5), dtype=bool)) == [(0, 4, 0, 5)]


def test_thinned() -> None:
    assert thinned(range(100), 10) == list(range(0, 100, 10))
    assert thinned([], 10) == []


def test_loops_are_told_apart_by_their_lines() -> None:
    row = slice(1, 2)
    tiles = [slice(0, 4), slice(4, 8), slice(8, 10)]
    first = [access(row, tile, 1, line=5) for tile in tiles]
    second = [a for tile in tiles for a in (access(row, tile, 1, line=8), access(row, tile, 1, "store", 9))]
    found = launch(*first, *second)
    steps = steps_of(found, 1)
    cuts = passes(steps)
    assert cuts == [(0, 3), (3, 9)]
    assert pass_words(found, steps, cuts, 0) == "pass 1 of 2 over x_ptr\nreads x_ptr, line 5"
    assert pass_words(found, steps, cuts, 1) == "pass 2 of 2 over x_ptr\nreads x_ptr, line 8\nwrites y_ptr, line 9"
    assert [(lane.name, lane.by_rows, lane.starts) for lane in lanes_of(found, steps)] == [
        ("x_ptr", False, (0, 4, 8)),
        ("y_ptr", False, (0, 4, 8)),
    ]
    assert steps_of(found, 0) == []


def test_a_walk_down_the_rows() -> None:
    found = launch(*(access(slice(n, n + 2), slice(0, COLS), 0) for n in (0, 2)))
    (lane,) = lanes_of(found, steps_of(found, 0))
    assert (lane.by_rows, lane.size, lane.starts) == (True, 4, (0, 2))


def test_doublings() -> None:
    assert [doublings(value, 3, 7) for value in (3, 7, 1.5, 28)] == [0, 0, 1, 2]
