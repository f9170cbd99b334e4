import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, dim=1)


@triton.jit
def row_softmax(in_ptr, out_ptr, in_pitch, out_pitch, width, WIDTH_POW2: tl.constexpr):
    """A block has one row of the matrix."""
    y = tl.program_id(1).to(tl.int64)
    tx = tl.arange(0, WIDTH_POW2)
    active = tx < width

    in_row = in_ptr + y * in_pitch
    out_row = out_ptr + y * out_pitch

    val = tl.load(in_row + tx, mask=active, other=-float("inf")).to(tl.float32)
    row_max = tl.max(val, axis=0)
    val = tl.exp(val - row_max)
    row_sum = tl.sum(val, axis=0)
    tl.store(out_row + tx, val / row_sum, mask=active)


def softmax(x: torch.Tensor) -> torch.Tensor:
    height, width = x.shape
    y = torch.empty_like(x)
    if height == 0 or width == 0:
        return y
    WIDTH_POW2 = triton.next_power_of_2(width)
    warps = min(max(WIDTH_POW2 // 512, 1), 16)
    grid = (1, height)
    row_softmax[grid](x, y, x.stride(0), y.stride(0), width, WIDTH_POW2=WIDTH_POW2, num_warps=warps)
    return y
