"""Programs that have no tile: what they reach lies outside, and the number of them is what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tritonpuzzles.judge.verdict.judged import JudgedCase
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.cover import ADDRESSES, INT32_OVERFLOW, PROGRAMS
from tritonpuzzles.wire.observed import LaunchSummary

STEP = "Work out the grid by hand: one program for each tile, with the sizes of tile that the kernel gets."


def of_needless_programs(findings: Sequence[Finding], judged: Sequence[JudgedCase]) -> list[Finding]:
    """Return findings, those on addresses outside of a tensor at the launch where a program without a tile has them.

    Where the sizes of a tile are called BLOCK_M and BLOCK_N or alike, as in matrix products.
    """
    cases = {case.drawn.name: case for case in judged}
    return [_explained(finding, cases.get(finding.case or "")) for finding in findings]


def _explained(finding: Finding, case: JudgedCase | None) -> Finding:
    program = finding.details.get("program")
    if case is None or finding.code not in ADDRESSES - {INT32_OVERFLOW} or not isinstance(program, list):
        return finding
    for launch in case.evidence.launches:
        if (block := _block(launch)) is None or launch.kernel != finding.details.get("kernel"):
            continue
        output = case.drawn.outputs[0]
        if len(output.shape) != 2 or any(count != 1 for count in launch.grid[1:]):
            continue
        tiles = -(-output.shape[0] // block[0]) * -(-output.shape[1] // block[1])
        if launch.programs > tiles and program[0] >= tiles:
            many = f"{launch.programs:,} programs are launched, and {output.name} has {tiles:,} tiles"
            text = f"{finding.message} {many} of {block[0]} x {block[1]}."
            details = {**finding.details, PROGRAMS: launch.programs}
            return replace(finding, message=text, line=launch.line, next_step=STEP, details=details)
    return finding


def _block(launch: LaunchSummary) -> tuple[int, int] | None:
    """Return rows and columns of a tile, by the names of a launch's constants."""
    named = [(name, value) for name, value in launch.constants.items() if name.startswith("BLOCK")]
    sides = [[value for name, value in named if name.endswith(end)] for end in ("_M", "_N")]
    rows, columns = ([value for value in side if value > 1] for side in sides)
    return (rows[0], columns[0]) if len(rows) == len(columns) == 1 else None
