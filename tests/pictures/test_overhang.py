"""Lanes of a tile that move nothing: past the end of a tensor, and inside; as data, and as they are drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from tests.pictures.conftest import trace_figures
from tests.pictures.test_figures import words
from tritonpuzzles.front.pictures.axes import MOST_PARTS, OFF, OFF_WORDS, STRAY, STRAY_WORDS, draw_beyond
from tritonpuzzles.front.pictures.tiles import (
    MASKED,
    NOBODY,
    Box,
    Tile,
    areas,
    ends,
    masked_inside,
    outer_parts,
    shown_end,
)
from tritonpuzzles.results.trace import Trace

Solution = Callable[[int], Trace]


def hatched(figure: Figure, hatch: str) -> list[tuple[float, float, float, float]]:
    """Return where the patches of a hatch lie: x, y, width, height."""
    found = [
        patch for patch in figure.findobj(Rectangle) if isinstance(patch, Rectangle) and patch.get_hatch() == hatch
    ]
    return [(*patch.get_xy(), patch.get_width(), patch.get_height()) for patch in found if patch.axes is not None]


def test_the_parts_of_a_tile_that_lie_outside() -> None:
    tile = Tile(0, Box(2, 6, 4, 12), 22)
    assert list(outer_parts(tile.box, 4, 9)) == [Box(2, 4, 9, 12), Box(4, 6, 4, 12)]
    assert tile.beyond(4, 9) == 2 * 3 + 2 * 8 == 22
    assert list(outer_parts(tile.box, 6, 12)) == []
    assert ends([tile], 4, 9) == (6, 12)
    assert (shown_end(12, 9), shown_end(100, 10)) == (12, 16)


def test_what_a_mask_switches_off_inside() -> None:
    past, inside = Tile(0, Box(0, 1, 0, 8), 3), Tile(1, Box(1, 2, 0, 8), 4)  # of five columns: three lanes lie past
    assert masked_inside([past, inside], 2, 5).tolist() == [[False] * 5, [True] * 5]


def test_the_last_tile_of_each_row_reaches_past_the_end(solution: Solution) -> None:
    access, timeline, _ = trace_figures(solution(3))
    n_rows, n_cols = solution(3).shape
    end = -(-n_cols // 4096) * 4096
    past = hatched(access, OFF)
    assert sorted(past[:n_rows]) == [(n_cols, row, end - n_cols, 1) for row in range(n_rows)]
    assert OFF_WORDS in words(access).split("\n")
    assert f"{end:,}" in words(access).split("\n")
    assert STRAY_WORDS not in words(access)
    spans = {(x, x + width) for x, _, width, _ in hatched(timeline, OFF)}
    assert spans == {(start, start + 4096) for start in range(0, end, 4096)}
    assert max(axes.get_xlim()[1] for axes in timeline.findobj(Axes) if isinstance(axes, Axes)) == end


def test_lanes_that_no_mask_switches_off_are_crossed(unmasked: Trace) -> None:
    access = trace_figures(unmasked)[0]
    assert STRAY_WORDS in words(access).split("\n")
    n_cols = unmasked.shape[1]
    end = -(-n_cols // 1024) * 1024
    assert {(x, x + width) for x, _, width, _ in hatched(access, STRAY)} == {(n_cols, end)}


def test_scores_past_the_last_key(solution: Solution) -> None:
    scores = trace_figures(solution(5))[2]
    n = solution(5).shape[0]
    assert (n, -(-n // 64) * 64) in {(x, x + width) for x, _, width, _ in hatched(scores, OFF)}


def test_elements_that_a_mask_leaves_out_are_told_from_those_of_no_program(solution: Solution) -> None:
    picture = solution(1).picture
    assert picture is not None
    (launch,) = picture.launches
    n_cols = picture.shape[1]
    short = [replace(a, elements=a.elements[a.elements % n_cols < n_cols - 1]) for a in launch.accesses]
    short = [replace(a, programs=a.elements // n_cols) for a in short]
    masked = [replace(one, found=one.found + np.array([0, 0, 0, 1], dtype=np.int32)) for one in launch.tiles]
    for tiles, kind in ((tuple(masked), MASKED), ((), NOBODY)):
        for area in areas(replace(launch, accesses=tuple(short), tiles=tiles)):
            assert set(area.who[:, -1].tolist()) == {kind}


def test_very_many_parts_become_one() -> None:
    figure = Figure()
    axes = figure.subplots()
    tiles = [Tile(n, Box(n, n + 1, 0, 8), 2) for n in range(MOST_PARTS + 1)]
    draw_beyond(axes, tiles, MOST_PARTS + 1, 6, {})
    assert hatched(figure, OFF) == [(6, 0, 2, MOST_PARTS + 1)]
