import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, dim=1)


LOWEST: tl.constexpr = tl.constexpr(-3.4028234663852886e38)


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_row_ptr = x_ptr + row * x_row_stride
    y_row_ptr = y_ptr + row * y_row_stride
    lanes = tl.arange(0, BLOCK_SIZE)

    # every lane has its own maximum and sum; they meet after the loop
    m_lane = tl.full((BLOCK_SIZE,), LOWEST, tl.float32)
    l_lane = tl.zeros((BLOCK_SIZE,), tl.float32)
    for start in range(0, n_cols, BLOCK_SIZE):
        x = tl.load(x_row_ptr + start + lanes, mask=start + lanes < n_cols, other=-float("inf")).to(tl.float32)
        m_next = tl.maximum(m_lane, x)
        l_lane = l_lane * tl.exp(m_lane - m_next) + tl.exp(x - m_next)
        m_lane = m_next
    m = tl.max(m_lane, axis=0)
    l = tl.sum(l_lane, axis=0)

    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_row_ptr + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        tl.store(y_row_ptr + cols, tl.exp(x - m) / l, mask=cols < n_cols)


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = min(triton.next_power_of_2(n_cols), 1024)
    num_warps = max(BLOCK_SIZE // 256, 1)
    softmax_kernel[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=num_warps)
    return y
