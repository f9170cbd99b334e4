"""Picture: what one program reads and writes, tile by tile, in order of time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import SubFigure

from tritonpuzzles.front.pictures import style
from tritonpuzzles.front.pictures.axes import (
    MOST_BORDERS,
    OFF,
    element_ticks,
    end_tick,
    keys_beyond,
    part_patch,
    tile_ticks,
)
from tritonpuzzles.front.pictures.tiles import Box, Tile, boxes_of, shown_end, tiles_by_access
from tritonpuzzles.results.trace import ATOMIC, LOAD, STORE, LaunchAccesses
from tritonpuzzles.results.words import plural

COLOURS = {LOAD: style.READ, STORE: style.WRITTEN, ATOMIC: style.ATOMIC}
WORDS = {LOAD: "reads", STORE: "writes", ATOMIC: "updates atomically"}
MOST_STEPS = 160
MOST_LABELLED = 40
MOST_LOOPS = 6  # loops in the description
MOST_LANES = 6
BAR = 0.78  # of a step's height
LABEL = 0.055  # share of all lanes' width that one label takes
THINNEST = 0.008  # of a lane's width, so that a tile of one element is seen


@dataclass(frozen=True)
class Step:
    """One load or store of the program: of which tensor, at which line of which file, what it moves, its whole tile."""

    operation: str
    tensor: int
    place: tuple[str, int]
    boxes: tuple[Box, ...]
    tile: Tile | None = None


@dataclass(frozen=True)
class Lane:
    """One tensor along the direction in which the program walks over it."""

    tensor: int
    name: str
    by_rows: bool  # whether it walks down the rows; else along the columns
    unit: str  # what is counted: "row", "column", or of a single row "element"
    size: int  # elements in that direction
    starts: tuple[int, ...]  # where its tiles begin, those of other programs too
    end: int = 0  # exclusive end of the program's last tile, which may be past `size`

    def span(self, box: Box) -> tuple[int, int]:
        """Return a box's first element and exclusive end in that direction."""
        return (box.top, box.bottom) if self.by_rows else (box.left, box.right)


def steps_of(launch: LaunchAccesses, program: int) -> list[Step]:
    """Return what a program does, in order of time."""
    found, tiles = [], tiles_by_access(launch, program)
    for number, access in enumerate(launch.accesses):
        boxes = boxes_of(access, launch.tensors[access.tensor].size[1]).get(program)
        if boxes:
            found.append(Step(access.operation, access.tensor, (access.file, access.line), boxes, tiles.get(number)))
    return found


def shown_program(launch: LaunchAccesses) -> int:
    """Return the program to show: the one in the middle."""
    return launch.programs // 2


def lanes_of(launch: LaunchAccesses, steps: list[Step]) -> list[Lane]:
    """Return a lane for each tensor that is touched, in the order of the kernel's parameters."""
    lanes = []
    for tensor in sorted({step.tensor for step in steps})[:MOST_LANES]:
        rows, cols = launch.tensors[tensor].size
        boxes = [step.boxes[0] for step in steps if step.tensor == tensor]
        tops, lefts = sorted({box.top for box in boxes}), sorted({box.left for box in boxes})
        part_of_rows, part_of_cols = boxes[0].height / rows, boxes[0].width / cols
        same = len(tops) == len(lefts)
        by_rows = len(tops) > len(lefts) or (same and part_of_rows < part_of_cols and boxes[0].height > 1)
        starts = sorted({box.top if by_rows else box.left for box in _boxes(launch, tensor, cols)})
        name = style.name_of(launch.tensors[tensor].name)
        unit = "element" if rows == 1 else "row" if by_rows else "column"
        whole = [step.tile.box for step in steps if step.tensor == tensor and step.tile is not None]
        size = rows if by_rows else cols
        end = max([size, *(box.bottom if by_rows else box.right for box in whole)])
        lanes.append(Lane(tensor, name, by_rows, unit, size, tuple(starts), end))
    return lanes


