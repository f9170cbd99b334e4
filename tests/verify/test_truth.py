"""What a reference is understood to say: which of its tensors are results, and which are arguments that it changed."""

from __future__ import annotations

import random

import pytest
import torch
from torch import Tensor

from tritonpuzzles.judge.tolerances import close, deviation
from tritonpuzzles.verifier.calls import Callee, Parameters
from tritonpuzzles.verifier.drawn import drawn_case
from tritonpuzzles.verifier.truth import Reference

F = Callee("f", Parameters(("x",), ("x",)))


def _expected(reference: Reference, x: Tensor) -> dict[str, Tensor]:
    drawn = drawn_case(F.call({"x": x}, "your case"), reference, reference.mutates, random.Random(1))
    return {output.name: golden for output, golden in zip(drawn.outputs, drawn.golden, strict=True)}


def test_an_argument_that_a_reference_leaves_as_it_is_is_expected_unchanged() -> None:
    def doubled(x: Tensor) -> None:
        for row in x[x[:, 0] > 0]:
            x.copy_(2 * x)
            assert row.numel()

    found = _expected(Reference(doubled, ("x",)), -torch.ones(2, 3))
    assert list(found) == ["x"]
    assert torch.equal(found["x"].double(), -torch.ones(2, 3).double())


def test_what_a_reference_returns_is_a_result_where_it_has_changed_the_argument_in_another_call() -> None:
    def summed(x: Tensor) -> Tensor:
        for row in x:
            row.mul_(2)
        return x.sum()

    reference = Reference(summed, ("x",))
    assert list(_expected(reference, torch.ones(2, 3))) == ["out", "x"]
    assert list(_expected(reference, torch.ones(0, 3))) == ["out", "x"]


@pytest.mark.parametrize("dtype", [torch.float8_e5m2, torch.float8_e4m3fn])
def test_half_of_a_float8_is_wrong_and_its_neighbour_is_not(dtype: torch.dtype) -> None:
    x = torch.tensor([0.1, 1.0, 1.9, 272.0, 288.0])

    def scaled(x: Tensor) -> Tensor:
        return (x + 1e-5 + 1e-5).to(dtype)  # in float32 272 and 288 stay halfway, and are rounded down

    drawn = drawn_case(F.call({"x": x}, "your case"), Reference(scaled), (), random.Random(1))
    assert drawn.rounding[0] > 1
    (golden,) = drawn.golden
    neighbour = (golden.to(dtype).view(torch.uint8) + 1).view(dtype).double()
    assert deviation(golden / 2, golden, close(drawn, 0)).wrong == golden.numel()
    assert deviation(neighbour, golden, close(drawn, 0)).wrong == 0
