import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, dim=1)


@triton.jit
def read(ptrs, rows, cols, n_rows, n_cols):
    return tl.load(ptrs + cols, mask=(rows < n_rows) & (cols < n_cols), other=-float("inf")).to(tl.float32)


@triton.jit
def softmax_kernel(x_ptr, y_ptr, sx, sy, n_rows, n_cols, BR: tl.constexpr, BC: tl.constexpr):
    """Forwards for maximum and sum, backwards for the result: the L2 cache still has what was read last."""
    rows = (tl.program_id(0).to(tl.int64) * BR + tl.arange(0, BR))[:, None]
    lanes = tl.arange(0, BC)[None, :]
    xp = x_ptr + rows * sx
    yp = y_ptr + rows * sy
    tiles = tl.cdiv(n_cols, BC)

    m = tl.full((BR,), -3.4028234663852886e38, tl.float32)
    l = tl.zeros((BR,), tl.float32)
    for j in range(tiles):
        x = read(xp, rows, j * BC + lanes, n_rows, n_cols)
        top = tl.maximum(m, tl.max(x, axis=1))
        l = l * tl.exp(m - top) + tl.sum(tl.exp(x - top[:, None]), axis=1)
        m = top

    for j in range(tiles):
        cols = (tiles - j) * BC + lanes
        x = read(xp, rows, cols, n_rows, n_cols)
        tl.store(yp + cols, tl.exp(x - m[:, None]) / l[:, None], mask=(rows < n_rows) & (cols < n_cols))


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BC = min(triton.next_power_of_2(n_cols), 2048)
    BR = 4096 // BC
    softmax_kernel[(triton.cdiv(n_rows, BR),)](
        x, y, x.stride(0), y.stride(0), n_rows, n_cols, BR=BR, BC=BC, num_warps=8
    )
    return y
