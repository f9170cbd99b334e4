"""One judged case: the drawn case, the worker's evidence, the comparison, and the kind of its wrong values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import torch
from torch import Tensor

from tritonpuzzles.judge.drawn import DrawnCase
from tritonpuzzles.judge.evidence.cases import CaseEvidence
from tritonpuzzles.judge.tolerances import Tolerance, difference, root_mean_square
from tritonpuzzles.judge.verdict.compare import Comparison, case_result
from tritonpuzzles.results.check import CaseResult, Finding, Mismatch, Verdict
from tritonpuzzles.results.codes import CODES, Kind, Severity
from tritonpuzzles.results.cover import PROOF, UNWRITTEN
from tritonpuzzles.results.words import plural

READ_TOO_OFTEN = frozenset({"too-many-loads", "too-many-bytes"})
WRONG = (Kind.FORM, Kind.VALUE)  # of a case without outputs: the host function was refused, it did not crash
UNKNOWN, FEW_BITS, STRIDES = "wrong-values", "low-precision", "strides-assumed"  # findings whose cause may be open
DOUBT = "All of these are NaN, infinite or 0, and other mistakes give that, too."
UNPROVEN = "unproven"  # in details: many mistakes give these values (NaN, 0), or this one explains only some of them
IN_PART = "in part"
STEADY = 1e-3  # relative spread up to which a factor counts as constant
CLOSE = 0.2  # of the learner's distance from the truth
HALF = 0.5  # of the emulation's own size: a small emulation must not match everything
ALIKE = 0.99  # of the elements
PREDICTED = 4.0  # tolerances within which an emulation still counts as the truth
PLAINLY = 10.0  # tolerances beyond which a case is clearly wrong


class Pattern(NamedTuple):
    """A cause that the wrong values of several cases prove together."""

    code: str  # of the finding
    text: str
    step: str
    slips: Sequence[str] = ()  # regular expressions of lines that make the mistake and do nothing else
    step_there: str = ""  # the next step where one of these lines is found, if it is another one


@dataclass
class JudgedCase:
    """A case with its evidence, its comparison and its findings."""

    drawn: DrawnCase
    evidence: CaseEvidence
    comparison: Comparison | None = None
    findings: list[Finding] = field(default_factory=list)
    tolerances: tuple[Tolerance, ...] = ()  # one per output, if the outputs were compared

    @property
    def is_broken(self) -> bool:
        """Whether it did not finish; a host function that does something forbidden counts as wrong, not as broken."""
        failure = self.evidence.failure
        return self.comparison is None and not (failure is not None and CODES[failure.code].kind in WRONG)

    @property
    def mismatch(self) -> Mismatch | None:
        """How its worst output is wrong, if one is."""
        return None if self.comparison is None else self.comparison.result.mismatch

    @property
    def is_wrong(self) -> bool:
        """Whether its values are wrong; its form, traffic and safety do not count."""
        return self.mismatch is not None

    @property
    def is_explained(self) -> bool:
        """Whether it has an error that may cause wrong values; reading too often does not."""
        return has_errors([finding for finding in self.findings if finding.code not in READ_TOO_OFTEN])

    @property
    def is_unwritten(self) -> bool:
        """Whether some of its elements are never written."""
        return any(finding.code == UNWRITTEN for finding in self.findings)

    @property
    def wrong(self) -> tuple[int, ...]:
        """The indices of the outputs with wrong values."""
        return () if self.comparison is None else self.comparison.wrong

    @property
    def values(self) -> tuple[Tensor, ...]:
        """The outputs as compared; see `Comparison.values`."""
        assert self.comparison is not None
        return self.comparison.values

    @property
    def worst(self) -> int:
        """The index of the output that its result describes."""
        mismatch, outputs = self.mismatch, enumerate(self.drawn.outputs)
        return next((n for n, output in outputs if mismatch and output.name == mismatch.output), 0)

    def output(self, number: int) -> tuple[Tensor, Tensor, Tensor]:
        """Return an output, its truth, and how far each element may be from it."""
        golden = self.drawn.golden[number]
        return self.values[number], golden, self.tolerances[number].limit(golden)

    def result(self, device: str) -> CaseResult:
        """Return the case's line in the report; an error makes it fail even if its values are right."""
        if self.comparison is None:
            return case_result(self.drawn, device, Verdict.ERROR if self.is_broken else Verdict.FAIL)
        found = replace(self.comparison.result, programs=sum(launch.programs for launch in self.evidence.launches))
        if found.verdict is Verdict.PASS and has_errors(self.findings):
            return replace(found, verdict=Verdict.FAIL)
        return found

    def gives(self, emulations: Sequence[Tensor]) -> bool:
        """Return whether an emulation gives the learner's values, in every output that it computes."""
        return set(self.wrong) <= set(range(len(emulations))) and all(
            self._gives_one(number, emulation) if number in self.wrong else self._is_near(number, emulation)
            for number, emulation in enumerate(emulations)
        )

    def _gives_one(self, number: int, emulation: Tensor) -> bool:
        """Return whether an emulation matches one output: like the learner where that is wrong, right elsewhere."""
        given, golden, limit = self.output(number)
        wrong = ~_near(given, golden, limit)
        if not wrong.any():  # many small errors, each within its own limit
            wrong = torch.ones_like(wrong)
        right = ~wrong
        if right.any() and _share(_near(emulation, golden, PREDICTED * limit)[right]) < ALIKE:
            return False
        given, emulation, golden = given[wrong], emulation[wrong], golden[wrong]
        alike = 1.0 if self.is_unwritten else ALIKE  # unwritten elements are known exactly
        if _share(_kind(given) == _kind(emulation)) < alike:
            return False
        finite = torch.isfinite(given) & torch.isfinite(emulation)
        missed = root_mean_square(difference(given, emulation)[finite])
        off = root_mean_square(difference(given, golden)[finite].nan_to_num(torch.inf))  # inf where the truth is NaN
        return missed <= CLOSE * off and missed <= HALF * root_mean_square(emulation[finite])

    def agrees(self, emulations: Sequence[Tensor]) -> bool:
        """Return whether an emulation is right where the learner is right."""
        return all(self._is_near(number, emulation) for number, emulation in enumerate(emulations))

    def _is_near(self, number: int, emulation: Tensor) -> bool:
        golden = self.drawn.golden[number]
        return _share(_near(emulation, golden, PREDICTED * self.tolerances[number].limit(golden))) >= ALIKE

    def is_number(self, number: int) -> bool:
        """Return whether any wrong element of an output is a finite number other than 0."""
        given, golden, limit = self.output(number)
        wrong = given[~_near(given, golden, limit)]
        return bool((torch.isfinite(wrong) & (wrong != 0)).any())


