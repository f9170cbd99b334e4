import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, dim=1)


@triton.jit
def softmax_kernel(x_ptr, y_ptr, stride_x, stride_y, n_cols, BLOCK: tl.constexpr):
    """One row. The hardware has exp2, so the powers are powers of two."""
    row = tl.program_id(0).to(tl.int64)
    lane = tl.arange(0, BLOCK)
    x = tl.load(
        x_ptr + row * stride_x + lane,
        mask=lane < n_cols,
        other=-float("inf"),
        eviction_policy="evict_first",
    ).to(tl.float32)
    m = tl.max(x, axis=0)
    p = tl.exp2(x * 1.4426950408889634 - m)
    p = p / tl.sum(p, axis=0)
    tl.store(y_ptr + row * stride_y + lane, p, mask=lane < n_cols)


def softmax(x: torch.Tensor) -> torch.Tensor:
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    n_rows, n_cols = x.shape
    BLOCK = triton.next_power_of_2(n_cols)
    if BLOCK <= 1024:
        num_warps = 1
    elif BLOCK <= 8192:
        num_warps = BLOCK // 1024
    else:
        num_warps = 16
    softmax_kernel[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, BLOCK=BLOCK, num_warps=num_warps)
    return y
