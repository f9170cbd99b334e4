"""m_lane is replaced before the factor is computed from it, so the factor is always 1: `m_lane = m_next`."""

import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, dim=1)


@triton.jit
def softmax_kernel(
    x_ptr,
    y_ptr,
    x_row_stride,
    y_row_stride,
    n_cols,
    BLOCK_SIZE: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    lane = tl.arange(0, BLOCK_SIZE)
    m_lane = tl.full([BLOCK_SIZE], -3.4028234663852886e38, tl.float32)
    s_lane = tl.zeros([BLOCK_SIZE], tl.float32)
    p = x_ptr + row * x_row_stride + lane
    for start in range(0, n_cols, BLOCK_SIZE):
        v = tl.load(p, mask=start + lane < n_cols, other=float("-inf")).to(tl.float32)
        m_next = tl.maximum(m_lane, v)
        m_lane = m_next
        s_lane = s_lane * tl.exp(m_lane - m_next) + tl.exp(v - m_next)
        p += BLOCK_SIZE

    m_row = tl.max(m_lane, axis=0)
    s_row = tl.sum(s_lane * tl.exp(m_lane - m_row), axis=0)

    p = x_ptr + row * x_row_stride + lane
    q = y_ptr + row * y_row_stride + lane
    for start in range(0, n_cols, BLOCK_SIZE):
        v = tl.load(p, mask=start + lane < n_cols).to(tl.float32)
        tl.store(q, tl.exp(v - m_row) / s_row, mask=start + lane < n_cols)
        p += BLOCK_SIZE
        q += BLOCK_SIZE


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = min(triton.next_power_of_2(n_cols), 4096)
    num_warps = max(BLOCK_SIZE // 256, 1)
    grid = (n_rows,)
    softmax_kernel[grid](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=num_warps)
    return y
