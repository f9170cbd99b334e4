"""Rows of an embedding table summed in float32."""

import torch
import triton
import triton.language as tl


@triton.jit
def bag_kernel(w_ptr, index_ptr, y_ptr, n_rows, D, w_row_stride, BLOCK: tl.constexpr):
    bag = tl.program_id(0).to(tl.int64)
    d = tl.arange(0, BLOCK)
    mask = d < D
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for i in range(0, n_rows, 4):
        part = tl.zeros((BLOCK,), dtype=tl.float32)
        for j in tl.static_range(4):
            row = tl.load(index_ptr + bag * n_rows + i + j, mask=i + j < n_rows, other=0).to(tl.int64)
            part += tl.load(w_ptr + row * w_row_stride + d, mask=mask & (i + j < n_rows), other=0.0)
        acc += part
    tl.store(y_ptr + bag * D + d, acc, mask=mask)


def run(weight, index):
    bags, n_rows = index.shape
    D = weight.shape[1]
    y = torch.empty((bags, D), dtype=torch.float32, device=weight.device)
    bag_kernel[(bags,)](weight, index, y, n_rows, D, weight.stride(0), BLOCK=triton.next_power_of_2(D))
    return y


def reference(weight, index):
    exact = weight if weight.dtype == torch.float64 else weight.float()
    return exact[index.long()].sum(1)


def cases():
    weight = torch.randn(30, 24, dtype=torch.float16)
    return [dict(weight=weight, index=torch.randint(0, 30, (4, 13), dtype=torch.int32))]


OPTIONS = dict(vary=False)
