"""What a reference is understood to say: which of its tensors are results, and which are arguments that it changed."""

from __future__ import annotations

import random

import torch
from torch import Tensor

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
