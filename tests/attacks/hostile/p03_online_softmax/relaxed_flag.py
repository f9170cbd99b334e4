"""Two programs hand maxima to each other by a relaxed flag of one block's scope, which orders nothing.

Must: fail race-read-write
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(
    x_ptr, y_ptr, m_ptr, l_ptr, flag_ptr, x_row_stride, y_row_stride, n_cols, half, BLOCK_SIZE: tl.constexpr
):
    pid = tl.program_id(0).to(tl.int64)
    row, part = pid // 2, pid % 2
    other = pid + 1 - 2 * part
    first = part * half
    last = tl.minimum(first + half, n_cols)
    x_row_ptr = x_ptr + row * x_row_stride
    y_row_ptr = y_ptr + row * y_row_stride
    m = -3.4028234663852886e38
    l = 0.0
    for start in range(first, last, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_row_ptr + cols, mask=cols < last, other=-float("inf")).to(tl.float32)
        m_new = tl.maximum(m, tl.max(x, axis=0))
        l = l * tl.exp(m - m_new) + tl.sum(tl.exp(x - m_new), axis=0)
        m = m_new
    tl.store(m_ptr + pid, m)
    tl.store(l_ptr + pid, l)
    tl.atomic_xchg(flag_ptr + pid, 1, sem="relaxed", scope="cta")
    while tl.atomic_add(flag_ptr + other, 0, sem="relaxed", scope="cta") == 0:
        pass
    m_other = tl.load(m_ptr + other)
    l_other = tl.load(l_ptr + other)
    m_all = tl.maximum(m, m_other)
    l = l * tl.exp(m - m_all) + l_other * tl.exp(m_other - m_all)
    for start in range(first, last, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_row_ptr + cols, mask=cols < last, other=-float("inf")).to(tl.float32)
        tl.store(y_row_ptr + cols, tl.exp(x - m_all) / l, mask=cols < last)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y

    half = triton.cdiv(n_cols, 2)
    BLOCK_SIZE = min(triton.next_power_of_2(half), 4096)
    m = torch.empty((2 * n_rows,), dtype=torch.float32, device=x.device)
    l = torch.empty((2 * n_rows,), dtype=torch.float32, device=x.device)
    flags = torch.zeros((2 * n_rows,), dtype=torch.int32, device=x.device)
    softmax_kernel[(2 * n_rows,)](
        x,
        y,
        m,
        l,
        flags,
        x.stride(0),
        y.stride(0),
        n_cols,
        half,
        BLOCK_SIZE=BLOCK_SIZE,
        num_warps=max(BLOCK_SIZE // 256, 1),
    )
    return y
