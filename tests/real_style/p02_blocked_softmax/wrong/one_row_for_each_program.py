"""Starts a fixed number of programs and forgets the loop over the rows.

Code: unwritten-elements
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _tile(base, start, n_cols, BLOCK: tl.constexpr, HINT: tl.constexpr):
    cols = tl.max_contiguous(tl.multiple_of(start + tl.arange(0, BLOCK), 16), BLOCK)
    ok = cols < n_cols
    return cols, ok, tl.load(base + cols, mask=ok, other=float("-inf"), eviction_policy=HINT).to(tl.float32)


@triton.jit
def softmax_persistent(y_ptr, x_ptr, y_stride, x_stride, n_rows, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if row < n_rows:
        x_row = x_ptr + tl.cast(row, tl.int64) * x_stride
        y_row = y_ptr + tl.cast(row, tl.int64) * y_stride
        running = tl.full((BLOCK,), float("-inf"), tl.float32)
        for start in tl.range(0, n_cols, BLOCK, loop_unroll_factor=2):
            _, _, x = _tile(x_row, start, n_cols, BLOCK, "evict_last")
            running = tl.maximum(running, x)
        m = tl.max(running, axis=0)
        sums = tl.zeros((BLOCK,), tl.float32)
        for start in tl.range(0, n_cols, BLOCK, loop_unroll_factor=2):
            _, _, x = _tile(x_row, start, n_cols, BLOCK, "evict_last")
            sums += tl.exp(x - m)
        inverse = 1.0 / tl.sum(sums, axis=0)
        for start in tl.range(0, n_cols, BLOCK, num_stages=3):
            cols, ok, x = _tile(x_row, start, n_cols, BLOCK, "evict_first")
            tl.store(y_row + cols, (tl.exp(x - m) * inverse).to(y_ptr.dtype.element_ty), mask=ok)


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if n_rows == 0 or n_cols == 0:
        return y
    sms = torch.cuda.get_device_properties(x.device).multi_processor_count
    block = min(4096, max(128, triton.next_power_of_2(n_cols)))
    softmax_persistent[min(n_rows, 4 * sms),](
        y, x, y.stride(0), x.stride(0), n_rows, n_cols, block, num_warps=max(block // 512, 1)
    )
    return y
