"""All pictures of a trace: each a figure of its own, or one below the other on one sheet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from matplotlib.figure import Figure, FigureBase

from tritonpuzzles.front.pictures import access, outcomes, pairs, spoken, timeline, traffic
from tritonpuzzles.front.pictures.style import name_of, new_figure, styled
from tritonpuzzles.front.pictures.tiles import areas
from tritonpuzzles.front.text import sized
from tritonpuzzles.results.trace import LaunchAccesses, Pairs, Picture, Trace
from tritonpuzzles.results.words import plural

MOST_LAUNCHES = 3
BETWEEN = "   ·   "


@dataclass(frozen=True)
class Drawing:
    """One picture: how high it is in inches, what draws it, and what it shows in sentences."""

    height: float
    draw: Callable[[FigureBase], None]
    words: str

    @property
    def told(self) -> str:
        """What it shows, for those who cannot see it."""
        return self.words.replace(BETWEEN, ", ")

    def figure(self, dark: bool) -> Figure:
        """Return it as a figure of its own."""
        with styled(dark):
            figure = new_figure(self.height)
            self.draw(figure)
            return figure


def words(trace: Trace) -> list[str]:
    """Return what each picture shows, for those who cannot see it."""
    return [drawing.told for drawing in drawings(trace)]


def figures(trace: Trace, dark: bool = False) -> list[Figure]:
    """Return each picture as a figure."""
    return [drawing.figure(dark) for drawing in drawings(trace)]


def in_both(trace: Trace) -> list[tuple[Figure, Figure, str]]:
    """Return each picture as a light figure, a dark one, and in sentences."""
    found = drawings(trace)
    return [(drawing.figure(False), drawing.figure(True), drawing.told) for drawing in found]


def sheet(trace: Trace, dark: bool = False) -> Figure | None:
    """Return all pictures as one figure; `None` if there are none."""
    with styled(dark):
        found = drawings(trace)
        if not found:
            return None
        figure = new_figure(sum(drawing.height for drawing in found))
        parts = figure.subfigures(len(found), 1, squeeze=False, height_ratios=[drawing.height for drawing in found])
        for part, drawing in zip(parts[:, 0], found, strict=True):
            drawing.draw(part)
        return figure


def drawings(trace: Trace) -> list[Drawing]:
    """Return what there is to draw, in the order in which one looks at it."""
    found = []
    if trace.picture is not None:
        for number, launch in enumerate(trace.picture.launches[:MOST_LAUNCHES]):
            found += _of_launch(launch, _about(trace, trace.picture, number), trace.picture.pairs)
        kinds, about = trace.picture.outcomes, _about(trace, trace.picture)
        if kinds is not None:
            tiles, name = outcomes.tiles(trace.picture), trace.picture.outcome_of
            told = spoken.of_outcomes(name, kinds, trace, about)
            found.append(
                Drawing(outcomes.height(kinds), lambda figure: outcomes.draw(figure, name, kinds, tiles, about), told)
            )
    if traffic.rows(trace.result.traffic):
        told = spoken.of_traffic(trace, _case(trace, trace.case or "", trace.shape, trace.dtype))
        found.append(Drawing(traffic.height(trace), lambda figure: traffic.draw(figure, trace), told))
    return found


def _of_launch(launch: LaunchAccesses, about: str, asked: Pairs | None) -> list[Drawing]:
    moved = areas(launch)
    if not moved:
        return []
    found = [
        Drawing(
            access.height(moved),
            lambda figure: access.draw(figure, moved, launch.programs, about),
            spoken.of_access(moved, launch.programs, about),
        ),
        Drawing(
            timeline.height(launch),
            lambda figure: timeline.draw(figure, launch, about),
            spoken.of_timeline(launch, about),
        ),
    ]
    walk = pairs.walk(launch, asked) if asked is not None else None
    if walk is not None:
        told = spoken.of_pairs(walk, about)
        found.append(Drawing(pairs.HEIGHT, lambda figure: pairs.draw(figure, walk, about), told))
    return found


def _about(trace: Trace, picture: Picture, number: int | None = None) -> str:
    """Return the line under a title: which file, which kernel, which case."""
    words = [f"p{trace.result.puzzle:02d} {trace.result.slug}"]
    if number is not None:
        launch = picture.launches[number]
        order = f"launch {number + 1} of {len(picture.launches)}, " if len(picture.launches) > 1 else ""
        words.append(f"{order}{name_of(launch.kernel)} in {plural(launch.programs, 'program')}")
    words.append(_case(trace, picture.case, picture.shape, picture.dtype))
    return BETWEEN.join(words)


def _case(trace: Trace, case: str, shape: tuple[int, ...], dtype: str) -> str:
    return f'case "{name_of(case)}", {sized(shape, dtype)}, seed {trace.result.seed}'
