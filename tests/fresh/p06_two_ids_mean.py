"""The first row is the program's number plus 1: row 0 is never written. The division is by the sum of the row in place of the sum of its exponentials.

Mistake at: row = tl.program_id(0).to(tl.int64) + 1
Mistake at: soft = expd / tl.sum(data, axis=0)
"""

import torch
import triton
import triton.language as tl


@triton.jit
def sweep(inp, out, inp_stride, out_stride, rows, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) + 1
    offs = tl.arange(0, BLOCK)
    while row < rows:
        data = tl.load(inp + row * inp_stride + offs, mask=offs < cols, other=-float("inf"))
        data = data.to(tl.float32)
        peak = tl.max(data, axis=0)
        expd = tl.exp(data - peak)
        soft = expd / tl.sum(data, axis=0)
        tl.store(out + row * out_stride + offs, soft, mask=offs < cols)
        row += tl.num_programs(0)


def softmax(x):
    rows, cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK = triton.next_power_of_2(cols)
    num_warps = min(max(BLOCK // 256, 2), 32)
    fits = 32 // num_warps
    count = torch.cuda.get_device_properties(x.device).multi_processor_count
    grid = (min(rows, count * fits),)
    sweep[grid](x, y, x.stride(0), y.stride(0), rows, cols, BLOCK=BLOCK, num_warps=num_warps)
    return y
