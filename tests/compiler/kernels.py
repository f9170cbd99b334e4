"""Kernels that compile."""

import triton
import triton.language as tl


@triton.jit
def scale(x_ptr, y_ptr, n_elements, factor, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) * factor, mask=mask)


@triton.jit
def copy_row(x_ptr, y_ptr, x_row_stride, BLOCK_SIZE: tl.constexpr):
    cols = tl.arange(0, BLOCK_SIZE)
    row = tl.program_id(0)
    tl.store(y_ptr + row * BLOCK_SIZE + cols, tl.load(x_ptr + row * x_row_stride + cols))


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    m, n, k = tl.arange(0, BLOCK_M), tl.arange(0, BLOCK_N), tl.arange(0, BLOCK_K)
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, K, BLOCK_K):
        a = tl.load(a_ptr + m[:, None] * K + start + k[None, :])
        b = tl.load(b_ptr + (start + k[:, None]) * BLOCK_N + n[None, :])
        acc += tl.dot(a, b)
    tl.store(c_ptr + m[:, None] * BLOCK_N + n[None, :], acc)


@triton.jit
def normalise(x_ptr, y_ptr, BLOCK_SIZE: tl.constexpr):
    cols = tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + cols)
    tl.store(y_ptr + cols, x / tl.sum(x) + tl.max(x))


@triton.jit
def pair(tensors, y_ptr, bias_ptr, BLOCK_SIZE: tl.constexpr):
    cols = tl.arange(0, BLOCK_SIZE)
    value = tl.load(tensors[0] + cols) + tensors[1]
    if bias_ptr is not None:
        value += tl.load(bias_ptr + cols)
    tl.store(y_ptr + cols, value)


@triton.jit
def described(x_desc, y_desc, BLOCK_M: tl.constexpr):
    y_desc.store([0, 0], x_desc.load([0, 0]) + 1)


@triton.jit
def literal_list(y_ptr):
    values = [1.0, 2.0]
    tl.store(y_ptr, values[1])
