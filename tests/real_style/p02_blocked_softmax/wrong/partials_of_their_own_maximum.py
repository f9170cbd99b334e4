"""Takes each partial sum relative to the maximum of its own chunk, and adds them up as if they had one.

Code: wrong-values
Mistake at: m = tl.max(x, axis=0)
Mistake at: tl.sum(tl.exp(x - m), axis=0))
Mistake at: l = tl.sum(_row_partials(sum_ptr
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _chunk(x_ptr, stride, n_cols, CHUNK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * CHUNK + tl.arange(0, CHUNK)
    x = tl.load(x_ptr + row * stride + cols, mask=cols < n_cols, other=-float("inf"))
    return row, cols, x.to(tl.float32)


@triton.jit
def _row_partials(part_ptr, row, n_chunks, MERGE: tl.constexpr, FILL: tl.constexpr):
    acc = tl.full((MERGE,), FILL, tl.float32)
    for start in range(0, n_chunks, MERGE):
        at = start + tl.arange(0, MERGE)
        part = tl.load(part_ptr + row * n_chunks + at, mask=at < n_chunks, other=FILL)
        if FILL == 0:
            acc += part
        else:
            acc = tl.maximum(acc, part)
    return acc


@triton.jit
def partial_max(x_ptr, max_ptr, x_stride, n_cols, n_chunks, CHUNK: tl.constexpr):
    row, cols, x = _chunk(x_ptr, x_stride, n_cols, CHUNK)
    tl.store(max_ptr + row * n_chunks + tl.program_id(1), tl.max(x, axis=0))


@triton.jit
def partial_sum(x_ptr, max_ptr, sum_ptr, x_stride, n_cols, n_chunks, CHUNK: tl.constexpr, MERGE: tl.constexpr):
    row, cols, x = _chunk(x_ptr, x_stride, n_cols, CHUNK)
    m = tl.max(x, axis=0)
    tl.store(sum_ptr + row * n_chunks + tl.program_id(1), tl.sum(tl.exp(x - m), axis=0))


@triton.jit
def normalise(
    x_ptr, y_ptr, max_ptr, sum_ptr, x_stride, y_stride, n_cols, n_chunks, CHUNK: tl.constexpr, MERGE: tl.constexpr
):
    row, cols, x = _chunk(x_ptr, x_stride, n_cols, CHUNK)
    m = tl.max(_row_partials(max_ptr, row, n_chunks, MERGE, -float("inf")), axis=0)
    l = tl.sum(_row_partials(sum_ptr, row, n_chunks, MERGE, 0.0), axis=0)
    tl.store(y_ptr + row * y_stride + cols, tl.exp(x - m) / l, mask=cols < n_cols)


class SplitRowSoftmax:
    CHUNK = 4096
    MERGE = 16

    def __call__(self, x):
        rows, cols = x.shape
        y = torch.empty_like(x)
        if y.numel() == 0:
            return y
        chunk = min(self.CHUNK, triton.next_power_of_2(cols))
        chunks = triton.cdiv(cols, chunk)
        maxima = torch.empty(rows, chunks, dtype=torch.float32, device=x.device)
        sums = torch.empty_like(maxima)
        grid = (rows, chunks)
        size = {"CHUNK": chunk, "num_warps": max(chunk // 512, 1)}
        partial_max[grid](x, maxima, x.stride(0), cols, chunks, **size)
        partial_sum[grid](x, maxima, sums, x.stride(0), cols, chunks, MERGE=self.MERGE, **size)
        normalise[grid](x, y, maxima, sums, x.stride(0), y.stride(0), cols, chunks, MERGE=self.MERGE, **size)
        return y


softmax = SplitRowSoftmax()