def _boxes(launch: LaunchAccesses, tensor: int, cols: int) -> Iterator[Box]:
    """Yield the first box that each program moves in each access to a tensor."""
    for access in launch.accesses:
        if access.tensor == tensor:
            for boxes in boxes_of(access, cols).values():
                yield boxes[0]


def passes(steps: list[Step]) -> list[tuple[int, int]]:
    """Cut the steps where one loop ends and the next begins: [first, end) of steps whose lines alternate."""
    first = dict[tuple[str, int], int]()
    last = dict[tuple[str, int], int]()
    for number, step in enumerate(steps):
        first.setdefault(step.place, number)
        last[step.place] = number
    found: list[tuple[int, int]] = []
    for place in first:  # in the order of their first steps
        if found and first[place] < found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], last[place] + 1)
        else:
            found.append((first[place], last[place] + 1))
    return found


def pass_words(launch: LaunchAccesses, steps: list[Step], cuts: list[tuple[int, int]], number: int) -> str:
    """Return what one loop does: `pass 2 of 2 over x_ptr`, then its reads and writes, each with its source line."""
    parts = [steps[first:end] for first, end in cuts]
    lines = []
    walked = [t for t in _read(parts[number]) if sum(t in _read(part) for part in parts) > 1]
    for tensor in walked[:1]:
        times = [n for n, part in enumerate(parts) if tensor in _read(part)]
        name = style.name_of(launch.tensors[tensor].name)
        lines.append(f"pass {times.index(number) + 1} of {len(times)} over {name}")
    seen = dict.fromkeys((step.operation, step.tensor, step.place[1]) for step in parts[number])
    lines += [f"{WORDS[o]} {style.name_of(launch.tensors[t].name)}, line {line}" for o, t, line in seen]
    return "\n".join(lines[:6])


def _read(part: list[Step]) -> list[int]:
    return list(dict.fromkeys(step.tensor for step in part if step.operation == LOAD))


def drawing(launch: LaunchAccesses, about: str) -> style.Drawing:
    """Return the picture: one lane per tensor under a common time, and what each loop does beside them."""
    program = shown_program(launch)
    steps = steps_of(launch, program)
    cuts = passes(steps)
    who = f"program {program}" if launch.programs > 1 else "the only program"
    loops = [
        f"{', '.join(pass_words(launch, steps, cuts, number).split(chr(10)))}: {plural(end - first, 'step')}"
        for number, (first, end) in enumerate(cuts[:MOST_LOOPS])
    ]
    more = f"; and {plural(len(cuts) - MOST_LOOPS, 'more loop')}" if len(cuts) > MOST_LOOPS else ""
    told = f"{plural(len(steps), 'step')}. {'; '.join(loops)}{more}."
    height = 1.9 + min(5.5, max(1.2, 0.21 * min(len(steps), MOST_STEPS)))
    title = f"What {who} reads and writes, in order of time"
    return style.Drawing(title, about, height, partial(_draw, launch, steps), told)


def _draw(launch: LaunchAccesses, every: list[Step], body: SubFigure) -> None:
    steps = every[:MOST_STEPS]
    lanes, cuts = lanes_of(launch, steps), passes(steps)
    grid = body.subplots(1, len(lanes) + 1, sharey=True, squeeze=False, width_ratios=[*[3] * len(lanes), 1.9])[0]
    for axes, lane in zip(grid, lanes, strict=False):
        _lane(axes, lane, steps, cuts, LABEL * len(lanes))
    grid[0].set_ylabel("time, downwards")
    labels = {0, len(steps) - 1, *range(4, len(steps), 5 if len(steps) <= 60 else 20)}
    grid[0].set_yticks(sorted(labels), [str(n + 1) for n in sorted(labels)])
    _notes(grid[-1], [(first, end, pass_words(launch, steps, cuts, n)) for n, (first, end) in enumerate(cuts)])
    keys = [style.key(COLOURS[o], f"{WORDS[o]} a tile") for o in COLOURS if any(step.operation == o for step in steps)]
    keys += _keys_of_tiles(launch, lanes, steps)
    keys.append(style.key(style.PALE, "the shading changes where the next loop begins"))
    if len(every) > len(steps):
        keys.append(style.key(style.GROUND, f"{len(every) - len(steps):,} more steps are not shown"))
    style.legend_below(body, keys)


