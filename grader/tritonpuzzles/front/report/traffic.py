"""DRAM traffic: how often each tensor was read and written, against what the puzzle allows, and what a cache leaves."""

from __future__ import annotations

from collections.abc import Container

from rich.text import Text

from tritonpuzzles.front.page.model import Bar, Blocks, Brief, Cell, Column, Heading, Paragraph, Table, View
from tritonpuzzles.front.text import called, one_line, shared_names, significant
from tritonpuzzles.results.check import PuzzleResult
from tritonpuzzles.results.codes import Kind
from tritonpuzzles.results.cover import account_of
from tritonpuzzles.results.traffic import INPUT, Traffic
from tritonpuzzles.results.words import distinct, listed

MIB = 1 << 20
OVER = ("too-many-loads", "too-many-stores")
COLUMNS = (
    Column("tensor"), Column("read", right=True), Column("written", right=True), Column("at most", right=True),
    Column(), Column(on_page=True),
)  # fmt: skip


def traffic_blocks(result: PuzzleResult, view: View) -> Blocks:
    """Return the section on memory traffic: one line if something else fails; none if no traffic was counted."""
    if not result.traffic:
        return []
    most = max(row.loaded_times + row.stored_times for row in result.traffic) or 1.0
    rows = [_row(row, is_over(row, result), most) for row in result.traffic]
    whole: Blocks = [
        Heading("DRAM traffic", f"times the tensor's size{in_case(result)}"),
        Table(COLUMNS, rows, "numbers"),
    ]
    is_cause = any(group.first.kind is Kind.COST for group in account_of(result.findings).open)
    if view.verbose or result.passed or is_cause:
        return whole
    return [Brief([Heading("DRAM traffic", in_words(result))], whole)]


def in_words(result: PuzzleResult) -> str:
    """Return `x_ptr read 1.00x its size in "300,000 elements"; z_ptr not touched`."""
    shared = shared_names(result.traffic)
    moved = ", ".join(_in_words(row, shared) for row in result.traffic if row.loaded_times or row.stored_times)
    idle = ", ".join(called(row, shared) for row in result.traffic if not (row.loaded_times or row.stored_times))
    untouched, where = f"{idle} not touched", in_case(result)
    if not moved:
        return f"{untouched}{where}"
    return f"{moved} its size{where}{f'; {untouched}' if idle else ''}"


def in_case(result: PuzzleResult) -> str:
    """Return ` in "1823 x 781"`, the case whose traffic is shown."""
    return f' in "{one_line(result.traffic_case)}"' if result.traffic_case else ""


def is_over(row: Traffic, result: PuzzleResult) -> bool:
    """Return whether a tensor moves more than the puzzle allows; launches may use one parameter for several tensors."""
    over = [finding.details for finding in result.findings if finding.code.startswith(OVER)]
    return any((it.get("argument"), it.get("tensor", row.tensor)) == (row.argument, row.tensor) for it in over)


def _in_words(row: Traffic, shared: Container[str]) -> str:
    """Return `x_ptr read 1.00x`."""
    verbs = {"read": row.loaded_times, "written": row.stored_times}
    words = " and ".join(f"{verb} {times(value)}" for verb, value in verbs.items() if value)
    return f"{called(row, shared)} {words}"


def tensor_name(row: Traffic) -> str:
    """Return `x_ptr`, with the host function's name for it where that says more: `y_ptr (output)`, `p (y, output)`."""
    own = row.tensor or ""
    words = [] if not own or row.argument.startswith(own) or own == row.role else [one_line(own)]
    words += [] if row.role == INPUT else [row.role]
    name = one_line(row.argument)
    return f"{name} ({', '.join(words)})" if words else name


def _row(row: Traffic, over: bool, most: float) -> list[Cell]:
    style = "bold red" if over else ""
    mark = Text("✗ over", style) if over else Text("✓" if row.limit else "", "green")
    bar = Bar(row.loaded_times + row.stored_times, most, style or ("green" if row.limit else ""))
    limit = f"{significant(row.limit)}x" if row.limit else "-"
    return [tensor_name(row), *(Text(words, style) for words in moved(row, over)), limit, mark, bar]


def moved(row: Traffic, over: bool) -> list[str]:
    """Return how often a tensor is read and written; a value over the limit has enough digits to show that."""
    values, limit = (row.loaded_times, row.stored_times), row.limit or 0.0
    return [f"{distinct(value, limit)}x" if over and value > limit else times(value) for value in values]


def times(value: float) -> str:
    """Return `2.00x`, and a dash for nothing."""
    return f"{value:,.2f}x" if value else "-"


def dram_blocks(result: PuzzleResult) -> Blocks:
    """Return the section on DRAM reads behind a small GPU's L2 cache, by a model; none without such a limit.

    For a file that fails for another reason it is one line, as its traffic is.
    """
    reads = result.dram
    if reads is None:
        return []
    tensors = listed([one_line(item.tensor) for item in reads.tensors])
    each = listed([f"{one_line(item.tensor)} {item.times:.2f} times" for item in reads.tensors])
    read, most = reads.times(reads.read_bytes), reads.times(reads.limit_bytes)
    ordered = f"In row-major order of the programs: {reads.times(reads.in_order_bytes):.2f}"
    cache = f"{one_line(reads.gpu).removeprefix('NVIDIA ')}, {reads.l2_bytes / MIB:.0f} MiB of L2 cache"
    model = f'By a model of the {cache}, in "{one_line(reads.case)}"'
    at_once = f"{reads.at_once:,} of {reads.programs:,} programs at once"
    told = [Paragraph(f"{each}. {ordered} times."), Paragraph(f"{model}: {at_once}.")]
    is_asked = result.passed or any(finding.code == "too-many-dram-reads" for finding in result.findings)
    heading = Heading("L2 cache", f"DRAM reads {tensors} {read:.2f} times, at most {most:.4g}")
    return [heading, Brief(told if is_asked else [], told)]
