import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x, y, ldx, ldy, n_rows, n_cols, WIDTH: tl.constexpr):
    me = tl.program_id(0).to(tl.int64)
    crew = tl.num_programs(0).to(tl.int64)
    col = tl.arange(0, WIDTH)
    live = col < n_cols

    # the pointers of the first row; every turn moves them on
    x_now = x + me * ldx + col
    y_now = y + me * ldy + col
    turns = tl.cdiv(n_rows - me, crew)
    for _ in range(turns):
        z = tl.load(x_now, mask=live, other=float("-inf")).to(tl.float32)
        z -= tl.max(z, axis=0)
        z = tl.exp(z)
        z /= tl.sum(z, axis=0)
        tl.store(y_now, z, mask=live)
        x_now += ldx
        y_now += crew * ldy


def _shape_of_launch(n_rows, n_cols, device):
    width = triton.next_power_of_2(n_cols)
    warps = min(32, max(2, width // 256))
    resident = torch.cuda.get_device_properties(device).multi_processor_count * (32 // warps)
    return width, warps, min(resident, n_rows)


def softmax(x: torch.Tensor) -> torch.Tensor:
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    n_rows, n_cols = x.shape
    width, warps, programs = _shape_of_launch(n_rows, n_cols, x.device)
    softmax_kernel[(programs,)](x, y, x.stride(0), y.stride(0), n_rows, n_cols, WIDTH=width, num_warps=warps)
    return y
