"""DRAM traffic: how often each tensor was read and written, against what the puzzle allows."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from tritonpuzzles.front.report.style import Lines, heading, indented
from tritonpuzzles.front.text import one_line, significant
from tritonpuzzles.results import PuzzleResult, Traffic

OVER = ("too-many-loads", "too-many-stores")


def traffic_lines(result: PuzzleResult) -> Lines:
    """Return the section on memory traffic; nothing where none was counted."""
    if not result.traffic:
        return []
    over = {
        f.details.get("argument") for f in result.findings if f.code.startswith(("too-many-loads", "too-many-stores"))
    }
    table = Table.grid(padding=(0, 2))
    for side in ("left", "right", "right", "right", "left"):
        table.add_column(justify="right" if side == "right" else "left", overflow="fold")
    table.add_row(*(Text(word, style="dim") for word in ("tensor", "read", "written", "at most", "")))
    for row in result.traffic:
        table.add_row(*_cells(row, row.argument in over))
    return [*heading("DRAM traffic", "times the tensor's size"), indented(table)]


def _cells(row: Traffic, over: bool) -> list[Text]:
    style = "bold red" if over else ""
    limit = f"{significant(row.limit)}x" if row.limit else "-"
    name = one_line(row.argument)
    if row.tensor and not row.argument.startswith(row.tensor):
        name += f" ({one_line(row.tensor)})"
    mark = Text("✗ over", style=style) if over else Text("✓" if row.limit else "", style="green")
    return [Text(name), Text(times(row.loaded_times), style), Text(times(row.stored_times), style), Text(limit), mark]


def times(value: float) -> str:
    """Return `2.00x`, and a dash for nothing."""
    return f"{value:,.2f}x" if value else "-"
