"""The output of `trace`: the kernel's source with what each line moves, totals, limits, and a model of an L2 cache."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from rich.text import Text

from tritonpuzzles.front.page.model import Block, Blocks, Gap, Heading, Next, Paragraph, Source, SourceLine, Title, View
from tritonpuzzles.front.page.terminal import Lines, rendered
from tritonpuzzles.front.report.findings import every_finding
from tritonpuzzles.front.report.naming import label, where
from tritonpuzzles.front.report.source import listings, margins, moves
from tritonpuzzles.front.report.traffic import traffic_blocks
from tritonpuzzles.front.text import called, dimensions, one_line, percent, shared_names, sized
from tritonpuzzles.front.workspace.folder import shown
from tritonpuzzles.results.check import Verdict, plain
from tritonpuzzles.results.trace import Trace, TracedLaunch
from tritonpuzzles.results.traffic import CacheTraffic, LineTraffic
from tritonpuzzles.results.words import listed, plural

VERSION = 1
MOST_LAUNCHES = 8
FULL = View(verbose=True)
MIB = 1 << 20
ALL, NOTHING = 0.995, 0.005  # shares that are shown as all and as nothing
SECTORS = 1.02  # times the loaded bytes: more than partial sectors at the ends of rows can add


def cache_blocks(found: Trace) -> Blocks:
    """Return the section on the L2 cache; none if it was not modelled, or nothing was read."""
    cache = found.cache
    if cache is None:
        return []
    texts = [cache.problem] if cache.problem is not None else list(cache_sentences(found.result.lines, cache))
    if not texts:
        return []
    if any("in the L2 cache" in text for text in texts):
        texts.append("Of larger tensors it may hold less.")
    programs = f", {plural(max(cache.at_once), 'program')} at once" if cache.at_once else ""
    whose = f"as on an {one_line(cache.gpu)}: {cache.l2_bytes / MIB:.0f} MiB, empty at first{programs}"
    return [Heading("L2 cache", whose), *map(Paragraph, texts)]


def cache_sentences(lines: Sequence[LineTraffic], cache: CacheTraffic) -> Iterator[str]:
    """Yield what share of each tensor's reads comes from DRAM, and which lines find the rest in the cache.

    `x_ptr read 2.00 times, 1.00 times from DRAM: line 112 finds all of it in the L2 cache.`
    """
    dram = {(line.file, line.line, line.argument, line.tensor): line.read_bytes for line in cache.lines}
    shared = shared_names(line for line in lines if line.loaded_bytes)
    by_tensor: dict[tuple[str, str | None], list[LineTraffic]] = {}
    for line in lines:
        if line.loaded_bytes and line.tensor_bytes:
            by_tensor.setdefault((line.argument, line.tensor), []).append(line)
    for rows in by_tensor.values():
        reads = [
            (row.line, row.loaded_bytes, dram.get((row.file, row.line, row.argument, row.tensor), 0)) for row in rows
        ]
        yield f"{called(rows[0], shared)} read {_in_words(reads, rows[0].tensor_bytes or 1)}."


def _in_words(reads: Sequence[tuple[int, int, int]], tensor_bytes: int) -> str:
    """Return the words for lines, each with the bytes that it loads of a tensor, by the ledger and from DRAM."""
    asked, dram = (sum(read[part] for read in reads) / tensor_bytes for part in (1, 2))
    if dram > SECTORS * asked:
        return f"{asked:.2f} times, {dram:.2f} times from DRAM, which moves whole sectors of 32 bytes"
    finding: dict[str, list[str]] = {}
    for line, loaded, from_dram in reads:
        found = max(0.0, 1 - from_dram / loaded)  # in the cache
        if found > NOTHING:
            finding.setdefault("all" if found > ALL else percent(found), []).append(str(line))
    if not finding:
        return f"{asked:.2f} times, all of it from DRAM"
    places = ", ".join(
        f"line{'s' if len(lines) > 1 else ''} {listed(lines)} find{'' if len(lines) > 1 else 's'} {share} of it"
        for share, lines in finding.items()
    )
    return f"{asked:.2f} times, {dram:.2f} times from DRAM: {places} in the L2 cache"


def trace_data(found: Trace) -> dict[str, Any]:
    """Return the object that `trace --json` prints.

    `{"version": 1, "puzzle", "slug", "file", "seed", "verdict", "case", "shape", "dtype", "launches", "operations",
    "scratch", "cache", "traffic", "lines", "findings"}`: a launch is `{"kernel", "grid", "programs", "largest_tile"}`,
    an operation of the host function `{"name", "calls", "bytes"}`, `scratch` lists elements, the last three are as in
    the report of `check`. `cache` is DRAM traffic behind a GPU's L2 cache by a model, `{"gpu", "l2_bytes", "at_once",
    "dram_bytes", "copied_bytes", "problem", "lines"}`, with `{"file", "line", "argument", "tensor", "read_bytes",
    "written_bytes"}` for a line; if there is no model, `dram_bytes` is null and `problem` a sentence. If no case gave a
    ledger, `case` and `cache` are null, and the rest is empty.
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
    """Return the whole trace in order, as a terminal shows it."""
    result = found.result
    blocks: list[Block] = [Title(Text(label(result), style="bold")), Paragraph(_about(found), "dim")]
    if found.case is None:
        return rendered([*blocks, *every_finding(result.findings, result.file)], view)
    blocks += [*_launches(found.launches), *_host(found), *_sources(found)]
    if any(row.loaded_bytes or row.stored_bytes or row.atomic_bytes for row in result.traffic):
        blocks += [*traffic_blocks(result, FULL), *cache_blocks(found)]
    return rendered(blocks if result.passed else [*blocks, Gap(), *_verdict(found)], view)


def _about(found: Trace) -> str:
    words = f"{shown(one_line(str(found.result.file)))}, CPU, seed {found.result.seed}"
    if found.case is None:
        return words
    return f'{words}, case "{one_line(found.case)}", {sized(found.shape, found.dtype)}'


def _verdict(found: Trace) -> Blocks:
    """Return the hint that a file with this ledger does not pass."""
    number = found.result.puzzle
    if found.result.verdict is Verdict.UNSOLVED:
        return [Paragraph("The kernel writes nothing yet.", indent=0), Next(f"tritonpuzzles show {number}")]
    sentence = "The file does not pass; the ledger stands all the same."
    return [Paragraph(sentence, indent=0), Next(f"tritonpuzzles check {number}")]


def _launches(launches: Sequence[TracedLaunch]) -> Blocks:
    """Return one line per launch, alike ones together."""
    counts = Counter(launches)
    blocks: list[Block] = [Heading("Launches")]
    for launch, count in list(counts.items())[:MOST_LAUNCHES]:
        grid = launch.grid
        while len(grid) > 1 and grid[-1] == 1:
            grid = grid[:-1]
        often = f"{count} times " if count > 1 else ""
        programs = f"{plural(launch.programs, 'program')} (grid {dimensions(grid)})"
        tile = "" if launch.largest_tile is None else f", largest tile {plural(launch.largest_tile, 'element')}"
        blocks.append(Paragraph(f"{often}{one_line(launch.kernel)}: {programs}{tile}"))
    hidden = len(counts) - MOST_LAUNCHES
    return [*blocks, *([Paragraph(f"and {plural(hidden, 'more kind')}")] if hidden > 0 else [])]


def _host(found: Trace) -> Blocks:
    """Return the PyTorch operations of the host function, and the scratch tensors that it allocated."""
    texts = [f"{one_line(item.name)} x {item.calls}: {plural(item.bytes, 'byte')}" for item in found.operations]
    texts += [f"scratch tensor: {plural(size, 'element')}" for size in found.scratch]
    return [Heading("Host function"), *map(Paragraph, texts)] if texts else []


def _sources(found: Trace) -> Blocks:
    """Return the functions of the file that move data, and what lines of other files moved."""
    result, file = found.result, str(found.result.file)
    margin = margins(result)
    blocks: list[Block] = []
    listed: set[int] = set()
    for name, code in listings(result.file.opened, {launch.kernel for launch in found.launches}, margin):
        lines = [SourceLine(number, text, margin.get(number, ())) for number, text in code.items()]
        blocks += [Heading(name, where(min(code), file, result.file)), Source(lines)]
        listed |= code.keys()
    rest = [line for line in result.lines if line.file != file or line.line not in listed]
    shared = shared_names(rest)
    texts = [f"{where(line.line, line.file, result.file)}  {', '.join(moves(line, shared))}" for line in rest]
    return [*blocks, Heading("Elsewhere"), *map(Paragraph, texts)] if texts else blocks
