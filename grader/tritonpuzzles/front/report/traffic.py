"""DRAM traffic: how often each tensor was read and written, against what the puzzle allows."""

from __future__ import annotations

from collections.abc import Container

from rich.table import Table
from rich.text import Text

from tritonpuzzles.front.called import called, shared_names
from tritonpuzzles.front.report.style import Lines, View, heading, indented
from tritonpuzzles.front.text import one_line, significant
from tritonpuzzles.results.check import INPUT, PuzzleResult, Traffic
from tritonpuzzles.results.codes import Kind
from tritonpuzzles.results.cover import account_of
from tritonpuzzles.results.words import distinct

FULL = View(verbose=True)
OVER = ("too-many-loads", "too-many-stores")


def traffic_lines(result: PuzzleResult, view: View = FULL) -> Lines:
    """Return the section on memory traffic: in one line where it is not what fails; nothing where none was counted."""
    if not result.traffic:
        return []
    is_cause = any(group.first.kind is Kind.COST for group in account_of(result.findings).open)
    if not (view.verbose or result.passed or is_cause):
        shared = shared_names(result.traffic)
        words = ", ".join(_in_words(row, shared) for row in result.traffic)
        return heading("DRAM traffic", f"{words} its size{in_case(result)}")
    table = Table.grid(padding=(0, 2))
    for side in ("left", "right", "right", "right", "left"):
        table.add_column(justify="right" if side == "right" else "left", overflow="fold")
    table.add_row(*(Text(word, style="dim") for word in ("tensor", "read", "written", "at most", "")))
    for row in result.traffic:
        table.add_row(*_cells(row, is_over(row, result)))
    return [*heading("DRAM traffic", f"times the tensor's size{in_case(result)}"), indented(table)]


def in_case(result: PuzzleResult) -> str:
    """Return ` in "1823 x 781"`, the case that the traffic is of."""
    return f' in "{one_line(result.traffic_case)}"' if result.traffic_case else ""


def is_over(row: Traffic, result: PuzzleResult) -> bool:
    """Return whether a tensor moves more than the puzzle allows; several launches may have the same name for theirs."""
    over = [finding.details for finding in result.findings if finding.code.startswith(OVER)]
    return any((it.get("argument"), it.get("tensor", row.tensor)) == (row.argument, row.tensor) for it in over)


def _in_words(row: Traffic, shared: Container[str]) -> str:
    """Return `x_ptr read 1.00x`."""
    verbs = {"read": row.loaded_times, "written": row.stored_times}
    words = " and ".join(f"{verb} {times(value)}" for verb, value in verbs.items() if value) or "not touched"
    return f"{called(row, shared)} {words}"


def tensor_name(row: Traffic) -> str:
    """Return `x_ptr`, with the host function's name for it where that says more: `y_ptr (output)`, `p (y, output)`."""
    own = row.tensor or ""
    words = [] if not own or row.argument.startswith(own) or own == row.role else [one_line(own)]
    words += [] if row.role == INPUT else [row.role]
    name = one_line(row.argument)
    return f"{name} ({', '.join(words)})" if words else name


def limit_of(row: Traffic) -> str:
    """Return the most that is allowed: `2.00x`, and a dash for nothing."""
    return f"{significant(row.limit)}x" if row.limit else "-"


def _cells(row: Traffic, over: bool) -> list[Text]:
    style = "bold red" if over else ""
    name, limit = tensor_name(row), limit_of(row)
    mark = Text("✗ over", style=style) if over else Text("✓" if row.limit else "", style="green")
    return [Text(name), *(Text(words, style) for words in moved(row, over)), Text(limit), mark]


def moved(row: Traffic, over: bool) -> list[str]:
    """Return how often a tensor is read and written; what is too much looks so."""
    values, limit = (row.loaded_times, row.stored_times), row.limit or 0.0
    return [f"{distinct(value, limit)}x" if over and value > limit else times(value) for value in values]


def times(value: float) -> str:
    """Return `2.00x`, and a dash for nothing."""
    return f"{value:,.2f}x" if value else "-"
