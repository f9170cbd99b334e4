import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, dim=1)


@triton.jit
def one_row(src, dst, lanes, mask):
    x = tl.load(src + lanes, mask=mask, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(dst + lanes, e / tl.sum(e, axis=0), mask=mask)


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_rows, n_cols, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    mask = lanes < n_cols
    pid = tl.program_id(0).to(tl.int64)
    programs = tl.num_programs(0)
    for row in range(pid, n_rows, programs):
        one_row(x_ptr + row * x_row_stride, y_ptr + row * y_row_stride, lanes, mask)


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK = triton.next_power_of_2(n_cols)
    num_warps = min(max(BLOCK // 256, 2), 32)
    sms = torch.cuda.get_device_properties(x.device).multi_processor_count
    resident = 64 // num_warps
    programs = min(n_rows, sms * resident)
    softmax_kernel[(programs,)](
        x, y, x.stride(0), y.stride(0), n_rows, n_cols, BLOCK=BLOCK, num_warps=num_warps
    )
    return y
