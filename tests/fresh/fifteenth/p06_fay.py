import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, dim=1)


@triton.jit
def softmax_kernel(inp, out, inp_row_stride, out_row_stride, B, C, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    valid = c < C
    for b in range(tl.program_id(0).to(tl.int64), B, tl.num_programs(0)):
        logits = tl.load(inp + b * inp_row_stride + c, mask=valid, other=float("-inf")).to(tl.float32)
        logits -= tl.max(logits, axis=0)
        weights = tl.exp(logits)
        weights /= tl.sum(weights, axis=0)
        tl.store(out + b * out_row_stride + c, weights, mask=valid)


def softmax(x: torch.Tensor) -> torch.Tensor:
    """Softmax over dim 1 with a fixed number of programs."""
    out = torch.empty_like(x)
    if not out.numel():
        return out
    B, C = x.shape
    BLOCK = triton.next_power_of_2(C)
    num_warps = min(max(BLOCK // 256, 2), 32)
    device = torch.cuda.get_device_properties(x.device)
    grid = (min(B, device.multi_processor_count * (32 // num_warps)),)
    strides = x.stride()
    softmax_kernel[grid](x, out, *strides, B, C, BLOCK=BLOCK, num_warps=num_warps)
    return out
