"""Picture: a program combines rows of one tensor with rows of another, one tile after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from matplotlib.figure import SubFigure
from matplotlib.patches import Rectangle

from tritonpuzzles.front.pictures.axes import OFF, OFF_WORDS, element_ticks, end_tick, matrix_axes, part_patch, thinned
from tritonpuzzles.front.pictures.style import GREY, GROUND, INK, LINE, PALE, READ, Drawing, key, legend_below, name_of
from tritonpuzzles.front.pictures.tiles import Box, boxes_of, outer_parts, shown_end
from tritonpuzzles.front.pictures.timeline import Step, shown_program, steps_of
from tritonpuzzles.results.trace import LOAD, LaunchAccesses, Pairs
from tritonpuzzles.results.words import plural

HEIGHT = 4.6
MOST_NUMBERS = 24
MOST_BANDS = 12


@dataclass(frozen=True)
class Walk:
    """The rows that one program reads of two tensors, to combine each row of one with each row of the other."""

    program: int
    pairs: Pairs  # the puzzle's description of the two
    down: str  # the kernel's parameter of which the program holds some rows
    across: str  # the parameter whose rows it walks over
    height: int  # rows of the first
    width: int  # rows of the second
    rows: tuple[int, int]  # of the first, the program's own: first row, and the row after the last
    tiles: tuple[tuple[int, int], ...]  # rows of the second, in order of time
    others: dict[int, tuple[int, int]]  # the rows of every program, by its number
    ends: tuple[int, int]  # the row of each tensor before which the program's tiles end, masked-off lanes included
    tall: int  # rows of a whole tile of the first; if unknown, rows that are read at once
    wide: int  # the same of the second


def walk(launch: LaunchAccesses, pairs: Pairs) -> Walk | None:
    """Return how a program walks over the second tensor; `None` if the launch does not read both."""
    roles = {tensor.role: index for index, tensor in enumerate(launch.tensors)}
    if not {pairs.rows, pairs.columns} <= roles.keys():
        return None
    program = shown_program(launch)
    down, across = launch.tensors[roles[pairs.rows]], launch.tensors[roles[pairs.columns]]
    steps = [step for step in steps_of(launch, program) if step.operation == LOAD]
    tiles = tuple((step.boxes[0].top, step.boxes[-1].bottom) for step in steps if step.tensor == roles[pairs.columns])
    rows = _rows(launch, roles[pairs.rows])
    if program not in rows or not tiles:
        return None
    names = name_of(down.name), name_of(across.name)
    own = [_tile(steps, role) for role in (roles[pairs.rows], roles[pairs.columns])]
    tall = max(own[0][0], rows[program][1] - rows[program][0])
    wide = max(own[1][0], *(end - first for first, end in tiles))
    ends = own[0][1], own[1][1]
    return Walk(program, pairs, *names, down.size[0], across.size[0], rows[program], tiles, rows, ends, tall, wide)


def _tile(steps: Sequence[Step], tensor: int) -> tuple[int, int]:
    """Return the number of rows of a program's whole tiles of a tensor, and the row where they end; 0 if unknown."""
    boxes = [step.tile.box for step in steps if step.tensor == tensor and step.tile is not None]
    return max((box.height for box in boxes), default=0), max((box.bottom for box in boxes), default=0)


def _rows(launch: LaunchAccesses, tensor: int) -> dict[int, tuple[int, int]]:
    """Return for each program the first row of a tensor that it reads, and the row after the last."""
    found = dict[int, tuple[int, int]]()
    for access in launch.accesses:
        if access.tensor == tensor and access.operation == LOAD:
            for program, boxes in boxes_of(access, launch.tensors[tensor].size[1]).items():
                top, bottom = found.get(program, (boxes[0].top, boxes[-1].bottom))
                found[program] = min(top, boxes[0].top), max(bottom, boxes[-1].bottom)
    return found


