"""Two attention states merged by their log-sum-exp; where both are -inf the result is 0."""

import torch
import triton
import triton.language as tl


@triton.jit
def merge_kernel(a_ptr, b_ptr, a_lse_ptr, b_lse_ptr, y_ptr, D, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    d = tl.arange(0, BLOCK)
    a_lse, b_lse = tl.load(a_lse_ptr + row), tl.load(b_lse_ptr + row)
    largest = tl.maximum(a_lse, b_lse)
    largest = tl.maximum(largest, -1e30)
    a_weight, b_weight = tl.exp(a_lse - largest), tl.exp(b_lse - largest)
    total = tl.maximum(a_weight + b_weight, 1e-10)
    a = tl.load(a_ptr + row * D + d, mask=d < D, other=0.0)
    b = tl.load(b_ptr + row * D + d, mask=d < D, other=0.0)
    tl.store(y_ptr + row * D + d, (a * a_weight + b * b_weight) / total, mask=d < D)


def run(a, b, a_lse, b_lse):
    y = torch.empty_like(a)
    D = a.shape[1]
    merge_kernel[(a.shape[0],)](a, b, a_lse, b_lse, y, D, BLOCK=triton.next_power_of_2(D))
    return y


def reference(a, b, a_lse, b_lse):
    weights = torch.stack([a_lse, b_lse])
    weights = torch.nan_to_num(torch.softmax(weights, dim=0), nan=0.0)
    return a * weights[0, :, None] + b * weights[1, :, None]


def cases():
    a_lse, b_lse = torch.randn(5), torch.randn(5)
    a_lse[:2], b_lse[1:3] = -float("inf"), -float("inf")
    return [dict(a=torch.randn(5, 24), b=torch.randn(5, 24), a_lse=a_lse, b_lse=b_lse)]


OPTIONS = dict(vary=False)
