"""Kernels that move elements: grids, strides, shapes, gathers, tuples, descriptors."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

from .case import Case, integers, randn, zeros


@triton.jit
def copy_rows(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols)
    tl.store(y_ptr + row * y_row_stride + cols, x, mask=cols < n_cols)


@triton.jit
def three_dimensional_grid(y_ptr):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    place = (x * tl.num_programs(1) + y) * tl.num_programs(2) + z
    tl.store(y_ptr + place, x * 100 + y * 10 + z)


@triton.jit
def shapes(x_ptr, y_ptr, B: tl.constexpr):
    pid, a = tl.program_id(0), tl.arange(0, B)
    x = tl.load(x_ptr + pid * B * B + a[:, None] * B + a[None, :])
    t = x.T + tl.trans(x) * 0.5 + tl.permute(x, (1, 0))
    r = tl.reshape(tl.reshape(x, (B // 2, B * 2)), (B, B))
    low, high = tl.split(tl.reshape(x, (B, B // 2, 2)))
    j = tl.reshape(tl.join(high, low), (B, B)) + tl.reshape(tl.interleave(low, high), (B, B))
    wide = tl.broadcast_to(tl.expand_dims(a, 1), (B, B)) + x
    tl.store(y_ptr + pid * B * B + a[:, None] * B + a[None, :], t + r + j + wide + tl.flip(x, 1))


@triton.jit
def concatenate(x_ptr, y_ptr, B: tl.constexpr):
    pid, a = tl.program_id(0), tl.arange(0, B)
    x = tl.load(x_ptr + pid * B + a)
    both = tl.cat(x, a.to(tl.float32), can_reorder=True)
    tl.store(y_ptr + pid * 2 * B + tl.arange(0, 2 * B), tl.max(both) + tl.zeros((2 * B,), tl.float32))  # in any order


@triton.jit
def gathered(x_ptr, y_ptr, B: tl.constexpr):
    pid, a = tl.program_id(0), tl.arange(0, B)
    x = tl.load(x_ptr + pid * B + a)
    tl.store(y_ptr + pid * B + a, tl.gather(x, (a * 7 + pid) % B, 0) + tl.flip(x))


@triton.jit
def indexed(index_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    index = tl.load(index_ptr + offsets, mask=offsets < n, other=0)
    tl.store(y_ptr + offsets, tl.load(x_ptr + index, mask=offsets < n, other=0.0), mask=offsets < n)


@triton.jit
def pairs(tensors, sizes, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(tensors[0] + offsets, mask=offsets < sizes[0], other=0.0)
    tl.store(tensors[1] + offsets, x * sizes[1], mask=offsets < sizes[0])


@triton.jit
def maybe_bias(x_ptr, bias_ptr, y_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets)
    if bias_ptr is not None:
        x += tl.load(bias_ptr)
    tl.store(y_ptr + offsets, x)


@triton.jit
def device_descriptor(x_ptr, y_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [M, N], [N, 1], [BM, BN])
    y = tl.make_tensor_descriptor(y_ptr, [M, N], [N, 1], [BM, BN])
    row, col = tl.program_id(0) * BM, tl.program_id(1) * BN
    y.store([row, col], x.load([row, col]) * 2)


@triton.jit
def host_descriptor(x, y, BM: tl.constexpr, BN: tl.constexpr):
    row, col = tl.program_id(0) * BM, tl.program_id(1) * BN
    y.store([row, col], x.load([row, col]) + 1)


@triton.jit
def pointer_select(x_ptr, y_ptr, z_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    pointers = tl.where(offsets % 3 == 0, x_ptr + offsets, y_ptr + offsets)
    tl.store(z_ptr + offsets, tl.load(pointers))


@triton.jit
def backwards(x_ptr, y_ptr, n):
    pid = tl.program_id(0)
    end = x_ptr + n - 1
    tl.store(y_ptr + pid, tl.load(end - pid))


def _descriptors() -> tuple:
    x, y = randn(48, 64), zeros(48, 64)
    return *(TensorDescriptor.from_tensor(t, [32, 32]) for t in (x, y)), 32, 32


def _transposed() -> tuple:
    x, y = randn(16, 24).T, zeros(24, 40)[:, :16]
    return x.contiguous().T.T, y, 16, 40, 16, 16


CASES = [
    Case("copy_rows", copy_rows, (7,), lambda: (randn(7, 50)[:, :37], zeros(7, 40), 50, 40, 37, 64)),
    Case("copy_slice", copy_rows, (24,), _transposed),
    Case("three_dimensional_grid", three_dimensional_grid, (3, 4, 5), lambda: (zeros(60, dtype=torch.int32),)),
    Case("shapes", shapes, (5,), lambda: (randn(5 * 256), zeros(5 * 256), 16)),
    Case("concatenate", concatenate, (3,), lambda: (randn(48), zeros(96), 16)),
    Case("gathered", gathered, (9,), lambda: (randn(144), zeros(144), 16)),
    Case("indexed", indexed, (3,), lambda: (integers(0, 50, 90), randn(50), zeros(90), 90, 32)),
    Case(
        "indexed_int64", indexed, (3,), lambda: (integers(0, 50, 90, dtype=torch.int64), randn(50), zeros(90), 90, 32)
    ),
    Case("tuples", pairs, (3,), lambda: ((randn(90), zeros(90)), (90, 3), 32)),
    Case("no_bias", maybe_bias, (3,), lambda: (randn(96), None, zeros(96), 32)),
    Case("bias", maybe_bias, (3,), lambda: (randn(96), randn(1), zeros(96), 32)),
    Case("device_descriptor", device_descriptor, (2, 2), lambda: (randn(50, 60), zeros(50, 60), 50, 60, 32, 32)),
    Case("host_descriptor", host_descriptor, (2, 2), _descriptors),
    Case("pointer_select", pointer_select, (3,), lambda: (randn(96), randn(96), zeros(96), 32)),
    Case("backwards", backwards, (9,), lambda: (randn(9), zeros(9), 9)),
]
