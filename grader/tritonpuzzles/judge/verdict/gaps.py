"""Elements that nothing writes, told of at the loop that stores: it ends too early, or its address stands still."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tritonpuzzles.results.causes import UNWRITTEN
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.words import FILL_GAPS
from tritonpuzzles.source import Source

NO_LOOP = "Check the grid, the offsets and the mask of tl.store."
MOVE = "Count with the loop's variable in the address, or move the pointer on by one tile in every turn."
LAST_TURN = (
    "Work out by hand the first and the last turn of line {loop}, and what the mask of line {store} gives there."
)


def at_the_loop(findings: Sequence[Finding], source: Source) -> list[Finding]:
    """Return findings, those of unwritten elements with the loop that stores, where the file's text tells.

    Args:
        findings: of one file.
        source: its text.
    """
    return [_placed(one, source) if one.code == UNWRITTEN and one.line is not None else one for one in findings]


def _placed(finding: Finding, source: Source) -> Finding:
    store = finding.line or 0
    loop = source.storing_loop({store})
    if loop is not None and store in loop.staying("store"):
        text = f"{finding.message} The loop of line {loop.line} does not move the address of the store in line {store}."
        return replace(finding, message=text, next_step=MOVE)
    if finding.next_step != FILL_GAPS:  # more is known
        return finding
    if loop is None:
        return replace(finding, next_step=FILL_GAPS if source.loops else NO_LOOP)
    if "written" not in finding.details or loop.by_program:
        return finding
    text = f"{finding.message} The loop of line {loop.line} ends there, or the mask lets nothing more through."
    return replace(finding, message=text, line=loop.line, next_step=LAST_TURN.format(loop=loop.line, store=store))
