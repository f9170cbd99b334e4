"""Picture: the rows of one tensor that a program holds against the rows of another, one tile after the other."""

from __future__ import annotations

from dataclasses import dataclass

from matplotlib.figure import FigureBase
from matplotlib.patches import Rectangle

from tritonpuzzles.front.pictures.axes import element_ticks, matrix_axes, thinned
from tritonpuzzles.front.pictures.style import GREY, GROUND, INK, LINE, PALE, READ, name_of, titled
from tritonpuzzles.front.pictures.tiles import boxes_of
from tritonpuzzles.front.pictures.timeline import shown_program, steps_of
from tritonpuzzles.results.accesses import LOAD, LaunchAccesses, Pairs

HEIGHT = 4.6
MOST_NUMBERS = 24
MOST_BANDS = 12


@dataclass(frozen=True)
class Walk:
    """What one program reads of two tensors, of which it holds each row of one against each row of the other.

    Attributes:
        pairs: what the puzzle says of the two.
        down, across: names of the kernel's parameters.
        height, width: how many rows each has.
        rows: of the first, the program's own, first and last but one.
        tiles: rows of the second, in order of time.
        others: the rows of every program, by its number.
    """

    program: int
    pairs: Pairs
    down: str
    across: str
    height: int
    width: int
    rows: tuple[int, int]
    tiles: tuple[tuple[int, int], ...]
    others: dict[int, tuple[int, int]]


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
    return Walk(program, pairs, *names, down.size[0], across.size[0], rows[program], tiles, rows)


def _rows(launch: LaunchAccesses, tensor: int) -> dict[int, tuple[int, int]]:
    """Return from which to before which row each program reads a tensor."""
    found = dict[int, tuple[int, int]]()
    for access in launch.accesses:
        if access.tensor == tensor and access.operation == LOAD:
            for program, boxes in boxes_of(access, launch.tensors[tensor].size[1]).items():
                top, bottom = found.get(program, (boxes[0].top, boxes[-1].bottom))
                found[program] = min(top, boxes[0].top), max(bottom, boxes[-1].bottom)
    return found


def draw(figure: FigureBase, found: Walk, subtitle: str) -> None:
    """Draw the matrix of all pairs, with the part of one program, tile by tile."""
    down, across = found.pairs.rows, found.pairs.columns
    what = f"Which {found.pairs.values_in_words} program {found.program} works out"
    title = f"{what}: its {down} tile against one {across} tile after the other"
    body = titled(figure, HEIGHT, title, subtitle)
    axes, note = body.subplots(1, 2, width_ratios=[4, 5])
    matrix_axes(axes, found.height, found.width)
    axes.set_aspect("equal", anchor="W")
    axes.set_facecolor(PALE)
    top, bottom = found.rows
    if len(found.others) <= MOST_BANDS:
        for program, (first, end) in found.others.items():
            axes.axhline(end, color=LINE, linewidth=0.8)
            if program != found.program:
                axes.text(
                    found.width / 2, (first + end) / 2, f"program {program}", ha="center", va="center", color=GREY
                )
    shade = max(len(found.tiles) - 1, 1)
    numbered = set(thinned(range(len(found.tiles)), MOST_NUMBERS))
    for number, (first, end) in enumerate(found.tiles):
        alpha = 1 - 0.65 * (shade - number) / shade
        axes.add_patch(
            Rectangle((first, top), end - first, bottom - top, facecolor=READ, alpha=alpha, edgecolor=GROUND)
        )
        if number in numbered:
            axes.text((first + end) / 2, (top + bottom) / 2, str(number + 1), ha="center", va="center", color="white")
    element_ticks(axes, "x", sorted({first for first, _ in found.tiles}), found.width)
    element_ticks(axes, "y", sorted({0, top, bottom, *_tops(found)} - {found.height}), found.height)
    axes.set_xlabel(f"{found.pairs.column} (row of {found.across})", labelpad=2)
    axes.set_ylabel(f"{found.pairs.row} (row of {found.down})")
    axes.spines[["top", "right"]].set_color(LINE)
    note.set_axis_off()
    note.text(0, 0.5, words(found), va="center", color=INK, linespacing=1.5, transform=note.transAxes)


def _tops(found: Walk) -> set[int]:
    return {top for top, _ in found.others.values()} if len(found.others) <= MOST_BANDS else set()


def words(found: Walk) -> str:
    """Explain the picture."""
    tall = found.rows[1] - found.rows[0]
    wide = max(end - first for first, end in found.tiles)
    many, values = found.pairs.rows_in_words, found.pairs.values_in_words
    return (
        f"The whole square holds {found.height:,} x {found.width:,} {values}.\n"
        f"Program {found.program} keeps {tall:,} {many} on chip and\n"
        f"works out 1, 2, 3, … one after the other:\n"
        f"at most {tall:,} x {wide:,} = {tall * wide:,} {values} at a time.\n"
        "So the square need never stand in memory as a whole."
    )