Cases = Sequence[JudgedCase]


def has_errors(findings: Sequence[Finding]) -> bool:
    """Return whether any finding is an error."""
    return any(finding.severity is Severity.ERROR for finding in findings)


def have_wrong_values(wrong: Cases) -> str:
    """Return how many cases have wrong values, in words."""
    return f"{plural(len(wrong), 'case')} {'has' if len(wrong) == 1 else 'have'} wrong values"


def seen_in(first: JudgedCase, wrong: Cases) -> str:
    """Return what all wrong cases have in common, in one or two sentences."""
    mismatch = first.mismatch
    assert mismatch is not None
    shape = "x".join(map(str, first.drawn.shape))
    return (
        f'{have_wrong_values(wrong)}. In "{first.drawn.name}" {shape}, {mismatch.wrong:,} of '
        f"{mismatch.total:,} elements of {mismatch.output} are wrong ({mismatch.where})."
        f"{_factor(first)}{_others(wrong, mismatch.output)}"
    )


def _factor(case: JudgedCase) -> str:
    """Return a sentence if each row is wrong by one factor, or about NaN or reversed signs; else ""."""
    values, golden = case.values[case.worst].double(), case.drawn.golden[case.worst].double()
    if values.ndim != 2 or values.shape[1] < 2 or not bool(torch.isfinite(values).all()):
        nans = int((torch.isnan(values) & ~torch.isnan(golden)).sum())
        return f" {nans:,} of them are NaN: 0 / 0, inf - inf, or fresh memory, which holds NaN here." if nans else ""
    ratio = torch.where(golden.abs() > golden.abs().mean() * 1e-3, values / golden, torch.nan)
    middle = ratio.nanmedian(dim=1).values
    spread = (ratio / middle[:, None] - 1).abs().nan_to_num().amax()
    low, high = float(middle.min()), float(middle.max())
    off = max(abs(low - 1), abs(high - 1))
    if float(spread) < STEADY and low > 0:
        if off < STEADY:
            near = bool(((values - golden).abs() <= golden.abs() / 2).all())  # small elements, too
            return f" Every row is off by a factor within {off:.0e} of 1: it is rounding." if near else ""
        factor = " to ".join(dict.fromkeys((f"{low:.4g}", f"{high:.4g}")))
        why = ": the values are right, their sum is not" if case.tolerances[case.worst].normalised else ""
        return f" Every row is off by one factor, {factor}{why}."
    return " The signs are reversed." if bool((values * golden < 0).float().mean() > 0.9) else ""


