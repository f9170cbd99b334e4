import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, dim=1)


@triton.jit
def softmax_persistent(x, y, pitch_x, pitch_y, height, width, BLOCK: tl.constexpr):
    """Grid-stride loop: the grid is as large as the GPU, not as the matrix."""
    tx = tl.arange(0, BLOCK)
    guard = tx < width
    r = tl.program_id(0).to(tl.int64)
    while r < height:
        v = tl.load(x + r * pitch_x + tx, mask=guard, other=-float("inf")).to(tl.float32)
        v = tl.exp(v - tl.max(v, axis=0))
        v = v / tl.sum(v, axis=0)
        tl.store(y + r * pitch_y + tx, v, mask=guard)
        r += tl.num_programs(0) * BLOCK


def softmax(x: torch.Tensor) -> torch.Tensor:
    height, width = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK = triton.next_power_of_2(width)
    warps = min(max(BLOCK // 256, 2), 32)
    sms = torch.cuda.get_device_properties(x.device).multi_processor_count
    grid = (min(sms, height),)
    softmax_persistent[grid](x, y, x.stride(0), y.stride(0), height, width, BLOCK=BLOCK, num_warps=warps)
    return y
