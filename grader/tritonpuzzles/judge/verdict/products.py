"""Whether wrong values come of float32 products in TF32: the engine has run such a kernel with exact products, too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tritonpuzzles.curriculum.mistakes import Mistake
from tritonpuzzles.curriculum.mistakes.attention import MISTAKES
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.judge.resolve import resolve
from tritonpuzzles.judge.verdict.compare import compare
from tritonpuzzles.judge.verdict.diagnosis import every_value
from tritonpuzzles.judge.verdict.judged import JudgedCase, is_wrong
from tritonpuzzles.judge.verdict.suggested import suggest_line
from tritonpuzzles.judge.workers.trial import Trial
from tritonpuzzles.results.check import Finding

TF32 = "tf32"


def with_exact_products(trial: Trial, judged: Sequence[JudgedCase]) -> list[JudgedCase]:
    """Return the cases as they would be if no product were cut; those that are right, and those without one, as is."""
    return [_exactly(trial, case) if case.evidence.exact and is_wrong(case) else case for case in judged]


def _exactly(trial: Trial, case: JudgedCase) -> JudgedCase:
    evidence = replace(case.evidence, outputs=case.evidence.exact)
    comparison = compare(case.drawn, evidence.outputs, case.tolerances, trial.device, trial.puzzle.call)
    return replace(case, evidence=evidence, comparison=comparison)


def tf32_finding(trial: Trial, judged: Sequence[JudgedCase], exact: Sequence[JudgedCase]) -> Finding | None:
    """Return the finding for the cases that exact products make right; `None` if there are none.

    Args:
        trial: what was tried.
        judged: its cases.
        exact: the same, with exact products.
    """
    pairs = zip(judged, exact, strict=True)
    blamed = [case for case, other in pairs if is_wrong(case) and not is_wrong(other)]
    if not blamed:
        return None
    wrong = sum(map(is_wrong, judged))
    explained = every_value(blamed) if len(blamed) == wrong else f"{len(blamed)} of the {wrong} wrong cases"
    mistake = _mistake(trial.puzzle)
    return Finding(
        TF32,
        f"{mistake.says} That explains {explained}: with exact products they are right.",
        file=str(trial.file),
        line=suggest_line(trial.file.source, mistake.lines),
        case=blamed[0].drawn.name,
        next_step=mistake.next_step,
        details={"cases": [case.drawn.name for case in blamed]},
    )


def _mistake(puzzle: Puzzle) -> Mistake:
    """Return TF32 as the puzzle's own record lists it, or else as attention's do."""
    own = (mistake for mistake in resolve(puzzle).mistakes if mistake.code == TF32)
    return next(own, MISTAKES.by_code[TF32])