def _others(wrong: Cases, output: str) -> str:
    """Return a sentence on which other outputs are wrong, and which are right."""
    names = list(dict.fromkeys(expected.name for case in wrong for expected in case.drawn.outputs))
    bad = {case.drawn.outputs[number].name for case in wrong for number in case.wrong}
    also, fine = sorted(bad - {output}), [name for name in names if name not in bad]
    said = ((also, "wrong too"), (fine, "right"))
    parts = [f"{', '.join(found)} {how}" for found, how in said if found]
    return f" {'; '.join(parts)}." if parts and len(names) > 1 else ""


def _near(values: Tensor, golden: Tensor, limit: Tensor) -> Tensor:
    return (difference(values, golden) <= limit) | (~torch.isfinite(golden) & (_kind(values) == _kind(golden)))


def _share(mask: Tensor) -> float:
    """Return the share that is true; 1 for an empty mask, so that an empty output contradicts nothing."""
    return float(mask.double().mean()) if mask.numel() else 1.0


def _kind(values: Tensor) -> Tensor:
    """Return 0 for finite, 1 for NaN, 2 and 3 for the infinities."""
    return torch.isnan(values).int() + 2 * (values == torch.inf).int() + 3 * (values == -torch.inf).int()


def _excess(case: JudgedCase) -> float:
    """Return how many tolerances the largest error is, which shows the mistake best. NaN counts as 0."""
    assert case.comparison is not None
    result = case.comparison.result
    excess = (result.max_error or 0.0) / (result.tolerance or 1.0)
    return 0.0 if math.isnan(excess) else excess


def clearest_first(wrong: Sequence[JudgedCase], judged: Sequence[JudgedCase]) -> list[JudgedCase]:
    """Return the wrong cases, those that show the mistake best first.

    Clearly wrong cases come first, in the order of the record, which goes from plain to special cases. The others
    follow, the largest error first.
    """
    order = {case.drawn.name: number for number, case in enumerate(judged)}
    in_order = sorted(wrong, key=lambda case: order[case.drawn.name])
    return sorted(in_order, key=lambda case: min(PLAINLY, _excess(case)), reverse=True)


def with_doubt(finding: Finding) -> Finding:
    """Return a named mistake with what its values leave open: NaN and 0 come of many, unless a change proves it."""
    is_open = finding.details.get(UNPROVEN) is True and PROOF not in finding.details and finding.code != UNKNOWN
    return finding.adding(DOUBT) if is_open else finding
