"""Methods of values in a kernel: `x.exp()` is `tl.exp(x)`, in every version of Triton."""

from __future__ import annotations

import inspect

import torch
import triton
import triton.language as tl

from tritonpuzzles.engine.interpreter import Tracer
from tritonpuzzles.engine.interpreter.language import patches


@triton.jit
def by_methods(x_ptr, y_ptr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + cols)
    numerator = (x - x.max(axis=0)).exp()
    y = numerator / numerator.sum(axis=0)
    tl.store(y_ptr + cols, y.reshape(4, BLOCK // 4).trans().trans().reshape(BLOCK).sqrt().log2().abs().exp2())


def test_methods_compute_what_their_functions_do() -> None:
    x, y = torch.linspace(-1, 1, 16), torch.zeros(16)
    with Tracer():
        by_methods[(1,)](x, y, BLOCK=16)
    torch.testing.assert_close(y, torch.exp2(torch.log2(torch.sqrt(torch.softmax(x, 0))).abs()))


def test_every_method_that_the_compiler_helps_is_helped_here() -> None:
    replaced = {name for owner, name, _ in patches() if owner is tl.tensor}
    methods = {name for name, member in inspect.getmembers(tl.tensor, inspect.isfunction) if not name.startswith("_")}
    helped = {name for name in methods if "_semantic" in inspect.signature(getattr(tl.tensor, name)).parameters}
    assert "to" in helped
    assert helped <= replaced
