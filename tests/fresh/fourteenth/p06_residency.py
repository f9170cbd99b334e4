"""Row softmax by resident programs."""

import torch
import triton
import triton.language as tl


@triton.jit
def resident_softmax(src, dst, src_pitch, dst_pitch, rows, cols, WIDTH: tl.constexpr):
    lane = tl.arange(0, WIDTH)
    inside = lane < cols
    crew = tl.num_programs(0)
    for r in range(tl.program_id(0).to(tl.int64), rows, crew):
        line = tl.load(src + r * src_pitch + lane, mask=inside, other=float("-inf")).to(tl.float32)
        line = tl.exp(line - tl.max(line, axis=0))
        line = line / tl.sum(line, axis=0)
        tl.store(dst + r * dst_pitch + lane, line, mask=inside)


class Residency:
    """How a matrix of `cols` columns is spread over a GPU."""

    def __init__(self, cols: int):
        self.width = triton.next_power_of_2(cols)
        # 8 elements for a thread
        self.warps = min(max(self.width // 256, 1), 32)

    def programs(self, device: torch.device) -> int:
        sms = torch.cuda.get_device_properties(device).multi_processor_count
        return sms * (32 // self.warps)


def softmax(x: torch.Tensor) -> torch.Tensor:
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    rows, cols = x.shape
    plan = Residency(cols)
    grid = (min(rows, plan.programs(x.device)),)
    resident_softmax[grid](
        x, y, x.stride(0), y.stride(0), rows, cols, WIDTH=plan.width, num_warps=plan.warps
    )
    return y
