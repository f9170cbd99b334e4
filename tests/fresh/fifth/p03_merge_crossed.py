"""The helper that merges two (maximum, sum) pairs multiplies each sum with the other pair's factor."""
import torch
import triton
import triton.language as tl


@triton.jit
def merge(m_a, l_a, m_b, l_b):
    m = tl.maximum(m_a, m_b)
    l = l_a * tl.exp(m_b - m) + l_b * tl.exp(m_a - m)
    return m, l


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, LOWEST, W: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    m = LOWEST + 0.0
    l = 0.0
    for i in range(0, tl.cdiv(n_cols, W)):
        c = i * W + tl.arange(0, W)
        x = tl.load(x_ptr + row * x_row_stride + c, mask=c < n_cols, other=-float("inf")).to(tl.float32)
        m_t = tl.maximum(tl.max(x, axis=0), LOWEST)  # never -inf
        l_t = tl.sum(tl.exp(x - m_t), axis=0)
        m, l = merge(m, l, m_t, l_t)

    for i in range(0, tl.cdiv(n_cols, W)):
        c = i * W + tl.arange(0, W)
        x = tl.load(x_ptr + row * x_row_stride + c, mask=c < n_cols, other=-float("inf")).to(tl.float32)
        tl.store(y_ptr + row * y_row_stride + c, tl.exp(x - m) / l, mask=c < n_cols)


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    lowest = torch.finfo(torch.float32).min
    softmax_kernel[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, lowest, W=1024, num_warps=4)
    return y
