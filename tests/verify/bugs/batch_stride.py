"""A batch of symmetric products: the number of the matrix times its stride has 32 bits.

Code: int32-overflow
Mistake at: x_ptr += batch * stride_xb
Reported: microsoft/dion#102
"""

import torch
import triton
import triton.language as tl


@triton.jit
def symmetric_kernel(x_ptr, y_ptr, M, K, stride_xb, stride_xm, BLOCK_M: tl.constexpr, BLOCK_K: tl.constexpr):
    batch = tl.program_id(0)
    x_ptr += batch * stride_xb
    y_ptr += batch * M * M
    rows = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.program_id(2) * BLOCK_M + tl.arange(0, BLOCK_M)
    acc = tl.zeros((BLOCK_M, BLOCK_M), dtype=tl.float32)
    for first in range(0, K, BLOCK_K):
        k = first + tl.arange(0, BLOCK_K)
        left_mask, right_mask = (rows < M)[:, None] & (k < K)[None, :], (k < K)[:, None] & (cols < M)[None, :]
        left = tl.load(x_ptr + rows[:, None].to(tl.int64) * stride_xm + k[None, :], mask=left_mask, other=0.0)
        right = tl.load(x_ptr + cols[None, :].to(tl.int64) * stride_xm + k[:, None], mask=right_mask, other=0.0)
        acc = tl.dot(left, right, acc, input_precision="ieee")
    mask = (rows < M)[:, None] & (cols < M)[None, :]
    tl.store(y_ptr + rows[:, None].to(tl.int64) * M + cols[None, :], acc.to(y_ptr.dtype.element_ty), mask=mask)


def run(x):
    x = x.contiguous()
    B, M, K = x.shape
    y = torch.empty((B, M, M), dtype=x.dtype, device=x.device)
    blocks = triton.cdiv(M, 32)
    symmetric_kernel[(B, blocks, blocks)](x, y, M, K, x.stride(0), x.stride(1), BLOCK_M=32, BLOCK_K=32)
    return y


def reference(x):
    return x @ x.transpose(1, 2)


def cases():
    return [dict(x=torch.randn(3, 40, 50))]
