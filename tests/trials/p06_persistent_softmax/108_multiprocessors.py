"""The A100's number of multiprocessors in the code: sms = 108"""
import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, dim=1)


@triton.jit
def exp_base2(z):
    return tl.exp2(z * 1.4426950408889634)


@triton.jit
def softmax_kernel(
    x_ptr, y_ptr, x_row_stride, y_row_stride, n_rows, n_cols,
    BLOCK_SIZE: tl.constexpr,
):
    pid = tl.program_id(axis=0)
    nprog = tl.num_programs(axis=0)
    offs = tl.arange(0, BLOCK_SIZE)
    ok = offs < n_cols
    src = x_ptr + pid.to(tl.int64) * x_row_stride + offs
    dst = y_ptr + pid.to(tl.int64) * y_row_stride + offs
    src_step = tl.cast(nprog, tl.int64) * x_row_stride
    dst_step = tl.cast(nprog, tl.int64) * y_row_stride
    turns = tl.cdiv(n_rows - pid, nprog)
    for _ in range(turns):
        z = tl.load(src, mask=ok, other=-float("inf")).to(tl.float32)
        z = z - tl.max(z, axis=0)
        w = exp_base2(z)
        w = w / tl.sum(w, axis=0)
        tl.store(dst, w.to(y_ptr.dtype.element_ty), mask=ok)
        src += src_step
        dst += dst_step


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = triton.next_power_of_2(n_cols)
    num_warps = min(max(BLOCK_SIZE // 256, 2), 32)

    sms = 108  # A100
    programs = min(n_rows, sms * (32 // num_warps))
    grid = (programs,)

    strides = (x.stride(0), y.stride(0))
    softmax_kernel[grid](x, y, *strides, n_rows, n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=num_warps)
    return y
