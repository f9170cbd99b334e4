"""What DRAM reads of the inputs behind a small GPU's L2 cache, by a model: is what programs share read once?"""

from __future__ import annotations

from rich.text import Text

from tritonpuzzles.front.report.style import Lines, heading, indented
from tritonpuzzles.front.text import one_line
from tritonpuzzles.results.cache import DramReads
from tritonpuzzles.results.check import PuzzleResult
from tritonpuzzles.results.words import listed

MIB = 1 << 20


def dram_lines(result: PuzzleResult) -> Lines:
    """Return the section on the L2 cache; nothing where the puzzle does not ask for it.

    Of a file that fails for something else it is one line, as its traffic is.
    """
    reads = result.dram
    if reads is None:
        return []
    head = heading("L2 cache", times_read(reads))
    if not result.passed and not any(finding.code == "too-many-dram-reads" for finding in result.findings):
        return head
    return [*head, *(indented(Text(text)) for text in (each_read(reads), modelled(reads)))]


def times_read(reads: DramReads) -> str:
    """Return `DRAM reads a and b 4.50 times, at most 7; row by row of c 9.75 times`."""
    inputs = listed([one_line(item.tensor) for item in reads.tensors])
    times, most = reads.times(reads.read_bytes), reads.times(reads.limit_bytes)
    return f"DRAM reads {inputs} {times:.2f} times, at most {most:.4g}"


def each_read(reads: DramReads) -> str:
    """Return how often each input comes from DRAM, and what the plainest order of programs would give."""
    each = listed([f"{one_line(item.tensor)} {item.times:.2f} times" for item in reads.tensors])
    ordered = reads.times(reads.in_order_bytes)
    return f"{each}. Programs in the order of the tiles that they store, row by row: {ordered:.2f} times."


def modelled(reads: DramReads) -> str:
    """Return whose cache is modelled, and over what."""
    gpu = one_line(reads.gpu).removeprefix("NVIDIA ")
    return (
        f'By a model of the {gpu}, {reads.l2_bytes / MIB:.0f} MiB of L2 cache, in "{one_line(reads.case)}": '
        f"{reads.at_once:,} of {reads.programs:,} programs at once."
    )
