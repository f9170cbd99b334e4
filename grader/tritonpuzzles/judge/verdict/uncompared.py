"""Whether calls too large to be computed, whose results nobody sees, run what calls with values run, too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tritonpuzzles.judge.evidence.cases import CaseEvidence, Evidence, Launch
from tritonpuzzles.judge.workers.trial import Trial
from tritonpuzzles.results.check import Finding

LARGEST_SIDE = 1 << 20  # elements, of a tile
STEP = "Launch the same kernel for every size: offsets of 64 bits are right for small sizes, too."


def uncompared_findings(trial: Trial, evidence: Evidence) -> Iterator[Finding]:
    """Yield the first launch of each such call that no call with values shares; none where there are no such calls."""
    large = [(drawn.name, evidence.cases[i]) for i, drawn in enumerate(trial.cases) if drawn.phantom]
    compared = [evidence.cases[i] for i, drawn in enumerate(trial.cases) if not drawn.phantom]
    compared += evidence.others.values()
    launches = [launch for case in compared for launch in case.launches]
    if not launches:
        return
    texts = {launch.text for launch in launches}
    chosen = {choice for launch in launches for choice in launch.choices.items()}
    lines = {(line.file, line.line) for case in compared for line in case.lines}
    for name, case in large:
        found = [*_kernels(case.launches, texts), *_constants(case.launches, chosen), *_lines(case, lines)]
        for what, line in found[:1]:
            text = f'"{name}" {what}, and no case with values does: what is computed there is never looked at.'
            yield Finding("size-of-its-own", text, line=line, case=name, next_step=STEP)


def _kernels(launches: Sequence[Launch], texts: set[str]) -> Iterator[tuple[str, int | None]]:
    for launch in launches:
        if launch.text not in texts:
            yield f"launches {launch.kernel}", launch.line


def _constants(launches: Sequence[Launch], chosen: set[tuple[str, str]]) -> Iterator[tuple[str, int | None]]:
    for launch in launches:
        for name, value in launch.choices.items():
            if _is_choice(value) and (name, value) not in chosen:
                yield f"launches {launch.kernel} with {name} = {value}", launch.line


def _is_choice(value: str) -> bool:
    """Return whether a constant is no count of rows, tiles or programs, of which a large call may have many: a side of
    a tile is a power of two."""
    if not value.isdecimal():
        return True
    number = int(value)
    return number <= LARGEST_SIDE and number & (number - 1) == 0


def _lines(case: CaseEvidence, lines: set[tuple[str, int]]) -> Iterator[tuple[str, int | None]]:
    for line in case.lines:
        if (line.file, line.line) not in lines:
            yield f"loads or stores in line {line.line}", line.line
