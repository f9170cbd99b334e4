"""The blockwise comparison gives what the plain formula gives, whatever the shape, NaN and infinities included."""

import math

import hypothesis.strategies as st
import torch
from hypothesis import given, settings

from tritonpuzzles.judge import tolerances as module
from tritonpuzzles.judge.tolerances import Tolerance, deviation, wrong_elements

SPECIAL = (math.inf, -math.inf, math.nan)
NUMBERS = st.one_of(st.floats(-4, 4, width=32), st.sampled_from(SPECIAL))


@st.composite
def pairs(draw: st.DrawFn) -> tuple[torch.Tensor, torch.Tensor]:
    size = draw(st.integers(1, 40))
    golden = draw(st.lists(NUMBERS, min_size=size, max_size=size))
    near = [value + draw(st.sampled_from([0.0, 0.0, 1e-4, 0.5])) for value in golden]
    values = [draw(st.one_of(st.just(value), NUMBERS)) if index % 5 == 0 else value for index, value in enumerate(near)]
    return torch.tensor(values, dtype=torch.float32), torch.tensor(golden, dtype=torch.float64)


def is_wrong(value: float, truth: float, limit: float) -> bool:
    if math.isnan(truth):
        return not math.isnan(value)
    if math.isinf(truth):
        return value != truth
    return not abs(value - truth) <= limit


@settings(deadline=None)
@given(pair=pairs(), block=st.integers(1, 9))
def test_the_same_as_the_plain_formula(pair: tuple[torch.Tensor, torch.Tensor], block: int) -> None:
    values, golden = pair
    tolerance = Tolerance(1e-3, 1e-6)
    before, module.BLOCK = module.BLOCK, block
    try:
        seen = deviation(values, golden, tolerance)
    finally:
        module.BLOCK = before
    limits = [1e-3 * abs(truth) + 1e-6 for truth in golden.tolist()]
    wrong = [is_wrong(*item) for item in zip(values.tolist(), golden.tolist(), limits, strict=True)]
    assert seen.wrong == sum(wrong)
    assert wrong_elements(values, golden, tolerance).tolist() == wrong
    if any(wrong):
        assert wrong[seen.worst]
    else:
        errors = [
            abs(v - t) if math.isfinite(t) else 0.0 for v, t in zip(values.tolist(), golden.tolist(), strict=True)
        ]
        ratios = [error / limit if error else 0.0 for error, limit in zip(errors, limits, strict=True)]
        assert ratios[seen.worst] == max(ratios)
        assert seen.error == errors[seen.worst]
        assert math.isclose(seen.rms, math.sqrt(sum(e * e for e in errors) / len(errors)), abs_tol=1e-12)


def test_many_small_errors_are_shown_where_they_are_above_the_mean() -> None:
    golden = torch.zeros(100, dtype=torch.float64)
    values = torch.zeros(100)
    values[::2] = 0.5
    tolerance = Tolerance(0.0, 1.0, rms=0.1)
    assert deviation(values, golden, tolerance).wrong == 0
    assert wrong_elements(values, golden, tolerance).nonzero().flatten().tolist() == list(range(0, 100, 2))
