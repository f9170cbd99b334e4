"""What `trace` prints: the kernel's source with what each line moves in the margin, then totals and limits."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from tritonpuzzles.front.called import called, shared_names
from tritonpuzzles.front.report.cache import cache_lines
from tritonpuzzles.front.report.findings import findings_section
from tritonpuzzles.front.report.functions import Listing, listings
from tritonpuzzles.front.report.style import Lines, View, code_line, heading, indented, next_line
from tritonpuzzles.front.report.summary import label
from tritonpuzzles.front.report.traffic import times, traffic_lines
from tritonpuzzles.front.report.where import where
from tritonpuzzles.front.text import dimensions, one_line, sized
from tritonpuzzles.front.workspace.folder import shown
from tritonpuzzles.results.check import LineTraffic, Verdict, plain
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.results.trace import Trace, TracedLaunch
from tritonpuzzles.results.words import plural

VERSION = 1
WIDE = 60  # columns from which a margin has room beside the code
MOST_LAUNCHES = 8


def trace_data(found: Trace) -> dict[str, Any]:
    """Return the object that `trace --json` prints.

    `{"version": 1, "puzzle", "slug", "file", "seed", "verdict", "case", "shape", "dtype", "launches", "operations",
    "scratch", "cache", "traffic", "lines", "findings"}`: a launch is `{"kernel", "grid", "programs", "largest_tile"}`,
    an operation of the host function `{"name", "calls", "bytes"}`, `scratch` lists elements, the last three are as in
    the report of `check`. `cache` is what a GPU's L2 cache leaves to DRAM by a model, `{"gpu", "l2_bytes", "at_once",
    "dram_bytes", "copied_bytes", "problem", "lines"}`, with `{"file", "line", "argument", "tensor", "read_bytes",
    "written_bytes"}` for a line; `dram_bytes` is null and `problem` a sentence where there is no model. `case` and
    `cache` are null, and the rest empty, if no case gave a ledger.
    """
    data = plain(replace(found, picture=None))
    result = data.pop("result")
    del data["picture"], data["no_picture"], data["instead"]  # lanes by the hundred thousand
    if found.cache is not None:
        data["cache"]["dram_bytes"] = found.cache.dram_bytes
    keys = ("puzzle", "slug", "file", "seed", "verdict")
    return {
        "version": VERSION,
        **{key: result[key] for key in keys},
        **data,
        **{key: result[key] for key in ("traffic", "lines", "findings")},
    }


def trace_lines(found: Trace, view: View) -> Lines:
    """Return the whole trace, in order."""
    result = found.result
    lines: Lines = [Text(label(result), style="bold"), indented(Text(_about(found), style="dim"))]
    if found.case is None:
        lines += findings_section(result.findings, result.file)
    else:
        moved = any(row.loaded_bytes or row.stored_bytes or row.atomic_bytes for row in result.traffic)
        lines += [*_launches(found.launches), *_host(found), *_sources(found, view)]
        lines += [*traffic_lines(result), *cache_lines(found)] if moved else []
    return lines if result.passed or found.case is None else [*lines, Text(), *_verdict(found)]


def _about(found: Trace) -> str:
    words = f"{shown(one_line(str(found.result.file)))}, CPU, seed {found.result.seed}"
    if found.case is None:
        return words
    return f'{words}, case "{one_line(found.case)}", {sized(found.shape, found.dtype)}'


def _verdict(found: Trace) -> Lines:
    """Return that the ledger is not the whole story."""
    number = found.result.puzzle
    if found.result.verdict is Verdict.UNSOLVED:
        return [Text("The kernel writes nothing yet."), next_line(f"tritonpuzzles show {number}")]
    return [Text("The file does not pass; the ledger stands all the same."), next_line(f"tritonpuzzles check {number}")]


def _launches(launches: Sequence[TracedLaunch]) -> Lines:
    """Return one line per launch, alike ones together."""
    counts: dict[TracedLaunch, int] = {}
    for launch in launches:
        counts[launch] = counts.get(launch, 0) + 1
    lines = heading("Launches")
    lines += [indented(Text(_launch(launch, count))) for launch, count in list(counts.items())[:MOST_LAUNCHES]]
    hidden = len(counts) - MOST_LAUNCHES
    return [*lines, indented(Text(f"and {plural(hidden, 'more kind')}"))] if hidden > 0 else lines


def _host(found: Trace) -> Lines:
    """Return what the host function asked of PyTorch, and what it allocated beside the output."""
    texts = [f"{one_line(item.name)} x {item.calls}: {plural(item.bytes, 'byte')}" for item in found.operations]
    texts += [f"scratch tensor: {plural(size, 'element')}" for size in found.scratch]
    return [*heading("Host function"), *(indented(Text(text)) for text in texts)] if texts else []


def _launch(launch: TracedLaunch, count: int) -> str:
    grid = launch.grid
    while len(grid) > 1 and grid[-1] == 1:
        grid = grid[:-1]
    tile = "" if launch.largest_tile is None else f", largest tile {plural(launch.largest_tile, 'element')}"
    often = f"{count} times " if count > 1 else ""
    return f"{often}{one_line(launch.kernel)}: {plural(launch.programs, 'program')} (grid {dimensions(grid)}){tile}"


def _sources(found: Trace, view: View) -> Lines:
    """Return the functions of the file that move data, and what lines of other files moved."""
    file = str(found.result.file)
    here = [line for line in found.result.lines if line.file == file]
    labels: dict[int, list[str]] = {}
    shared = shared_names(found.result.lines)
    for line in here:
        labels.setdefault(line.line, []).extend(moves(line, shared))
    functions = listings(found.result.file.opened, {launch.kernel for launch in found.launches}, labels)
    lines: Lines = []
    for function in functions:
        lines += heading(function.name, where(function.first, file, found.result.file))
        lines += _beside(function, labels) if view.width >= WIDE else _below(function, labels)
    listed = {function.first + n for function in functions for n in range(len(function.lines))}
    rest = [line for line in found.result.lines if line.file != file or line.line not in listed]
    return [*lines, *_elsewhere(rest, found.result.file)]


def moves(line: LineTraffic, shared: Container[str] = ()) -> Iterator[str]:
    """Yield what a line does to a tensor: `x_ptr read 1.00x`; see `called`."""
    kinds = {"read": line.loaded_bytes, "written": line.stored_bytes, "atomic": line.atomic_bytes}
    for word, moved in kinds.items():
        if moved:
            amount = times(moved / line.tensor_bytes) if line.tensor_bytes else plural(moved, "byte")
            yield f"{called(line, shared)} {word} {amount}"


def _beside(function: Listing, labels: dict[int, list[str]]) -> Lines:
    """Return source with a margin to its left; code is cut at the edge, never wrapped."""
    numbers = range(function.first, function.first + len(function.lines))
    width = max((len(text) for number in numbers for text in labels.get(number, ())), default=0)
    digits = len(str(numbers[-1]))
    lines: Lines = []
    for number, source in zip(numbers, function.lines, strict=True):
        first, *more = labels.get(number) or [""]
        lines.append(_row(f"{first:>{width}}  {number:>{digits}} │ ", source, "bold" if first else ""))
        lines += [_row(f"{text:>{width}}  {'':>{digits}} │ ", "", "") for text in more]
    return lines


def _below(function: Listing, labels: dict[int, list[str]]) -> Lines:
    """Return source with what a line moves under it, where a margin has no room."""
    digits = len(str(function.first + len(function.lines) - 1))
    lines: Lines = []
    for number, source in enumerate(function.lines, function.first):
        lines.append(_row(f"{number:>{digits}} │ ", source, "bold" if number in labels else ""))
        lines += [indented(Text(f"^ {text}", style="cyan"), digits + 1) for text in labels.get(number, ())]
    return lines


def _row(margin: str, source: str, style: str) -> RenderableType:
    """Return a line cut at the edge; in a padding, as rich would join bare texts and wrap them."""
    return indented(code_line("").append(margin, style="cyan").append(source, style=style), 0)


def _elsewhere(lines: Sequence[LineTraffic], file: Submission) -> Lines:
    """Return what lines outside the listed functions moved."""
    if not lines:
        return []
    shared = shared_names(lines)
    texts = (f"{where(line.line, line.file, file)}  {', '.join(moves(line, shared))}" for line in lines)
    return [*heading("Elsewhere"), *(indented(Text(text)) for text in texts)]
