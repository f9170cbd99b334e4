"""What comes a second time: other numbers in the memory of a call, and what a host function has kept."""

from __future__ import annotations

import random

import pytest
import torch
from torch import Tensor

import tritonpuzzles
from tests.verify import kernels
from tritonpuzzles.verifier.calls import Callee, Parameters
from tritonpuzzles.verifier.vary import Varying

LAID_OUT = {
    "transposed": torch.randn(70, 5).t(),
    "padded": torch.randn(5, 80)[:, 3:73],
    "expanded": torch.randn(1, 70).expand(5, 70),
}
ONES = torch.ones(3)


@pytest.mark.parametrize("name", LAID_OUT)
def test_other_numbers_lie_as_the_first_ones_do(name: str) -> None:
    x = LAID_OUT[name]
    call = Callee("f", Parameters(("x",), ("x",))).call({"x": x}, "your case")
    other = next(Varying(call, (), random.Random(1)).numbers()).tensors["x"]
    assert (other.stride(), other.storage_offset()) == (x.stride(), x.storage_offset())
    assert not torch.equal(other, x)
    assert torch.equal(other.flatten().sort().values, x.flatten().sort().values)


def test_what_was_there_before_the_call_may_come_back_beside_what_a_kernel_wrote() -> None:
    def scaled(x: Tensor) -> tuple[Tensor, Tensor]:
        return kernels.scale_all([x], 2.0)["all"][0], ONES

    asked = {"cases": {"x": torch.randn(5, 7)}, "host": "eager", "device": "cpu", "vary": {"numbers"}}
    report = tritonpuzzles.verify(scaled, lambda x: (2.0 * x, ONES.to(x.dtype)), **asked)
    assert report, report
