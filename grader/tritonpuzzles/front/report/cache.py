"""What a GPU's L2 cache leaves to DRAM, by a model: how often each tensor is read from there, which lines are not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tritonpuzzles.front.called import called, shared_names
from tritonpuzzles.front.page.model import Blocks, Heading, Paragraph
from tritonpuzzles.front.text import one_line, percent
from tritonpuzzles.results.trace import Trace
from tritonpuzzles.results.traffic import CachedLine, CacheTraffic, LineTraffic
from tritonpuzzles.results.words import listed, plural

MIB = 1 << 20
ALL, NOTHING = 0.995, 0.005  # shares that are told of as such
SECTORS = 1.02  # times what was asked for: more than the ends of rows can add


@dataclass(frozen=True)
class Read:
    """What one line loads of one tensor, by the ledger and from DRAM, in bytes."""

    line: int
    asked: int
    dram: int

    @property
    def found(self) -> float:
        """The share that it finds in the cache."""
        return max(0.0, 1 - self.dram / self.asked)


def cache_blocks(found: Trace) -> Blocks:
    """Return the section on the L2 cache; nothing where it was not modelled, or nothing was read."""
    cache = found.cache
    if cache is None:
        return []
    texts = [cache.problem] if cache.problem is not None else list(sentences(found.result.lines, cache))
    if not texts:
        return []
    if any("in the L2 cache" in text for text in texts):
        texts.append("Of larger tensors it may hold less.")
    return [Heading("L2 cache", _whose(cache)), *map(Paragraph, texts)]


def _whose(cache: CacheTraffic) -> str:
    programs = f", {plural(max(cache.at_once), 'program')} at once" if cache.at_once else ""
    return f"as on an {one_line(cache.gpu)}: {cache.l2_bytes / MIB:.0f} MiB, empty at first{programs}"


def sentences(lines: Sequence[LineTraffic], cache: CacheTraffic) -> Iterator[str]:
    """Yield what of each tensor's reads comes from DRAM, and where the rest is found.

    `x_ptr read 2.00 times, 1.00 times from DRAM: line 112 finds all of it in the L2 cache.`
    """
    dram = {(line.file, line.line, line.argument, line.tensor): line for line in cache.lines}
    shared = shared_names(line for line in lines if line.loaded_bytes)
    by_tensor: dict[tuple[str, str | None], list[LineTraffic]] = {}
    for line in lines:
        if line.loaded_bytes and line.tensor_bytes:
            by_tensor.setdefault((line.argument, line.tensor), []).append(line)
    for rows in by_tensor.values():
        reads = [Read(row.line, row.loaded_bytes, _bytes(dram, row)) for row in rows]
        yield f"{called(rows[0], shared)} read {_in_words(reads, rows[0].tensor_bytes or 1)}."


def _bytes(dram: Mapping[tuple[str, int, str, str | None], CachedLine], row: LineTraffic) -> int:
    line = dram.get((row.file, row.line, row.argument, row.tensor))
    return line.read_bytes if line is not None else 0


def _in_words(reads: Sequence[Read], tensor_bytes: int) -> str:
    asked, dram = (sum(amounts) / tensor_bytes for amounts in ([r.asked for r in reads], [r.dram for r in reads]))
    if dram > SECTORS * asked:
        return f"{asked:.2f} times, {dram:.2f} times from DRAM, which moves whole sectors of 32 bytes"
    finding: dict[str, list[str]] = {}
    for read in reads:
        if read.found > NOTHING:
            share = "all" if read.found > ALL else percent(read.found)
            finding.setdefault(share, []).append(str(read.line))
    if not finding:
        return f"{asked:.2f} times, all of it from DRAM"
    places = ", ".join(f"{_lines_find(where)} {share} of it" for share, where in finding.items())
    return f"{asked:.2f} times, {dram:.2f} times from DRAM: {places} in the L2 cache"


def _lines_find(lines: Sequence[str]) -> str:
    return f"line {lines[0]} finds" if len(lines) == 1 else f"lines {listed(lines)} find"
