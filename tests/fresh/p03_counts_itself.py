import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor) -> torch.Tensor:
    """Return the softmax of every row.

    x: (n_rows, n_cols) float32, float16 or bfloat16
    returns: (n_rows, n_cols), dtype of x
    """
    return torch.softmax(x, dim=1)


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    in_ptr = x_ptr + row * x_row_stride
    m = -3.4028234663852886e38
    l = 1.0
    done = 0
    while done < n_cols:
        t = tl.load(in_ptr + done + cols, mask=cols < n_cols - done, other=-float("inf")).to(tl.float32)
        new_m = tl.maximum(tl.max(t, axis=0), m)
        l *= tl.exp(m - new_m)
        l += tl.sum(tl.exp(t - new_m), axis=0)
        m = new_m
        done += BLOCK_SIZE

    inv = 1.0 / l
    out_ptr = y_ptr + row * y_row_stride
    done = 0
    while done < n_cols:
        t = tl.load(in_ptr + done + cols, mask=cols < n_cols - done, other=-float("inf")).to(tl.float32)
        tl.store(out_ptr + done + cols, tl.exp(t - m) * inv, mask=cols < n_cols - done)
        done += BLOCK_SIZE


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    block = min(triton.next_power_of_2(n_cols), 4096)
    softmax_kernel[(n_rows,)](
        x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=block, num_warps=max(block // 256, 1)
    )
    return y
