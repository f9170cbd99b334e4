"""Picture: the bytes that a solution moves, beside the least there is and the most that the puzzle allows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import SubFigure

from tritonpuzzles.front.pictures import style
from tritonpuzzles.front.text import called, shared_names
from tritonpuzzles.results.check import FREE_SHARE
from tritonpuzzles.results.traffic import INPUT, OUTPUT, Traffic
from tritonpuzzles.results.words import plural

LEAST: dict[str, Any] = {"color": style.GREEN, "linewidth": 2.5}
MOST: dict[str, Any] = {"color": style.INK, "linewidth": 1.6, "linestyle": (0, (2, 1))}
ROOM = 0.1  # share of the longest bar that a number beside it takes


@dataclass(frozen=True)
class Row:
    """One bar."""

    label: str
    written: bool
    times: float  # multiples of the tensor's size
    bytes: int
    least: int  # the fewest that any solution needs; 0 for scratch memory and for unnecessary directions
    most: float | None  # what the puzzle allows


def rows(traffic: Sequence[Traffic]) -> list[Row]:
    """Return a bar for each tensor that is read, then for each that is written."""
    found, shared = [], shared_names(traffic)
    for row in traffic:
        is_output, is_input = row.role == OUTPUT, row.role == INPUT
        name = style.name_of(called(row, shared))
        if row.loaded_bytes:
            most = row.limit if is_input else None
            found.append(Row(f"{name} read", False, row.loaded_times, row.loaded_bytes, int(is_input), most))
        moved = row.stored_bytes + row.atomic_bytes
        if moved:
            times = moved / row.stored_bytes * row.stored_times if row.stored_bytes else float(is_output)
            most = row.limit if is_output else None
            found.append(Row(f"{name} written", True, times, moved, int(is_output), most))
    return sorted(found, key=lambda row: row.written)


def drawing(bars: Sequence[Row], label: str, case: str) -> style.Drawing:
    """Return the picture: a bar per tensor and direction."""
    title, told = "How many bytes it moves, and how few would do", f"{total(bars)}. {'; '.join(map(_told, bars))}."
    height, about = 1.85 + 0.42 * len(bars), f"{label}{style.BETWEEN}{case}"
    return style.Drawing(title, about, height, partial(_draw, bars), told, spoken=f"{title}. {case}")


def _told(row: Row) -> str:
    least = f", {row.least} is the least" if row.least else ""
    most = f", {row.most:g} is allowed" if row.most is not None else ""
    over = ": over the limit" if row.most is not None and row.times > row.most + 1e-9 else ""
    return f"{row.label} {row.times:,.2f} times its size{least}{most}{over}"


def _draw(bars: Sequence[Row], body: SubFigure) -> None:
    axes = body.subplots()
    right = max([row.times for row in bars] + [row.most or 1 for row in bars])
    for place, row in enumerate(bars):
        _bar(axes, place, row, right)
    axes.set_ylim(len(bars) - 0.5, -0.5)
    axes.set_xlim(0, right * 1.45)
    axes.set_yticks(range(len(bars)), [row.label for row in bars], color=style.INK, fontsize=9)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("times the tensor's size")
    axes.set_title(total(bars))
    keys: list[Any] = [style.key(style.READ, "read"), style.key(style.WRITTEN, "written")]
    keys.append(style.line_key("least that any solution needs", **LEAST))
    if any(row.most for row in bars):
        keys.append(style.line_key("most that this puzzle allows", **MOST))
    style.legend_below(body, keys)


def total(bars: Sequence[Row]) -> str:
    """Say in one sentence how much is moved, and what that means for the speed."""
    moved = sum(row.bytes for row in bars)
    least = sum(row.bytes / row.times * row.least for row in bars if row.times)
    words = f"{plural(moved, 'byte')} in all"
    if not least or moved <= least:
        return f"{words}, the least there is"
    return f"{words}, {moved / least:.2f} times the least; where no cache holds the rest, that takes as much longer"


def _bar(axes: Axes, place: int, row: Row, right: float) -> None:
    over = row.most is not None and row.times > row.most * (1 + FREE_SHARE)
    colour = style.WRITTEN if row.written else style.READ
    axes.barh(place, row.times, height=0.55, color=colour, hatch="//" if over else None)
    if row.least:
        axes.plot([row.least] * 2, [place - 0.36, place + 0.36], solid_capstyle="butt", **LEAST)
    if row.most:
        axes.plot([row.most] * 2, [place - 0.42, place + 0.42], **MOST)
    near = row.most is not None and 0 <= row.most - row.times < ROOM * right
    end = row.most if near and row.most is not None else row.times
    number = axes.text(end + right * 0.015, place, f"{row.times:,.2f}x", va="center", fontweight="bold", fontsize=9)
    words = f"{'over the limit,  ' if over else ''}{plural(row.bytes, 'byte')}"
    beside: dict[str, Any] = {"xycoords": number, "xytext": (8, 0), "textcoords": "offset points", "va": "center"}
    axes.annotate(words, (1, 0.5), color=style.GREY, **beside)