def drawing(found: Walk, about: str) -> Drawing:
    """Return the matrix of all pairs, with the part of one program, tile by tile."""
    first, end = found.rows
    what = f"Which {found.pairs.values_in_words} program {found.program} works out"
    title = f"{what}: its {found.pairs.rows} tile against one {found.pairs.columns} tile after the other"
    rows = f"Rows {first:,} to {end - 1:,} of {found.down} against {plural(len(found.tiles), 'tile')} of {found.across}"
    told = f"{rows}. {' '.join(words(found).split(chr(10)))}"
    return Drawing(title, about, HEIGHT, partial(_draw, found), told, spoken=f"{what}. {about}")


def _draw(found: Walk, body: SubFigure) -> None:
    axes, note = body.subplots(1, 2, width_ratios=[4, 5])
    matrix_axes(axes, found.height, found.width)
    axes.set_aspect("equal", anchor="W")
    axes.set_facecolor(PALE)
    top, bottom = found.rows
    bands = found.others if len(found.others) <= MOST_BANDS else {}
    centred: dict[str, Any] = {"ha": "center", "va": "center"}
    for program, (first, end) in bands.items():
        axes.axhline(end, color=LINE, linewidth=0.8)
        if program != found.program:
            axes.text(found.width / 2, (first + end) / 2, f"program {program}", color=GREY, **centred)
    shade = max(len(found.tiles) - 1, 1)
    numbered = set(thinned(range(len(found.tiles)), MOST_NUMBERS))
    for number, (first, end) in enumerate(found.tiles):
        alpha = 1 - 0.65 * (shade - number) / shade
        look: dict[str, Any] = {"facecolor": READ, "alpha": alpha, "edgecolor": GROUND}
        axes.add_patch(Rectangle((first, top), end - first, bottom - top, **look))
        if number in numbered:
            axes.text((first + end) / 2, (top + bottom) / 2, str(number + 1), color="white", **centred)
    whole = Box(top, max(bottom, found.ends[0]), 0, max(found.width, found.ends[1]))
    outer = list(outer_parts(whole, bottom, found.width))
    for part in outer:
        axes.add_patch(part_patch(part, READ, off=True))
    axes.set_xlim(0, max(found.width, shown_end(found.ends[1], found.width)))
    axes.set_ylim(max(found.height, shown_end(found.ends[0], found.height)), 0)
    if outer:
        axes.add_patch(Rectangle((0, 0), found.width, found.height, fill=False, edgecolor=INK, linewidth=1.2))
        legend_below(body, [key("none", OFF_WORDS, OFF)])
    element_ticks(axes, "x", sorted({first for first, _ in found.tiles}), found.width)
    end_tick(axes, "x", found.ends[1], found.width)
    tops = {0, top, bottom, *(first for first, _ in bands.values())} - {found.height}
    element_ticks(axes, "y", sorted(tops), found.height)
    end_tick(axes, "y", found.ends[0], found.height)
    axes.set_xlabel(f"{found.pairs.column} (row of {found.across})", labelpad=2)
    axes.set_ylabel(f"{found.pairs.row} (row of {found.down})")
    axes.spines[["top", "right"]].set_color(LINE)
    note.set_axis_off()
    note.text(0, 0.5, words(found), va="center", color=INK, linespacing=1.5, transform=note.transAxes)


def words(found: Walk) -> str:
    """Explain the picture."""
    real = found.rows[1] - found.rows[0]
    tall, wide = found.tall, found.wide
    many, values = found.pairs.rows_in_words, found.pairs.values_in_words
    held = f"{tall:,} {many}" if real == tall else f"a tile of {tall:,} {many}, {real:,} of them real,"
    return (
        f"The whole square holds {found.height:,} x {found.width:,} {values}.\n"
        f"Program {found.program} keeps {held} on chip and\n"
        f"works out 1, 2, 3, … one after the other:\n"
        f"at most {tall:,} x {wide:,} = {tall * wide:,} {values} at a time.\n"
        "So the square need never stand in memory as a whole."
    )
