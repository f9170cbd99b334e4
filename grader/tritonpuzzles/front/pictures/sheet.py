"""All pictures of a trace: each a figure of its own, or one below the other on one sheet.

Each is told in sentences for those who cannot see it: the same numbers, names and case.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
from matplotlib.figure import Figure

from tritonpuzzles.front.pictures import maps, pairs, timeline, traffic
from tritonpuzzles.front.pictures.axes import OFF_WORDS, STRAY_WORDS
from tritonpuzzles.front.pictures.maps import times
from tritonpuzzles.front.pictures.style import Drawing, name_of, new_figure, styled
from tritonpuzzles.front.pictures.tiles import MASKED, NOBODY, Area, areas, ends
from tritonpuzzles.front.text import sized
from tritonpuzzles.results.trace import LaunchAccesses, Numbers, Outcome, Pairs, Picture, Trace
from tritonpuzzles.results.words import plural

MOST_LAUNCHES = 3
BETWEEN = "   ·   "
MOST_COUNTS = 4  # of how often; of more, the extremes
MOST_LOOPS = 6


def sheet(found: Sequence[Drawing], dark: bool = False) -> Figure:
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
            found.append(_outcomes(trace, trace.picture, trace.picture.outcomes))
    if bars := traffic.rows(trace.result.traffic):
        title = "How many bytes it moves, and how few would do"
        case = _case(trace, trace.case or "", trace.shape, trace.dtype)
        told = f"{title}. {case}. {traffic.total(bars)}. {'; '.join(map(_bar, bars))}."
        about = f"{trace.result.label}{BETWEEN}{case}"
        found.append(Drawing(title, about, traffic.height(bars), partial(traffic.draw, bars), told))
    return found


def _of_launch(launch: LaunchAccesses, about: str, asked: Pairs | None) -> list[Drawing]:
    moved = areas(launch)
    if not moved:
        return []
    title, spoken = "Which program reads and writes which element", about.replace(BETWEEN, ", ")
    told = f"{title}. {spoken}. {' '.join(_area(area, launch.programs) for area in moved)}"
    draw = partial(maps.draw_access, moved, launch.programs)
    found = [Drawing(title, about, maps.access_height(moved), draw, told), _timeline(launch, about, spoken)]
    walk = pairs.walk(launch, asked) if asked is not None else None
    if walk is not None:
        found.append(_pairs(walk, about, spoken))
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


def _timeline(launch: LaunchAccesses, about: str, spoken: str) -> Drawing:
    """Return the picture of one program's steps."""
    program = timeline.shown_program(launch)
    steps = timeline.steps_of(launch, program)
    title = f"What {f'program {program}' if launch.programs > 1 else 'the only program'} reads and writes"
    title += ", in order of time"
    cuts = timeline.passes(steps)
    loops = [
        f"{', '.join(timeline.pass_words(launch, steps, cuts, number).split(chr(10)))}: {plural(end - first, 'step')}"
        for number, (first, end) in enumerate(cuts[:MOST_LOOPS])
    ]
    more = f"; and {plural(len(cuts) - MOST_LOOPS, 'more loop')}" if len(cuts) > MOST_LOOPS else ""
    told = f"{title}. {spoken}. {plural(len(steps), 'step')}. {'; '.join(loops)}{more}."
    return Drawing(title, about, timeline.height(steps), partial(timeline.draw, launch, steps), told)


def _pairs(found: pairs.Walk, about: str, spoken: str) -> Drawing:
    """Return the picture of pairs."""
    first, end = found.rows
    what = f"Which {found.pairs.values_in_words} program {found.program} works out"
    title = f"{what}: its {found.pairs.rows} tile against one {found.pairs.columns} tile after the other"
    rows = f"Rows {first:,} to {end - 1:,} of {found.down} against {plural(len(found.tiles), 'tile')} of {found.across}"
    told = f"{what}. {spoken}. {rows}. {' '.join(pairs.words(found).split(chr(10)))}"
    return Drawing(title, about, pairs.HEIGHT, partial(pairs.draw, found), told)


def _outcomes(trace: Trace, picture: Picture, kinds: Numbers) -> Drawing:
    """Return the map of wrong elements."""
    about, name = _about(trace, picture), picture.outcome_of
    counts = {kind: int(np.count_nonzero(kinds == kind)) for kind in Outcome}
    told = ", ".join(f"{n:,} {maps.LOOKS[kind][2]}" for kind, n in counts.items() if n)
    wrong = f"lie: {int(np.count_nonzero(kinds)):,} of {kinds.size:,}"
    where = next((case.mismatch.where for case in trace.result.cases if case.name == trace.case and case.mismatch), "")
    place = f" Wrong: {where}." if where else ""
    spoken = f"Where the wrong elements of {name} {wrong}. {about.replace(BETWEEN, ', ')}. {told}.{place}"
    draw = partial(maps.draw_outcomes, name, kinds, maps.outcome_tiles(picture))
    return Drawing(f"Where the wrong elements {wrong}", about, maps.outcomes_height(kinds), draw, spoken)


def _bar(row: traffic.Row) -> str:
    least = f", {row.least} is the least" if row.least else ""
    most = f", {row.most:g} is allowed" if row.most is not None else ""
    over = ": over the limit" if row.most is not None and row.times > row.most + 1e-9 else ""
    return f"{row.label} {row.times:,.2f} times its size{least}{most}{over}"
