"""Compare what an emulation gives with what a kernel gave: alike where that is wrong, right where that is right."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from tritonpuzzles.judge.tolerances import root_mean_square
from tritonpuzzles.judge.verdict.deviation import difference
from tritonpuzzles.judge.verdict.judged import JudgedCase
from tritonpuzzles.results.cover import UNWRITTEN

CLOSE = 0.2  # of the learner's own distance from the truth
HALF = 0.5  # of the emulation's own size: nothing is near everything
ALIKE = 0.99  # of the elements
PREDICTED = 4.0  # tolerances within which an emulation still counts as the truth


def gives(case: JudgedCase, emulations: Sequence[Tensor]) -> bool:
    """Return whether an emulation gives what the learner's kernel gave, in every output that it computes."""
    assert case.comparison is not None
    wrong = case.comparison.wrong
    if not set(wrong) <= set(range(len(emulations))):
        return False
    right = [number for number in range(len(emulations)) if number not in wrong]
    return all(_gives_one(case, number, emulations[number]) for number in wrong) and all(
        _is_near(case, number, emulations[number]) for number in right
    )


def _gives_one(case: JudgedCase, number: int, emulation: Tensor) -> bool:
    """Return whether one output is what the emulation gives: wrong where that is wrong, right elsewhere."""
    assert case.comparison is not None
    given, golden = case.comparison.values[number], case.drawn.golden[number]
    limit = case.tolerances[number].limit(golden)
    wrong = ~_near(given, golden, limit)
    if not wrong.any():  # many small errors, each within its own limit
        wrong = torch.ones_like(wrong)
    right = ~wrong
    if right.any() and _share(_near(emulation, golden, PREDICTED * limit)[right]) < ALIKE:
        return False
    given, emulation, golden = given[wrong], emulation[wrong], golden[wrong]
    alike = 1.0 if is_unwritten(case) else ALIKE  # where nothing is written is known to the element
    if _share(_kind(given) == _kind(emulation)) < alike:
        return False
    finite = torch.isfinite(given) & torch.isfinite(emulation)
    missed = root_mean_square(difference(given, emulation)[finite])
    off = root_mean_square(difference(given, golden)[finite].nan_to_num(torch.inf))  # a number in place of a NaN
    return missed <= CLOSE * off and missed <= HALF * root_mean_square(emulation[finite])


def agrees(case: JudgedCase, emulations: Sequence[Tensor]) -> bool:
    """Return whether the emulation is right in a case in which the learner is."""
    return all(_is_near(case, number, emulation) for number, emulation in enumerate(emulations))


def _is_near(case: JudgedCase, number: int, emulation: Tensor) -> bool:
    golden = case.drawn.golden[number]
    return _share(_near(emulation, golden, PREDICTED * case.tolerances[number].limit(golden))) >= ALIKE


def is_number(case: JudgedCase, number: int) -> bool:
    """Return whether an output holds a number other than 0 where it is wrong."""
    assert case.comparison is not None
    given, golden = case.comparison.values[number], case.drawn.golden[number]
    wrong = ~_near(given, golden, case.tolerances[number].limit(golden))
    return bool((torch.isfinite(given[wrong]) & (given[wrong] != 0)).any())


def is_unwritten(case: JudgedCase) -> bool:
    """Return whether elements of a case are written by nothing."""
    return any(finding.code == UNWRITTEN for finding in case.findings)


def _near(values: Tensor, golden: Tensor, limit: Tensor) -> Tensor:
    return (difference(values, golden) <= limit) | (_special(golden) & (_kind(values) == _kind(golden)))


def _share(mask: Tensor) -> float:
    """Return the share that is true; of no elements all are, so that an empty output contradicts nothing."""
    return float(mask.double().mean()) if mask.numel() else 1.0


def _special(values: Tensor) -> Tensor:
    return ~torch.isfinite(values)


def _kind(values: Tensor) -> Tensor:
    """Return 0 for finite, 1 for NaN, 2 and 3 for the infinities."""
    return torch.isnan(values).int() + 2 * (values == torch.inf).int() + 3 * (values == -torch.inf).int()
