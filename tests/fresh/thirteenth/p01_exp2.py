import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor) -> torch.Tensor:
    """Return the softmax of every row."""
    return torch.softmax(x, dim=1)


@triton.jit
def softmax_kernel(
    in_ptr,
    out_ptr,
    in_stride,
    out_stride,
    n_cols,
    TILE,
):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, TILE)
    in_range = cols < n_cols
    logits = tl.load(in_ptr + (row * in_stride + cols), mask=in_range, other=-float("inf"))
    logits = logits.to(tl.float32)
    logits -= tl.max(logits, axis=0)
    weights = tl.exp2(logits * 1.4426950408889634)
    scale = 1.0 / tl.sum(weights, axis=0)
    tl.store(out_ptr + (row * out_stride + cols), weights * scale, mask=in_range)


def softmax(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    if out.numel() == 0:
        return out
    tile = triton.next_power_of_2(x.shape[1])
    options = {"TILE": tile, "num_warps": min(max(tile // 512, 1), 16)}
    softmax_kernel[(x.shape[0],)](x, out, x.stride(0), out.stride(0), x.shape[1], **options)
    return out
