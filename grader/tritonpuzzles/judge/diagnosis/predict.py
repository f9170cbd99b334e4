"""Explain wrong values without a known cause: find a change of the reference's arguments or outputs that gives them.

A hypothesis holds only if it agrees with the kernel in every case that is tried, right cases included. It must also
predict several different numbers that are clearly not the truth.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import torch
from torch import Tensor

from tritonpuzzles.judge.diagnosis.hypotheses import Hypothesis, of_arguments, of_outputs
from tritonpuzzles.judge.tolerances import difference
from tritonpuzzles.judge.verdict.divergence.roles import What
from tritonpuzzles.judge.verdict.judged import (
    PLAINLY,
    PREDICTED,
    UNKNOWN,
    JudgedCase,
    clearest_first,
    have_wrong_values,
)
from tritonpuzzles.judge.workers.trial import Trial
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.cover import IS_PREDICTED, LOCATED, PROOF
from tritonpuzzles.wire.drawing import dtype_of

SECONDS = 0.5  # of this thread's CPU time: a busy machine finds the same as an idle one
MOST_ELEMENTS = 1 << 19  # of the inputs and outputs of a case together
MOST_NUMBERS = 64  # looked at in an output
LEAST = 3  # different numbers that are clearly wrong: fewer, or one number everywhere, fit many mistakes


@dataclass(frozen=True)
class Tried:
    """The cases that hypotheses are tried on, the cheapest first; a hypothesis is dropped at the first that disagrees.

    `outputs` are the outputs that are wrong in any of these cases, by their names in the record.
    """

    wrong: Sequence[JudgedCase]
    right: Sequence[JudgedCase]
    outputs: Sequence[str]

    def numbers(self, case: JudgedCase) -> list[int]:
        """Return the indices of those outputs in a case, which may have fewer outputs than others."""
        names = [case.drawn.in_record(output.name) for output in case.drawn.outputs]
        return [number for number, name in enumerate(names) if name in self.outputs]


def predicted(trial: Trial, judged: Sequence[JudgedCase], found: Sequence[Finding]) -> list[Finding]:
    """Replace a finding that leaves the cause open by one that says what would give the wrong values."""
    vague = next((one for one in found if one.code == UNKNOWN and _is_open(one)), None)
    wrong = [case for case in judged if case.is_wrong]
    if vague is None or all(case.is_explained for case in wrong):
        return list(found)
    tried = _tried(judged)
    holds = _first_that_holds(trial, tried) if tried.wrong else None
    if holds is None:
        return list(found)
    text = f"{have_wrong_values(wrong)}: {_subject(trial, tried, wrong)} what the reference gives{holds.says}."
    told = Finding(
        UNKNOWN,
        text,
        file=str(trial.file),
        line=trial.file.source.only_store if holds.stored else None,
        case=clearest_first(tried.wrong, judged)[0].drawn.name,
        next_step=holds.next_step,
        details={"cases": [case.drawn.name for case in wrong], PROOF: IS_PREDICTED},
    )
    return [told if finding is vague else finding for finding in found]


def _is_open(finding: Finding) -> bool:
    """Return whether a finding names no line, or only that of a variable of which nothing is known."""
    known = finding.details.get(LOCATED, {})
    return (not known and finding.line is None) or (known.get("what") == What.UNKNOWN.key and "cause" not in known)


def _tried(judged: Sequence[JudgedCase]) -> Tried:
    small = sorted((case for case in judged if _is_known(case) and _elements(case) <= MOST_ELEMENTS), key=_elements)
    wrong = [case for case in small if case.is_wrong]
    outputs = (case.drawn.in_record(case.drawn.outputs[number].name) for case in wrong for number in case.wrong)
    return Tried(wrong, [case for case in small if not case.is_wrong], list(dict.fromkeys(outputs)))


def _is_known(case: JudgedCase) -> bool:
    """Return whether a case has values and a truth, of all its elements."""
    compared = case.comparison is not None and bool(case.comparison.outputs)
    return compared and bool(case.drawn.golden) and case.drawn.drawing is None


def _elements(case: JudgedCase) -> int:
    return sum(tensor.numel() for tensor in (*case.drawn.golden, *(layout.tensor() for layout in case.drawn.inputs)))


def _first_that_holds(trial: Trial, tried: Tried) -> Hypothesis | None:
    """Return the first hypothesis that holds, or `None` when there is none or the time is over."""
    end = time.thread_time() + SECONDS
    first = tried.wrong[0].drawn
    drawn = [first, *(case for case in trial.cases if case is not first)]
    for hypothesis in chain(of_arguments(trial.task, drawn), of_outputs(_factor(tried))):
        plainly: set[float] = set()
        for case in (*tried.wrong, *tried.right):
            if time.thread_time() > end:
                return None
            told = _told(hypothesis, case, tried)
            if told is None:
                break
            plainly.update(told)
        else:
            if len(plainly) >= LEAST:
                return hypothesis
    return None


def _told(hypothesis: Hypothesis, case: JudgedCase, tried: Tried) -> list[float] | None:
    """Return clearly wrong numbers of the kernel that a hypothesis explains; `None` if the hypothesis is refuted."""
    outputs = hypothesis.outputs(case.drawn)
    if outputs is None:
        return None if case.is_wrong else []
    told = [_agreeing(case, number, outputs[number], hypothesis.partly) for number in tried.numbers(case)]
    return None if None in told else [value for values in told for value in values or ()]


def _factor(tried: Tried) -> float:
    """Return the factor that brings the truth nearest to the wrong outputs; 0 if the truth is all zeros."""
    pairs = [(case.values[number], case.drawn.golden[number]) for case in tried.wrong for number in tried.numbers(case)]
    given, golden = (torch.cat([one.double().reshape(-1) for one in side]) for side in zip(*pairs, strict=True))
    finite = torch.isfinite(given) & torch.isfinite(golden)
    given, golden = given[finite], golden[finite]
    return float(given @ golden / (golden @ golden)) if golden.any() else 0.0


def _agreeing(case: JudgedCase, number: int, answer: Tensor, partly: bool) -> list[float] | None:
    """Return clearly wrong numbers of an output that agrees with an answer; `None` if it does not agree.

    What is not finite must be so in the kernel's output too, and proves nothing. If `partly`, the answer is compared
    with the wrong elements alone.
    """
    given, golden, tolerance = case.values[number], case.drawn.golden[number], case.tolerances[number]
    if answer.shape != golden.shape:
        return None
    if partly:
        answer = torch.where(difference(given, golden) > tolerance.limit(golden), answer, given.to(answer.dtype))
    dtype = dtype_of(case.drawn.outputs[number].dtype)  # a tolerance may include the truth's rounding only
    rounding = torch.finfo(dtype).eps if dtype.is_floating_point else 0.0
    finite = torch.isfinite(answer)
    off = difference(given, answer) > PREDICTED * tolerance.limit(answer) + rounding * answer.abs()
    if not torch.equal(finite, torch.isfinite(given)) or bool(off[finite].any()):
        return None
    plainly = difference(golden, answer) > PLAINLY * tolerance.limit(golden)
    numbers: list[float] = answer[finite & torch.isfinite(golden) & plainly][:MOST_NUMBERS].tolist()
    return numbers


def _subject(trial: Trial, tried: Tried, wrong: Sequence[JudgedCase]) -> str:
    """Return a sentence's subject: which outputs the reference gives, and in which cases if not in all."""
    compared = {case.in_record(output.name) for case in trial.cases for output in case.outputs}
    verb = "are" if len(tried.outputs) > 1 else "is"
    subject = "they are" if compared == set(tried.outputs) else f"{' and '.join(tried.outputs)} {verb}"
    small = f"in the {len(tried.wrong)} that are small enough to try it on, "
    return subject if len(tried.wrong) == len(wrong) else f"{small}{subject}"
