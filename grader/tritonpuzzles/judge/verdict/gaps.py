"""Elements that nothing writes, told of at the loop that stores: it ends too early, or its address stands still."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tritonpuzzles.judge.verdict.loops import Storing, has_loops, storing_of
from tritonpuzzles.results.causes import UNWRITTEN
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.words import FILL_GAPS

NO_LOOP = "Check the grid, the offsets and the mask of tl.store."
MOVE = "Count with the loop's variable in the address, or move the pointer on by one tile in every turn."
LAST_TURN = (
    "Work out by hand the first and the last turn of line {loop}, and what the mask of line {store} gives there."
)


def at_the_loop(findings: Sequence[Finding], path: Path) -> list[Finding]:
    """Return findings, those of unwritten elements with the loop that stores, where the file's text tells.

    Args:
        findings: of one file.
        path: where it can be read.
    """
    if not any(_is_open(finding) for finding in findings):
        return list(findings)
    loops = storing_of(path)
    step = FILL_GAPS if has_loops(path) else NO_LOOP
    return [_placed(finding, loops, step) if _is_open(finding) else finding for finding in findings]


def _is_open(finding: Finding) -> bool:
    return finding.code == UNWRITTEN and finding.line is not None


def stores_stand_still(path: Path) -> bool:
    """Return whether a loop of a file's kernels stores at the same addresses in every turn."""
    return any(loop.again for loop in storing_of(path))


def _placed(finding: Finding, loops: Sequence[Storing], step: str) -> Finding:
    store = finding.line or 0
    loop = next((loop for loop in reversed(loops) if store in loop.stores), None)  # the innermost
    if loop is not None and store in loop.again:
        text = f"{finding.message} The loop of line {loop.line} does not move the address of the store in line {store}."
        return replace(finding, message=text, next_step=MOVE)
    if finding.next_step != FILL_GAPS:  # more is known
        return finding
    if loop is None:
        return replace(finding, next_step=step)
    if "written" not in finding.details or loop.by_program:
        return finding
    text = f"{finding.message} The loop of line {loop.line} ends there, or the mask lets nothing more through."
    return replace(finding, message=text, line=loop.line, next_step=LAST_TURN.format(loop=loop.line, store=store))
