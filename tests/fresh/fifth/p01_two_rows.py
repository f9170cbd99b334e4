"""A program does two rows, and the guard of the second lets row n_rows through."""
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, xs, ys, n_rows, n_cols, BLOCK: tl.constexpr):
    col = tl.arange(0, BLOCK)
    base = tl.program_id(0).to(tl.int64) * 2
    for k in tl.static_range(2):
        r = base + k
        limit = tl.where(r <= n_rows, n_cols, 0)
        ok = col < limit
        t = tl.load(x_ptr + r * xs + col, mask=ok, other=-float("inf")).to(tl.float32)
        t = tl.exp(t - tl.max(t, axis=0))
        t = t / tl.sum(t, axis=0)
        tl.store(y_ptr + r * ys + col, t, mask=ok)


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK = triton.next_power_of_2(n_cols)
    pairs = (n_rows + 1) // 2
    softmax_kernel[(pairs,)](x, y, x.stride(0), y.stride(0), n_rows, n_cols, BLOCK=BLOCK, num_warps=4)
    return y
