"""Whether calls too large to be computed, whose results nobody sees, run what calls with values run, too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tritonpuzzles.judge.evidence.cases import CaseEvidence, Evidence
from tritonpuzzles.judge.workers.trial import Trial
from tritonpuzzles.results.check import Finding

LARGEST_SIDE = 1 << 20  # elements, of a tile
STEP = "Launch one kernel, with the same constants, for every size: 64 bits are right for small offsets, too."


def uncompared_findings(trial: Trial, evidence: Evidence) -> Iterator[Finding]:
    """Yield the first thing in each such call that no call with values does; none where none of these launches."""
    told = [(drawn, evidence.cases[index]) for index, drawn in enumerate(trial.cases) if index in evidence.cases]
    compared = [*(case for drawn, case in told if not drawn.phantom), *evidence.others.values()]
    if not any(case.launches for case in compared):
        return
    for drawn, case in told:
        for what, line in _alone(case, compared) if drawn.phantom else ():
            text = f'"{drawn.name}" {what}, and no case with values does: what is computed there is never looked at.'
            yield Finding("size-of-its-own", text, line=line, case=drawn.name, next_step=STEP)
            break


def _alone(case: CaseEvidence, compared: Sequence[CaseEvidence]) -> Iterator[tuple[str, int | None]]:
    """Yield what a case does and no other, in words, with its line: kernels, constants, lines that reach memory."""
    chosen = {choice for other in compared for launch in other.launches for choice in launch.choices.items()}
    lines = {line.line for other in compared for line in other.lines}
    for launch in case.launches:
        for name, value in launch.choices.items():
            if (name, value) not in chosen and _is_choice(value):
                constant = "" if name == launch.kernel else f" with {name} = {value}"
                yield f"launches {launch.kernel}{constant}", launch.line
    for line in case.lines:
        if line.line not in lines:
            yield f"loads or stores in line {line.line}", line.line


def _is_choice(value: str) -> bool:
    """Return whether a constant is no count of rows, tiles or programs, of which only a large call may have so many."""
    number = int(value) if value.isdecimal() else 0
    return number <= LARGEST_SIDE and number & (number - 1) == 0  # a side of a tile, or no number
