import torch
import triton
import triton.language as tl


@triton.jit
def _normalise(row):
    row = tl.exp(row - tl.max(row, axis=0))
    return row / tl.sum(row, axis=0)


@triton.jit
def softmax_kernel(a_ptr, b_ptr, a_step, b_step, n_rows, n_cols, SPAN: tl.constexpr):
    pid = tl.program_id(0).to(tl.int64)
    fleet = tl.num_programs(0)
    at = tl.arange(0, SPAN)
    there = at < n_cols
    for turn in range(tl.cdiv(n_rows - pid, fleet)):
        row = pid + turn * fleet
        a = tl.load(a_ptr + row * a_step + at, mask=there, other=-float("inf"))
        b = _normalise(a.to(tl.float32))
        tl.store(b_ptr + row * b_step + at, b.to(b_ptr.dtype.element_ty), mask=there)


class Launch:
    """How a matrix is spread over the GPU."""

    WARPS_PER_MULTIPROCESSOR = 64

    def __init__(self, x: torch.Tensor):
        n_rows, n_cols = x.shape
        self.span = triton.next_power_of_2(n_cols)
        self.warps = min(max(self.span // 256, 2), 32)
        resident = self.WARPS_PER_MULTIPROCESSOR // self.warps
        properties = torch.cuda.get_device_properties(x.device)
        self.programs = min(n_rows, properties.multi_processor_count * resident)


def softmax(x: torch.Tensor) -> torch.Tensor:
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    launch = Launch(x)
    softmax_kernel[(launch.programs,)](
        x, y, x.stride(0), y.stride(0), *x.shape, SPAN=launch.span, num_warps=launch.warps
    )
    return y
