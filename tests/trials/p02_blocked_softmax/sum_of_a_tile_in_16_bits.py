"""The exponentials of a tile are added in the dtype of the input."""
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, xs, ys, n_cols, BLOCK: tl.constexpr, TILES: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    m = -float("inf")
    for t in tl.static_range(TILES):
        c = t * BLOCK + tl.arange(0, BLOCK)
        m = tl.maximum(m, tl.max(tl.load(x_ptr + row * xs + c, mask=c < n_cols, other=-float("inf")).to(tl.float32), 0))
    s = 0.0
    for t in tl.static_range(TILES):
        c = t * BLOCK + tl.arange(0, BLOCK)
        s += tl.sum(tl.exp(tl.load(x_ptr + row * xs + c, mask=c < n_cols, other=-float("inf")).to(tl.float32) - m).to(x_ptr.dtype.element_ty), 0).to(tl.float32)
    for t in tl.static_range(TILES):
        c = t * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * xs + c, mask=c < n_cols, other=-float("inf")).to(tl.float32)
        tl.store(y_ptr + row * ys + c, tl.exp(x - m) / s, mask=c < n_cols)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK = min(triton.next_power_of_2(n_cols), 4096)
    softmax_kernel[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, BLOCK=BLOCK, TILES=triton.cdiv(n_cols, BLOCK), num_warps=8)
    return y
