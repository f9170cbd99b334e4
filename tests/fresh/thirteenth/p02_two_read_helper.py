import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor) -> torch.Tensor:
    """Return the softmax of every row."""
    return torch.softmax(x, dim=1)


@triton.jit
def read(base, c, n_cols):
    return tl.load(base + c, mask=c < n_cols, other=float("-inf")).to(tl.float32)


@triton.jit
def softmax_kernel(X, Y, X_PITCH, Y_PITCH, n_cols, W: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_row = X + row * X_PITCH
    y_row = Y + row * Y_PITCH
    lane = tl.arange(0, W)

    mx = 0.0
    for t in range(0, n_cols, W):
        mx = tl.maximum(mx, tl.max(read(x_row, t + lane, n_cols), axis=0))

    den = 0.0
    for t in range(0, n_cols, W):
        den = den + tl.sum(tl.exp(read(x_row, t + lane, n_cols) - mx), axis=0)

    for t in range(0, n_cols, W):
        c = t + lane
        prob = tl.exp(read(x_row, c, n_cols) - mx) / den
        tl.store(y_row + lane, prob, mask=c < n_cols)


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    W = min(triton.next_power_of_2(n_cols), 1024)
    softmax_kernel[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, W, num_warps=max(W // 256, 1))
    return y
