"""What each picture shows, in sentences for those who cannot see it: the same numbers, names and case."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tritonpuzzles.front.pictures import outcomes, pairs, timeline, traffic
from tritonpuzzles.front.pictures.access import times
from tritonpuzzles.front.pictures.overhang import OFF_WORDS, STRAY_WORDS, ends
from tritonpuzzles.front.pictures.tiles import MASKED, NOBODY, Area
from tritonpuzzles.results.trace import LaunchAccesses, Numbers, Outcome, Trace
from tritonpuzzles.results.words import plural

MOST_COUNTS = 4  # of how often; of more, the extremes
MOST_LOOPS = 6


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
    told = ", ".join(f"{n:,} {outcomes.LOOKS[kind][2]}" for kind, n in counts.items() if n)
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
