import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor) -> torch.Tensor:
    """Return the softmax of every row."""
    return torch.softmax(x, dim=1)


@triton.jit
def masked_softmax(x, keep):
    top = tl.max(tl.where(keep, x, float("-inf")), axis=0)
    ex = tl.exp(x - top)
    return ex / tl.sum(ex, axis=0)


@triton.jit
def softmax_kernel(inp, out, inp_stride, out_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    col = tl.arange(0, BLOCK_SIZE)
    keep = col < n_cols
    x = tl.load(inp + row * inp_stride + col, mask=keep, other=0.0)
    probs = masked_softmax(x.to(tl.float32), keep)
    tl.store(out + row * out_stride + col, probs.to(out.dtype.element_ty), mask=keep)


def softmax(x: torch.Tensor) -> torch.Tensor:
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    n_rows, n_cols = x.size()
    BLOCK_SIZE = triton.next_power_of_2(n_cols)
    softmax_kernel[(n_rows,)](
        x,
        y,
        x.stride(0),
        y.stride(0),
        n_cols,
        BLOCK_SIZE=BLOCK_SIZE,
        num_warps=min(max(BLOCK_SIZE // 512, 1), 16),
    )
    return y
