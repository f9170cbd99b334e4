"""What goes wrong at the addresses of a loop, told with the loop, or at it where that decides.

Elements that nothing writes, or several programs do, rows beyond the end: a loop ends too early, its address stands
still, or it does not share its iterations out.
"""

from __future__ import annotations

import re
from dataclasses import replace

from tritonpuzzles.judge.wording.unwritten import FILL_GAPS
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.codes import Kind
from tritonpuzzles.results.cover import BY_PROGRAM, INT32_OVERFLOW, OPEN, UNWRITTEN
from tritonpuzzles.source import Source
from tritonpuzzles.source.loops import Loop

NO_LOOP = "Check the grid, the offsets and the mask of tl.store."
MOVE = "Count with the loop's variable in the address, or move the pointer on by one tile in every iteration."
LAST_TURN = (
    "Work out by hand the first and the last iteration of line {loop}, and what the mask of line {store} gives there."
)
SEVERAL = frozenset({"written-twice", "race-write-write"})
OTHER_AXIS = re.compile(r"program_id\((axis=)?0\).*num_programs\((axis=)?[12]\)")
FIXED = re.compile(r"\d+|[A-Z][A-Z0-9_]*")  # a number, or a constexpr: no number of programs


def at_the_loop(finding: Finding, source: Source) -> Finding:
    """Return a finding with the loop that it comes of, where the file's text tells."""
    if finding.code == UNWRITTEN and finding.line is not None:
        loop = source.storing_loop({finding.line})
        if loop is not None and finding.line in loop.staying("store"):
            return _staying(finding, loop, finding.line)
        finding = _ending(finding, source, loop)
    if finding.code in SEVERAL and "other_program" in finding.details:
        return _of_several(finding, source)
    return _with_range(finding, source)


def _staying(finding: Finding, loop: Loop, store: int) -> Finding:
    """Return a finding on unwritten elements with a loop that stores to one address."""
    text = f"{finding.message} The loop of line {loop.line} does not move the address of the store in line {store}."
    return replace(finding, message=text, next_step=MOVE)


def _ending(finding: Finding, source: Source, loop: Loop | None) -> Finding:
    """Return a finding on unwritten elements of which no more is known with the loop that stores."""
    if OPEN not in finding.details:
        return finding
    if loop is None:
        return replace(finding, next_step=FILL_GAPS if source.loops else NO_LOOP)
    if "written" not in finding.details or loop.by_program:
        return finding
    text = f"{finding.message} The loop of line {loop.line} ends there, or the mask keeps no more lanes on."
    step = LAST_TURN.format(loop=loop.line, store=finding.line)
    return replace(finding, message=text, line=loop.line, next_step=step)


def _with_range(finding: Finding, source: Source) -> Finding:
    """Return a finding with the range of the loop around its line, where that shares out iterations."""
    loop = next((loop for loop in source.walks if loop.by_program and loop.holds(finding.line)), None)
    if loop is None or finding.kind is not Kind.SAFETY:
        return finding
    if finding.code == INT32_OVERFLOW:  # then it is not the range
        return finding
    line = loop.end_line or loop.line if finding.code == UNWRITTEN else finding.line  # its range decides what is stored
    text = f"{finding.message} The loop around it, in line {loop.line}, is {loop.range}."
    return replace(finding, message=text, line=line)


def _of_several(finding: Finding, source: Source) -> Finding:
    """Return a finding on a store by several programs at what makes them meet, or where its address depends on one."""
    around = (loop for loop in source.walks if loop.holds(finding.line) and loop.slow)
    ruling = (loop for loop in source.walks if finding.line in loop.rules)
    loop = next(around, None) or next(ruling, None)
    account = _account(loop) if loop is not None else None
    if account is None:
        line = finding.details.get(BY_PROGRAM)
        return _with_range(replace(finding, line=line) if isinstance(line, int) else finding, source)
    line, why, step = account
    return replace(finding, line=line, message=f"{why} {finding.message}", next_step=step)


def _account(loop: Loop) -> tuple[int, str, str] | None:
    """Return where and why programs meet in a loop, and what to do; nothing where its text does not prove that."""
    why, share = f"The loop over {loop.variable}", f", {loop.end}, tl.num_programs(0))."
    if (slow := loop.slow) is not None:
        why = f"The loop of line {loop.line} goes on in steps of {loop.step}"
        step = f"Move {slow.name} by as many rows as the loop goes on by: {slow.name} += {loop.step} * {slow.text}."
        return slow.line, f"{why}, and line {slow.line} moves {slow.name} by {slow.text} alone.", step
    if not loop.by_program:
        step = f"Begin at the program's number: range(tl.program_id(0){share}"
        return loop.line, f"{why} takes the same iterations in every program.", step
    step = f"Go on in steps of the number of programs: range({loop.begin}{share}"
    if loop.at_program and OTHER_AXIS.search(loop.range):
        return loop.line, f"{why} is {loop.range}: along another axis there is one program.", step
    if loop.at_program and FIXED.fullmatch(loop.step):
        return loop.line, f"{why} begins at the program's number and goes on in steps of {loop.step}.", step
    return None
