"""Which calls of host code would let PyTorch compute."""

from __future__ import annotations

import pytest

from tritonpuzzles.source import Source
from tritonpuzzles.source.computing import computing_calls

FILE = """
import math
import torch
import torch.nn.functional as F
from torch import exp as power

torch.library.define("mine::rows", "(Tensor x) -> Tensor")

@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = tl.exp(tl.load(x_ptr))

def reference(x):
    return torch.softmax(x, 1)

def apart(x):
    return x.sum()

def helper(x):
    {inside}

def softmax(x):
    y = torch.empty_like(x)
    width = int(math.exp(2)) + sum(x.shape) + max(x.stride())
    kernel[(helper(x),)](x, width)
    return y
"""


@pytest.mark.parametrize(
    ("inside", "name"),
    [
        ("return torch.softmax(x, 1)", "torch.softmax"),
        ("return torch.\u017foftmax(x, 1)", "torch.softmax"),  # Python reads this letter as an s
        ("return F.pad(x, (1, 1))", "F.pad"),
        ("return power(x)", "power"),
        ("return x.float().softmax(-1)", "x.float().softmax"),
        ("return reference(x)", "reference"),
        ("return [torch.where(x > 0, x, 0) for _ in range(2)]", "torch.where"),
        ("if x.shape[0] > 3:\n        return torch.matmul(x, x)", "torch.matmul"),
        ("if not x.is_cuda:\n        return torch.matmul(x, x)", None),  # a way out without a GPU
        ("if x.is_cuda and x.shape[0] > 3:\n        return torch.matmul(x, x)", "torch.matmul"),
        ("if x.device.type == 'cpu' or not x.is_cuda:\n        return torch.matmul(x, x)", None),
        ("if x.is_cuda or x.shape[0] > 3:\n        return torch.matmul(x, x)", "torch.matmul"),
        ("if torch.cuda.get_device_capability()[0] > 10:\n        return torch.matmul(x, x)", "torch.matmul"),
        ("if not x.is_cuda:\n        pass\n    else:\n        return torch.matmul(x, x)", "torch.matmul"),  # which ran
        ("return torch.nn.Softmax(dim=1)(x)", "torch.nn.Softmax"),
        ("return torch.ops.aten._softmax(x, 1, False)", "torch.ops.aten._softmax"),
        ("return torch.ops.mine.rows(x)", None),
        ("return torch.ops.theirs.rows(x)", "torch.ops.theirs.rows"),
        ("return getattr(torch, 'softmax')(x, 1)", "torch.softmax"),
        ("return getattr(x, 'softmax')(1)", "x.softmax"),
        ("return getattr(x, 'soft' + 'max')(1)", "getattr"),
        ("return torch.Tensor.softmax(x, 1)", "torch.Tensor.softmax"),
        ("return x.softmax(1).contiguous()", "x.softmax"),
        ("anything = torch", "torch"),
        ("return x @ x", "x @ x"),
        ("return eval('x')", "eval"),
        ("size: torch.nn.Softmax = getattr(helper, 'calls', 0)", None),
        ("return torch.cuda.get_device_properties(x.device).total_memory", None),
        ("return x.contiguous().view(-1).shape[0]", None),
        ("return torch.zeros(3, dtype=torch.promote_types(x.dtype, x.dtype)).numel()", None),
    ],
)
def test_computing_calls_are_found_in_what_the_host_function_calls(inside: str, name: str | None) -> None:
    text = FILE.format(inside=inside)
    run = [text[: text.index("else:")].count("\n") + 2] if "else:" in inside else []
    found = computing_calls(Source(text), "softmax", {"apart", "reference"}, lambda node: node.lineno in run)
    assert [one for one, _ in found] == ([name] if name else [])


def test_some_functions_are_skipped_and_classes_lead_to_their_methods() -> None:
    text = """
class Product(torch.autograd.Function):
    def forward(ctx, a, b):
        return a.mm(b)

    def backward(ctx, g):
        return g.sum()

def dot(a, b):
    return Product.apply(a, b)
"""
    assert list(computing_calls(Source(text), "dot", {"backward"})) == [("a.mm", 4)]
    assert list(computing_calls(Source(text), "dot", set())) == [("a.mm", 4), ("g.sum", 7)]
