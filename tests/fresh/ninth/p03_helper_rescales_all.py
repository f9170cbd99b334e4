import torch
import triton
import triton.language as tl


@triton.jit
def update(m, l, tile):
    """One step of the online softmax: new maximum, new sum."""
    new = tl.maximum(m, tl.max(tile, axis=0))
    fix = tl.exp(m - new)
    l = (l + tl.sum(tl.exp(tile - new), axis=0)) * fix
    return new, l


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_ptrs = x_ptr + row * x_row_stride + tl.arange(0, BLOCK_SIZE)
    y_ptrs = y_ptr + row * y_row_stride + tl.arange(0, BLOCK_SIZE)
    left = n_cols - tl.arange(0, BLOCK_SIZE)
    m, l = -3.4028234663852886e38, 0.0
    for done in range(0, n_cols, BLOCK_SIZE):
        tile = tl.load(x_ptrs + done, mask=left > done, other=-float("inf"))
        m, l = update(m, l, tile.to(tl.float32))
    for done in range(0, n_cols, BLOCK_SIZE):
        tile = tl.load(x_ptrs + done, mask=left > done, other=-float("inf"))
        tl.store(y_ptrs + done, tl.exp(tile.to(tl.float32) - m) / l, mask=left > done)


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = min(triton.next_power_of_2(n_cols), 4096)
    num_warps = max(BLOCK_SIZE // 256, 1)
    softmax_kernel[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=num_warps)
    return y
