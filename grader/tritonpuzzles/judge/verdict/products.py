"""Whether wrong values come of float32 products in TF32: the engine has run such a kernel with exact products, too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.judge.resolve import resolve
from tritonpuzzles.judge.verdict.compare import compare
from tritonpuzzles.judge.verdict.diagnosis import suggest_line
from tritonpuzzles.judge.verdict.judged import JudgedCase, is_wrong
from tritonpuzzles.judge.workers.trial import Trial
from tritonpuzzles.results.check import Finding

TF32 = "tf32"
SAYS = "The products are computed in TF32, which keeps 10 of the 23 bits: it is the default of tl.dot for float32."
NEXT_STEP = 'Pass input_precision="ieee" to tl.dot where the inputs are float32.'
DOT = r"tl\.dot\("


def with_exact_products(trial: Trial, judged: Sequence[JudgedCase]) -> list[JudgedCase]:
    """Return the cases as they would be if no product were cut; those that are right, and those without one, as is."""
    return [_exactly(trial, case) if case.evidence.exact and is_wrong(case) else case for case in judged]


def _exactly(trial: Trial, case: JudgedCase) -> JudgedCase:
    evidence = replace(case.evidence, outputs=case.evidence.exact)
    comparison = compare(case.drawn, evidence.outputs, case.tolerances, trial.device, trial.call)
    return replace(case, evidence=evidence, comparison=comparison)


def tf32_finding(trial: Trial, judged: Sequence[JudgedCase], exact: Sequence[JudgedCase]) -> Finding | None:
    """Return the finding for the cases that exact products make right; `None` if there are none.

    Args:
        trial: what was tried.
        judged: its cases.
        exact: the same, with exact products.
    """
    blamed = [
        case.drawn.name for case, other in zip(judged, exact, strict=True) if is_wrong(case) and not is_wrong(other)
    ]
    if not blamed:
        return None
    wrong = sum(map(is_wrong, judged))
    share = "every wrong value" if len(blamed) == wrong else f"{len(blamed)} of the {wrong} wrong cases"
    where = f'in "{blamed[0]}"' if len(blamed) == 1 else f"in {len(blamed)} cases"
    place = f", {where} of {len(judged)}" if len(blamed) == wrong else ""
    says, step = _words(trial.puzzle)
    return Finding(
        TF32,
        f"{says} That explains {share}{place}: with exact products they are right.",
        file=str(trial.file),
        line=suggest_line(trial.file.opened, DOT),
        case=blamed[0],
        next_step=step,
        details={"cases": blamed},
    )


def _words(puzzle: Puzzle) -> tuple[str, str]:
    """Return what the puzzle's own record says of TF32, if it lists it."""
    known = (mistake for mistake in resolve(puzzle).mistakes if mistake.code == TF32)
    return next(((mistake.says, mistake.next_step) for mistake in known), (SAYS, NEXT_STEP))
