"""Say where wrong values lie, by how much they are off, and in how many cases; why, others say."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from tritonpuzzles.judge.verdict.judged import JudgedCase
from tritonpuzzles.results.words import plural

Cases = Sequence[JudgedCase]
STEADY = 1e-3  # relative spread of a factor that counts as one


def have_wrong_values(wrong: Cases) -> str:
    """Return how many cases have wrong values, in words."""
    return f"{plural(len(wrong), 'case')} {'has' if len(wrong) == 1 else 'have'} wrong values"


def seen_in(first: JudgedCase, wrong: Cases) -> str:
    """Return what all wrong cases have in common, in one or two sentences."""
    assert first.comparison is not None
    mismatch = first.comparison.result.mismatch
    assert mismatch is not None
    shape = "x".join(str(n) for n in first.drawn.shape)
    count = have_wrong_values(wrong)
    return (
        f'{count}. In the smallest, "{first.drawn.name}" {shape}, {mismatch.wrong:,} of {mismatch.total:,} elements of '
        f"{mismatch.output} are wrong ({mismatch.where}).{_factor(first)}{_others(wrong, mismatch.output)}"
    )


def _factor(case: JudgedCase) -> str:
    """Say whether each row is off by one factor, and by which."""
    values, golden = values_of(case).double(), case.drawn.golden[worst(case)].double()
    if values.ndim != 2 or values.shape[1] < 2 or not bool(torch.isfinite(values).all()):
        nans = int(torch.isnan(values).sum())
        return f" {nans:,} of them are NaN: 0 / 0, inf - inf, or fresh memory, which holds NaN here." if nans else ""
    ratio = torch.where(golden.abs() > golden.abs().mean() * 1e-3, values / golden, torch.nan)
    middle = ratio.nanmedian(dim=1).values
    spread = (ratio / middle[:, None] - 1).abs().nan_to_num().amax()
    low, high = float(middle.min()), float(middle.max())
    if float(spread) < STEADY and low > 0:
        if max(abs(low - 1), abs(high - 1)) < STEADY:
            return f" Every row is off by a factor within {max(abs(low - 1), abs(high - 1)):.0e} of 1: it is rounding."
        why = ": the values are right, their sum is not" if case.tolerances[worst(case)].normalised else ""
        return f" Every row is off by one factor, {_range(low, high)}{why}."
    if bool((values * golden < 0).float().mean() > 0.9):
        return " The signs are reversed."
    return ""


def _range(low: float, high: float) -> str:
    ends = [f"{low:.4g}", f"{high:.4g}"]
    return " to ".join(dict.fromkeys(ends))


def _others(wrong: Cases, output: str) -> str:
    """Say which other outputs are wrong too, or that they are right."""
    names = list(dict.fromkeys(expected.name for case in wrong for expected in case.drawn.outputs))
    if len(names) < 2:
        return ""
    compared = [(case.drawn.outputs, case.comparison) for case in wrong]
    bad = {outputs[number].name for outputs, found in compared if found is not None for number in found.wrong}
    also, fine = sorted(bad - {output}), [name for name in names if name not in bad]
    parts = [f"{', '.join(also)} wrong too"] if also else []
    parts += [f"{', '.join(fine)} right"] if fine else []
    return f" {'; '.join(parts)}.".replace(" ;", ";") if parts else ""


def worst(case: JudgedCase) -> int:
    """Return the number of the output that a case's result speaks of."""
    assert case.comparison is not None
    mismatch = case.comparison.result.mismatch
    return next((n for n, output in enumerate(case.drawn.outputs) if mismatch and output.name == mismatch.output), 0)


def values_of(case: JudgedCase) -> Tensor:
    assert case.comparison is not None
    return case.comparison.values[worst(case)]
