"""All pictures of a trace: each a figure of its own, or one below the other on one sheet.

Each is told in sentences for those who cannot see it: the same numbers, names and case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure, FigureBase

from tritonpuzzles.front.pictures import maps, pairs, timeline, traffic
from tritonpuzzles.front.pictures.axes import OFF_WORDS, STRAY_WORDS
from tritonpuzzles.front.pictures.maps import times
from tritonpuzzles.front.pictures.style import name_of, new_figure, styled
from tritonpuzzles.front.pictures.tiles import MASKED, NOBODY, Area, areas, ends
from tritonpuzzles.front.text import sized
from tritonpuzzles.results.trace import LaunchAccesses, Numbers, Outcome, Pairs, Picture, Trace
from tritonpuzzles.results.words import plural

MOST_LAUNCHES = 3
BETWEEN = "   ·   "
MOST_COUNTS = 4  # of how often; of more, the extremes
MOST_LOOPS = 6


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
            tiles, name = maps.outcome_tiles(trace.picture), trace.picture.outcome_of
            told = of_outcomes(name, kinds, trace, about)
            found.append(
                Drawing(
                    maps.outcomes_height(kinds),
                    lambda figure: maps.draw_outcomes(figure, name, kinds, tiles, about),
                    told,
                )
            )
    if traffic.rows(trace.result.traffic):
        told = of_traffic(trace, _case(trace, trace.case or "", trace.shape, trace.dtype))
        found.append(Drawing(traffic.height(trace), lambda figure: traffic.draw(figure, trace), told))
    return found


def _of_launch(launch: LaunchAccesses, about: str, asked: Pairs | None) -> list[Drawing]:
    moved = areas(launch)
    if not moved:
        return []
    found = [
        Drawing(
            maps.access_height(moved),
            lambda figure: maps.draw_access(figure, moved, launch.programs, about),
            of_access(moved, launch.programs, about),
        ),
        Drawing(
            timeline.height(launch), lambda figure: timeline.draw(figure, launch, about), of_timeline(launch, about)
        ),
    ]
    walk = pairs.walk(launch, asked) if asked is not None else None
    if walk is not None:
        told = of_pairs(walk, about)
        found.append(Drawing(pairs.HEIGHT, lambda figure: pairs.draw(figure, walk, about), told))
    return found


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


def of_access(areas: Sequence[Area], programs: int, about: str) -> str:
    """Return what the picture of programs and elements shows."""
    tensors = " ".join(_area(area, programs) for area in areas)
    return f"Which program reads and writes which element. {about}. {tensors}"


def _area(area: Area, programs: int) -> str:
    low, high = int(area.by[area.by > 0].min()), int(area.by.max())
    each = (
        f"{low} to {plural(high, 'program')}" if low < high else f"all {high} programs" if high > 1 else "one program"
    )
    each = f"{high} programs" if 1 < low == high < programs else each
    moved = int(np.count_nonzero(area.count))
    sizes = f"{moved:,} of {plural(area.count.size, 'element')}, each by {each}, {_often(area)}"
    return f"{area.title}: {sizes}{_tiles(area)}."


def _often(area: Area) -> str:
    counts, how_many = np.unique(area.count[area.count > 0], return_counts=True)
    if len(counts) == 1:
        return times(int(counts[0]))
    if len(counts) > MOST_COUNTS:
        return f"{times(int(counts[0]))} to {times(int(counts[-1]))}"
    return ", ".join(f"{n:,} {times(int(count))}" for count, n in zip(counts, how_many, strict=True))


def _tiles(area: Area) -> str:
    """Return how large the tiles are, and what of them moves nothing."""
    parts = []
    sizes = dict.fromkeys((tile.box.height, tile.box.width) for tile in area.tiles)
    if len(sizes) == 1:
        ((tall, wide),) = sizes
        parts.append(f"in {plural(len({tile.box for tile in area.tiles}), 'tile')} of {tall} x {wide:,} lanes")
    parts += _past(area)
    for kind, words in ((MASKED, "in a tile, but masked off"), (NOBODY, "by no program")):
        count = int(np.count_nonzero(area.who == kind))
        parts += [f"{count:,} {words}"] if count else []
    return "".join(f", {part}" for part in parts)


def _past(area: Area) -> Iterator[str]:
    bottom, right = ends(area.tiles, area.rows, area.cols)
    kinds = {
        OFF_WORDS if tile.masked >= beyond else STRAY_WORDS
        for tile in area.tiles
        if (beyond := tile.beyond(area.rows, area.cols))
    }
    unit = "element" if area.rows == 1 else "column"
    places = [plural(right - area.cols, unit)] if right > area.cols else []
    places += [plural(bottom - area.rows, "row")] if bottom > area.rows else []
    if kinds:
        word = "past the end, masked off in part" if len(kinds) > 1 else kinds.pop()
        yield f"the last ones reach {' and '.join(places)} {word}"


def of_timeline(launch: LaunchAccesses, about: str) -> str:
    """Return what the picture of one program's steps shows."""
    program, steps = timeline.shown_program(launch), timeline.steps_of(launch, timeline.shown_program(launch))
    who = f"program {program}" if launch.programs > 1 else "the only program"
    cuts = timeline.passes(steps)
    loops = [
        f"{', '.join(timeline.pass_words(launch, steps, cuts, number).split(chr(10)))}: {plural(end - first, 'step')}"
        for number, (first, end) in enumerate(cuts[:MOST_LOOPS])
    ]
    more = f"; and {plural(len(cuts) - MOST_LOOPS, 'more loop')}" if len(cuts) > MOST_LOOPS else ""
    told = f"{plural(len(steps), 'step')}. {'; '.join(loops)}{more}."
    return f"What {who} reads and writes, in order of time. {about}. {told}"


def of_pairs(found: pairs.Walk, about: str) -> str:
    """Return what the picture of pairs shows."""
    first, end = found.rows
    what = f"Which {found.pairs.values_in_words} program {found.program} works out"
    rows = f"Rows {first:,} to {end - 1:,} of {found.down} against {plural(len(found.tiles), 'tile')} of {found.across}"
    return f"{what}. {about}. {rows}. {' '.join(pairs.words(found).split(chr(10)))}"


def of_outcomes(name: str, kinds: Numbers, trace: Trace, about: str) -> str:
    """Return what the map of wrong elements shows."""
    counts = {kind: int(np.count_nonzero(kinds == kind)) for kind in Outcome}
    told = ", ".join(f"{n:,} {maps.LOOKS[kind][2]}" for kind, n in counts.items() if n)
    wrong = int(np.count_nonzero(kinds))
    where = next((case.mismatch.where for case in trace.result.cases if case.name == trace.case and case.mismatch), "")
    place = f" Wrong: {where}." if where else ""
    return f"Where the wrong elements of {name} lie: {wrong:,} of {kinds.size:,}. {about}. {told}.{place}"


def of_traffic(trace: Trace, about: str) -> str:
    """Return what the bars of bytes show."""
    rows = traffic.rows(trace.result.traffic)
    bars = "; ".join(_bar(row) for row in rows)
    return f"How many bytes it moves, and how few would do. {about}. {traffic.total(rows)}. {bars}."


def _bar(row: traffic.Row) -> str:
    least = f", {row.least} is the least" if row.least else ""
    most = f", {row.most:g} is allowed" if row.most is not None else ""
    over = ": over the limit" if row.most is not None and row.times > row.most + 1e-9 else ""
    return f"{row.label} {row.times:,.2f} times its size{least}{most}{over}"
