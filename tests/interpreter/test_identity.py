"""The engine computes what Triton's plain interpreter computes, bit for bit, in batches and one at a time."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from tritonpuzzles.engine.interpreter import Tracer

from .zoo import CASES
from .zoo.case import Case


def same_bits(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Compare by value; NaN equals NaN."""
    return a.dtype == b.dtype and torch.equal(a.isnan(), b.isnan()) and torch.equal(a.nan_to_num(), b.nan_to_num())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("batch", [1 << 18, 200, 1], ids=["whole", "small", "single"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_agrees_with_plain_interpreter(case: Case, batch: int, plain_results: dict[str, Any]) -> None:
    expected = plain_results[case.name]
    if isinstance(expected, str):
        pytest.skip(f"this Triton's own interpreter fails: {expected}")
    with Tracer(tf32=False, batch=batch) as tracer:
        results = case.run()
    assert all(same_bits(a, b) for a, b in zip(results, expected, strict=True))
    assert len(tracer.launches) == 1


def test_plain_interpreter_runs_nearly_everything(plain_results: dict[str, Any]) -> None:
    """Guard against a comparison with nothing."""
    ran = [name for name, result in plain_results.items() if not isinstance(result, str)]
    assert len(ran) >= 55, {name: result for name, result in plain_results.items() if isinstance(result, str)}
