"""DRAM traffic: how often each tensor was read and written, against what the puzzle allows, with a bar for each."""

from __future__ import annotations

from markupsafe import Markup

from tritonpuzzles.front.html.report.markup import BAD, GOOD, bar, element, heading, table
from tritonpuzzles.front.report.traffic import in_case, is_over, limit_of, moved, tensor_name
from tritonpuzzles.results.check import PuzzleResult, Traffic

HEADS = ("tensor", "read", "written", "at most", "", "")


def traffic_html(result: PuzzleResult) -> Markup:
    """Return the section on memory traffic; nothing where none was counted."""
    if not result.traffic:
        return Markup("")
    most = max(row.loaded_times + row.stored_times for row in result.traffic) or 1.0
    rows = [_row(row, is_over(row, result), most) for row in result.traffic]
    return heading("DRAM traffic", f"times the tensor's size{in_case(result)}") + table(HEADS, rows, "tp-numbers")


def _row(row: Traffic, over: bool, most: float) -> list[str]:
    colour = BAD if over else GOOD
    mark = element("span", "✗ over" if over else "✓" if row.limit else "", colour)
    filled = bar((row.loaded_times + row.stored_times) / most, colour if row.limit else "")
    return [tensor_name(row), *moved(row, over), limit_of(row), mark, filled]
