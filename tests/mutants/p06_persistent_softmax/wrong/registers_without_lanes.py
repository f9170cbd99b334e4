"""Takes the registers of a thread for those of a warp.

Code: more-programs-than-fit
Device: cpu
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(
    x_ptr,  # input, (n_rows, n_cols)
    y_ptr,  # output, (n_rows, n_cols), same dtype
    x_row_stride,  # elements from one row of x to the next, at least n_cols
    y_row_stride,  # elements from one row of y to the next
    n_rows,  # rows, at least 1, often more than programs
    n_cols,  # columns, at least 1
    BLOCK_SIZE: tl.constexpr,  # elements of the tile: the power of two at or above n_cols
):
    """Write the softmax of every `tl.num_programs(0)`-th row of x to the same row of y."""
    start = tl.program_id(0).to(tl.int64)  # 64 bits: row * stride passes 2^31 in a matrix of more than 2^31 elements
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols

    for row in range(start, n_rows, tl.num_programs(0)):
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))  # reads MN in all
        x = x.to(tl.float32)
        numerator = tl.exp(x - tl.max(x, axis=0))
        y = numerator / tl.sum(numerator, axis=0)
        tl.store(y_ptr + row * y_row_stride + cols, y, mask=mask)  # writes MN in all


def softmax(x: torch.Tensor) -> torch.Tensor:
    """Launch as many programs as the GPU holds at once, or one per row where that is less.

    x: (n_rows, n_cols) float32, float16 or bfloat16, last dimension contiguous
    returns: (n_rows, n_cols), dtype of x
    """
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = triton.next_power_of_2(n_cols)
    num_warps = min(max(BLOCK_SIZE // 256, 2), 32)

    props = torch.cuda.get_device_properties(x.device)
    compiled = softmax_kernel.warmup(
        x, y, x.stride(0), y.stride(0), n_rows, n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=num_warps, grid=(1,)
    )
    compiled._init_handles()
    regs_per_thread = triton.cdiv(compiled.n_regs, 8) * 8  # handed out in eights
    regs_per_program = regs_per_thread * num_warps
    fit = min(
        props.regs_per_multiprocessor // regs_per_program,
        props.max_threads_per_multi_processor // (32 * num_warps),
    )
    if compiled.metadata.shared > 0:
        fit = min(fit, props.shared_memory_per_multiprocessor // (compiled.metadata.shared + 1024))
    grid = (min(n_rows, props.multi_processor_count * fit),)

    strides = (x.stride(0), y.stride(0))
    softmax_kernel[grid](x, y, *strides, n_rows, n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=num_warps)
    return y
