"""Say what would give the wrong values that nothing explains, where the puzzle's own reference does.

A hypothesis holds only if it gives what the learner's kernel gave in every case that is tried, the right ones included,
and more than one number of that is plainly another than the truth.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import torch
from torch import Tensor

from tritonpuzzles.judge.diagnosis.hypotheses import Hypothesis, Outputs, of_arguments, of_outputs
from tritonpuzzles.judge.resolve import resolve
from tritonpuzzles.judge.verdict.deviation import difference
from tritonpuzzles.judge.verdict.diagnosis import PLAINLY, PREDICTED, clearest_first
from tritonpuzzles.judge.verdict.judged import JudgedCase, is_explained, is_wrong
from tritonpuzzles.judge.verdict.patterns import UNKNOWN, have_wrong_values
from tritonpuzzles.judge.workers.trial import Trial
from tritonpuzzles.results.causes import LOCATED
from tritonpuzzles.results.check import Finding

SECONDS = 0.5  # of this thread, for all hypotheses together
MOST_CASES = 6  # that are wrong, and as many that are right
MOST_ELEMENTS = 1 << 18  # of the outputs of a case, and of its inputs
LEAST = 3  # different numbers that are plainly wrong: fewer, or one number everywhere, come of many a mistake
PROOF, IS_PREDICTED = "proof", "predicted"


@dataclass(frozen=True)
class Tried:
    """The cases that hypotheses are tried on.

    Attributes:
        wrong, right: the cheapest first.
        outputs: those that are wrong in any of them, by their names in the record, in order.
    """

    wrong: Sequence[JudgedCase]
    right: Sequence[JudgedCase]
    outputs: Sequence[str]

    def numbers(self, case: JudgedCase) -> list[int]:
        """Return the numbers of those outputs in a case, which may have fewer than others."""
        names = [case.drawn.in_record(output.name) for output in case.drawn.outputs]
        return [number for number, name in enumerate(names) if name in self.outputs]


def predicted(trial: Trial, judged: Sequence[JudgedCase], found: Sequence[Finding]) -> list[Finding]:
    """Return findings with what would give the wrong values in place of one that leaves their cause open.

    Args:
        trial: what was tried.
        judged: its cases.
        found: what is known of the wrong values.
    """
    vague = next((finding for finding in found if _is_vague(finding)), None)
    wrong = [case for case in judged if is_wrong(case)]
    if vague is None or all(map(is_explained, wrong)):
        return list(found)
    tried = _tried(judged)
    holds = _first_that_holds(_hypotheses(trial, tried), tried) if tried.wrong else None
    if holds is None:
        return list(found)
    told = Finding(
        UNKNOWN,
        f"{have_wrong_values(wrong)}: {_subject(trial, tried, len(wrong))} what the reference gives{holds.says}.",
        file=str(trial.file),
        case=clearest_first(tried.wrong, judged)[0].drawn.name,
        next_step=holds.next_step,
        details={"cases": [case.drawn.name for case in wrong], PROOF: IS_PREDICTED},
    )
    return [told if finding is vague else finding for finding in found]


def _is_vague(finding: Finding) -> bool:
    return finding.code == UNKNOWN and finding.line is None and LOCATED not in finding.details


def _tried(judged: Sequence[JudgedCase]) -> Tried:
    small = sorted(filter(_is_small, judged), key=_cost)
    wrong = [case for case in small if is_wrong(case)][:MOST_CASES]
    outputs = (
        case.drawn.in_record(case.drawn.outputs[number].name)
        for case in wrong
        if case.comparison is not None
        for number in case.comparison.wrong
    )
    return Tried(wrong, [case for case in small if not is_wrong(case)][:MOST_CASES], list(dict.fromkeys(outputs)))


def _is_small(case: JudgedCase) -> bool:
    drawn, compared = case.drawn, case.comparison is not None and bool(case.comparison.outputs)
    if not compared or not drawn.golden or drawn.drawing is not None or drawn.is_empty:
        return False
    sizes = sum(golden.numel() for golden in drawn.golden), sum(layout.tensor().numel() for layout in drawn.inputs)
    return max(sizes) <= MOST_ELEMENTS


def _cost(case: JudgedCase) -> int:
    return sum(tensor.numel() for tensor in (*case.drawn.golden, *(layout.tensor() for layout in case.drawn.inputs)))


def _hypotheses(trial: Trial, tried: Tried) -> Iterator[Hypothesis]:
    first = tried.wrong[0].drawn
    drawn = [first, *(case for case in trial.cases if case is not first)]
    return chain(of_arguments(trial.puzzle, resolve(trial.puzzle), drawn), of_outputs(_factor(tried)))


def _factor(tried: Tried) -> float | None:
    """Return the number that brings the truth nearest to the wrong outputs; `None` where none does, or 0."""
    pairs = [(case, number) for case in tried.wrong for number in tried.numbers(case)]
    given = torch.cat([_values(case)[number].double().reshape(-1) for case, number in pairs])
    golden = torch.cat([case.drawn.golden[number].double().reshape(-1) for case, number in pairs])
    finite = torch.isfinite(given) & torch.isfinite(golden)
    given, golden = given[finite], golden[finite]
    return float(given @ golden / (golden @ golden)) or None if golden.any() else None


def _first_that_holds(hypotheses: Iterable[Hypothesis], tried: Tried) -> Hypothesis | None:
    """Return the first hypothesis that holds, as far as time allows."""
    end = time.thread_time() + SECONDS
    for hypothesis in hypotheses:
        told: list[Tensor] = []
        for case in (*tried.wrong, *tried.right):
            if time.thread_time() > end:
                return None
            outputs = hypothesis.outputs(case.drawn)
            numbers = tried.numbers(case)
            if not is_wrong(case) and any(outputs[number] is None for number in numbers):
                continue
            found = [_agreeing(case, number, outputs) for number in numbers]
            if any(values is None for values in found):
                break
            told += [values for values in found if values is not None]
        else:
            if told and len(set(torch.cat(told).tolist())) >= LEAST:
                return hypothesis
    return None


def _agreeing(case: JudgedCase, number: int, outputs: Outputs) -> Tensor | None:
    """Return those values of an output that are plainly not the truth; `None` where the kernel gave anything else.

    What is not finite must be so in the kernel's output too, and proves nothing.
    """
    answer, given, golden = outputs[number], _values(case)[number], case.drawn.golden[number]
    if answer is None or answer.shape != golden.shape:
        return None
    finite, tolerance = torch.isfinite(answer), case.tolerances[number]
    off = difference(given, answer) > PREDICTED * tolerance.limit(answer)
    if not torch.equal(finite, torch.isfinite(given)) or bool(off[finite].any()):
        return None
    plainly = difference(golden, answer) > PLAINLY * tolerance.limit(golden)
    return answer[finite & torch.isfinite(golden) & plainly].double()


def _values(case: JudgedCase) -> Sequence[Tensor]:
    assert case.comparison is not None
    return case.comparison.values


def _subject(trial: Trial, tried: Tried, wrong: int) -> str:
    """Say what the reference gives, and in which cases that was seen."""
    compared = {case.in_record(output.name) for case in trial.cases for output in case.outputs}
    several = len(tried.outputs) > 1
    verb = "are" if several else "is"
    subject = "they are" if len(tried.outputs) == len(compared) else f"{' and '.join(tried.outputs)} {verb}"
    return subject if len(tried.wrong) == wrong else f"in the {len(tried.wrong)} that were tried, {subject}"
