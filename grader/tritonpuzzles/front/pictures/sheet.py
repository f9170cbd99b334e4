"""All pictures of a trace: each as a figure, or one below the other on one sheet.

Each has a description in sentences for those who cannot see it: the same numbers, names and case.
"""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from tritonpuzzles.front.pictures import maps, pairs, timeline, traffic
from tritonpuzzles.front.pictures.style import BETWEEN, Drawing, name_of, new_figure, styled
from tritonpuzzles.front.pictures.tiles import areas
from tritonpuzzles.front.text import sized
from tritonpuzzles.results.trace import LaunchAccesses, Pairs, Picture, Trace
from tritonpuzzles.results.words import plural

MOST_LAUNCHES = 3


def sheet(found: Sequence[Drawing], dark: bool) -> Figure:
    """Return pictures as one figure, one below the other."""
    with styled(dark):
        heights = [drawing.height for drawing in found]
        figure = new_figure(sum(heights))
        parts = figure.subfigures(len(found), 1, squeeze=False, height_ratios=heights)
        for part, drawing in zip(parts[:, 0], found, strict=True):
            drawing.draw_in(part)
    return figure


def drawings(trace: Trace) -> list[Drawing]:
    """Return what there is to draw, in the order in which one looks at it."""
    found = []
    if trace.picture is not None:
        for number, launch in enumerate(trace.picture.launches[:MOST_LAUNCHES]):
            found += _of_launch(launch, _about(trace, trace.picture, number), trace.picture.pairs)
        if trace.picture.outcomes is not None:
            alike = (case.mismatch for case in trace.result.cases if case.name == trace.case and case.mismatch)
            where = next((mismatch.where for mismatch in alike), "")
            about = _about(trace, trace.picture)
            found.append(maps.outcomes(trace.picture, trace.picture.outcomes, where, about))
    if bars := traffic.rows(trace.result.traffic):
        case = _case(trace, trace.case or "", trace.shape, trace.dtype)
        found.append(traffic.drawing(bars, trace.result.label, case))
    return found


def _of_launch(launch: LaunchAccesses, about: str, asked: Pairs | None) -> list[Drawing]:
    moved = areas(launch)
    if not moved:
        return []
    walk = pairs.walk(launch, asked) if asked is not None else None
    found = [maps.access(moved, launch.programs, about), timeline.drawing(launch, about)]
    return [*found, *([pairs.drawing(walk, about)] if walk is not None else [])]


def _about(trace: Trace, picture: Picture, number: int | None = None) -> str:
    """Return the line under a title: which file, which kernel, which case."""
    words = [trace.result.label]
    if number is not None:
        launch = picture.launches[number]
        order = f"launch {number + 1} of {len(picture.launches)}, " if len(picture.launches) > 1 else ""
        words.append(f"{order}{name_of(launch.kernel)} in {plural(launch.programs, 'program')}")
    words.append(_case(trace, picture.case, picture.shape, picture.dtype))
    return BETWEEN.join(words)


def _case(trace: Trace, case: str, shape: tuple[int, ...], dtype: str) -> str:
    return f'case "{name_of(case)}", {sized(shape, dtype)}, seed {trace.result.seed}'