def _keys_of_tiles(launch: LaunchAccesses, lanes: Sequence[Lane], steps: Sequence[Step]) -> list[Any]:
    """Return the legend's entries for lanes that move nothing: past the end if a tile is, otherwise inside."""
    past = {lane.tensor for lane in lanes if lane.end > lane.size}
    told = [(step.tile, *launch.tensors[step.tensor].size) for step in steps if step.tile and step.tensor in past]
    if told:
        return keys_beyond(told)
    inside = any(step.tile.masked for step in steps if step.tile is not None)
    return [style.key("none", "in the tile, but masked off", OFF)] if inside else []


def _whole(axes: Axes, lane: Lane, time: int, step: Step) -> None:
    """Draw a step's whole tile; what it moves is drawn over that."""
    if step.tile is None:
        return
    first, end = (max(0, n) for n in lane.span(step.tile.box))
    past = end > lane.size and step.tile.masked < end - lane.size  # even if each other row or column is off
    patch = part_patch(Box(0, 1, first, end), COLOURS[step.operation], not past)
    patch.set_y(time - BAR / 2)
    patch.set_height(BAR)
    axes.add_patch(patch)


def _lane(axes: Axes, lane: Lane, steps: list[Step], cuts: list[tuple[int, int]], label: float) -> None:
    axes.set_xlim(0, max(lane.size, shown_end(lane.end, lane.size)))
    axes.set_ylim(len(steps) - 0.4, -0.6)
    for first, end in cuts[::2]:
        axes.axhspan(first - 0.5, end - 0.5, color=style.PALE, linewidth=0)
    if len(lane.starts) <= MOST_BORDERS:
        axes.vlines(lane.starts, *axes.get_ylim(), colors=style.LINE, linewidth=0.6, linestyles=(0, (3, 3)))
    if lane.end > lane.size:
        axes.axvline(lane.size, color=style.INK, linewidth=1.2)
    for time, step in enumerate(steps):
        if step.tensor == lane.tensor:
            _whole(axes, lane, time, step)
        spans = dict.fromkeys(lane.span(box) for box in step.boxes if step.tensor == lane.tensor)
        for first, end in spans:
            wide = max(end - first, THINNEST * lane.size)
            axes.barh(time, wide, left=first, height=BAR, color=COLOURS[step.operation])
            if len(steps) <= MOST_LABELLED and len(spans) == 1 and end - first > lane.size / 6 and first in lane.starts:
                words = f"tile {lane.starts.index(first)}"
                axes.text((first + end) / 2, time, words, ha="center", va="center", fontsize=7, color="white")
    element_ticks(axes, "x", lane.starts, lane.size, label)
    if lane.end > lane.size:
        end_tick(axes, "x", lane.end, lane.size, label)
    tile_ticks(axes, "x", lane.starts, lane.size, label)
    axes.tick_params(axis="y", length=0)
    axes.set_title(lane.name)
    axes.set_xlabel(lane.unit, labelpad=1)


def _notes(axes: Axes, notes: list[tuple[int, int, str]]) -> None:
    """Write what each loop does beside its steps."""
    axes.set_axis_off()
    axes.set_xlim(0, 1)
    for first, end, words in notes:
        head, _, rest = words.partition("\n")
        bar: dict[str, Any] = {"color": style.GREY, "linewidth": 1.6, "solid_capstyle": "butt", "clip_on": False}
        axes.plot([0, 0], [first - 0.38, end - 0.62], **bar)
        axes.text(0.04, (first + end - 1) / 2, f"{head}\n{rest}".rstrip(), va="center", fontsize=8, linespacing=1.35)
