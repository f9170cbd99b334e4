"""Kernels as libraries write them, right ones and a few wrong ones, for the tests of `verify`."""

from __future__ import annotations

import enum
import itertools

import torch
import triton
import triton.language as tl


class Activation(enum.Enum):
    SILU = 1
    RELU = 2


@triton.jit
def _swiglu(a_ptr, b_ptr, c_ptr, stride_a, stride_b, stride_c, n_cols, RELU: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    a = tl.load(a_ptr + row * stride_a + cols, mask=mask, other=0.0).to(tl.float32)
    b = tl.load(b_ptr + row * stride_b + cols, mask=mask, other=0.0).to(tl.float32)
    gate = tl.maximum(a, 0.0) if RELU else a * tl.sigmoid(a)
    tl.store(c_ptr + row * stride_c + cols, gate * b, mask=mask)


def swiglu(a, b, out=None, activation=Activation.SILU):
    if a.stride(1) != 1 or b.stride(1) != 1:
        raise ValueError("the rows of a and b must be contiguous")
    c = torch.empty(a.shape, dtype=a.dtype, device=a.device) if out is None else out
    block = triton.next_power_of_2(a.shape[1])
    relu = activation is Activation.RELU
    _swiglu[(a.shape[0],)](a, b, c, a.stride(0), b.stride(0), c.stride(0), a.shape[1], RELU=relu, BLOCK=block)
    return c


def swiglu_reference(a, b, out=None, activation=Activation.SILU):
    gate = torch.relu(a) if activation is Activation.RELU else torch.nn.functional.silu(a)
    return gate * b


def swiglu_one_stride(a, b):
    c = torch.empty(a.shape, dtype=a.dtype, device=a.device)
    block = triton.next_power_of_2(a.shape[1])
    _swiglu[(a.shape[0],)](a, b, c, a.shape[1], a.shape[1], a.shape[1], a.shape[1], RELU=False, BLOCK=block)
    return c


@triton.jit
def _rotate(x_ptr, cos_ptr, sin_ptr, stride, stride_cos, stride_sin, HALF: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, HALF)
    left = tl.load(x_ptr + row * stride + cols).to(tl.float32)
    right = tl.load(x_ptr + row * stride + HALF + cols).to(tl.float32)
    cos = tl.load(cos_ptr + row * stride_cos + cols)
    sin = tl.load(sin_ptr + row * stride_sin + cols)
    tl.store(x_ptr + row * stride + cols, left * cos - right * sin)
    tl.store(x_ptr + row * stride + HALF + cols, right * cos + left * sin)


def rotary_(x, cos, sin):
    for tensor in (x, cos, sin):
        assert tensor.stride(-1) == 1, "rows must be contiguous"
    assert x.stride(0) != 0, "rows must not overlap"
    _rotate[(x.shape[0],)](x, cos, sin, x.stride(0), cos.stride(0), sin.stride(0), HALF=x.shape[1] // 2)
    return x


def rotary_reference(x, cos, sin):
    half = x.shape[1] // 2
    left, right = x[:, :half], x[:, half:]
    return torch.cat([left * cos - right * sin, right * cos + left * sin], dim=1)


def rotary_reference_(x, cos, sin):
    x.copy_(rotary_reference(x, cos, sin))
    return x


@triton.jit
def _norm_backward(dy_ptr, x_ptr, w_ptr, dx_ptr, dw_ptr, n_rows, n_cols, rows_each, BLOCK: tl.constexpr):
    program = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for row in range(program * rows_each, tl.minimum((program + 1) * rows_each, n_rows)):
        start = tl.cast(row, tl.int64) * n_cols
        x = tl.load(x_ptr + start + cols, mask=mask, other=0.0).to(tl.float32)
        dy = tl.load(dy_ptr + start + cols, mask=mask, other=0.0).to(tl.float32)
        centred = tl.where(mask, x - tl.sum(x) / n_cols, 0.0)
        scale = tl.rsqrt(tl.sum(centred * centred) / n_cols + 1e-5)
        normal = centred * scale
        weighted = w * dy
        first, second = tl.sum(normal * weighted) / n_cols, tl.sum(weighted) / n_cols
        tl.store(dx_ptr + start + cols, (weighted - normal * first - second) * scale, mask=mask)
        total += dy * normal
    tl.store(dw_ptr + program * n_cols + cols, total, mask=mask)


def layer_norm_backward(dy, x, w):
    dy, x, w = dy.contiguous(), x.contiguous(), w.contiguous()
    n_rows, n_cols = x.shape
    programs = max(1, min(4, n_rows))
    dx = torch.empty_like(x)
    partial = torch.empty((programs, n_cols), dtype=torch.float32, device=x.device)
    each, block = triton.cdiv(n_rows, programs), triton.next_power_of_2(n_cols)
    _norm_backward[(programs,)](dy, x, w, dx, partial, n_rows, n_cols, each, BLOCK=block)
    return dx, partial.sum(0).to(w.dtype)


def layer_norm_backward_first_partial(dy, x, w):
    dx, dw = layer_norm_backward(dy, x, w)
    return dx, dw * 0.5


def layer_norm_backward_reference(dy, x, w):
    x, w = x.detach().requires_grad_(), w.detach().requires_grad_()
    y = torch.nn.functional.layer_norm(x, x.shape[-1:], w, None, 1e-5)
    return torch.autograd.grad(y, (x, w), dy)


@triton.jit
def _gather(ids_ptr, table_ptr, out_ptr, width, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    index = tl.load(ids_ptr + row).to(tl.int64)
    values = tl.load(table_ptr + index * stride + cols, mask=cols < width)
    tl.store(out_ptr + row.to(tl.int64) * width + cols, values, mask=cols < width)


def embedding(ids, table):
    ids = ids.contiguous()
    table = table.contiguous()
    out = torch.empty((ids.numel(), table.shape[1]), dtype=table.dtype, device=table.device)
    _gather[(ids.numel(),)](
        ids, table, out, table.shape[1], table.stride(0), BLOCK=triton.next_power_of_2(table.shape[1])
    )
    return out


def embedding_reference(ids, table):
    return table[ids]


@triton.jit
def _scaled(x_ptr, y_ptr, n, factor, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n).to(tl.float32)
    tl.store(y_ptr + at, x * factor, mask=at < n)


def scale_all(xs, factor, *, dtype=None):
    """Scale each tensor of a list; the results in a dict, one of them nothing."""
    found = []
    for x in xs:
        y = torch.empty(x.shape, dtype=dtype or x.dtype, device=x.device)
        _scaled[(triton.cdiv(x.numel(), 64),)](x.contiguous(), y, x.numel(), factor, BLOCK=64)
        found.append(y)
    return {"all": found, "none": None}


def scale_all_reference(xs, factor, *, dtype=None):
    return [(x * factor).to(dtype or x.dtype) for x in xs]


@triton.jit
def _ragged(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + at, tl.load(x_ptr + at), mask=at < n)


def copy_without_mask(x):
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    _ragged[(triton.cdiv(x.numel(), 128),)](x.contiguous(), y, x.numel(), BLOCK=128)
    return y


def layer_norm_backward_on_gpu(dy, x, w):
    assert dy.is_cuda
    assert x.device == w.device
    scale = torch.ones(w.shape, device="cuda")
    dx, dw = layer_norm_backward(dy, x.to("cuda"), w)
    return dx, dw * scale.to(dw.dtype)


@triton.jit
def _grouped(
    x_ptr, w_ptr, starts_ptr, y_ptr, width, depth, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):  # fmt: skip
    group, down, across = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    first, last = tl.load(starts_ptr + group), tl.load(starts_ptr + group + 1)
    rows = (first + down * BM + tl.arange(0, BM)).to(tl.int64)
    cols = across * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, depth, BK):
        inner = start + tl.arange(0, BK)
        x_mask = (rows[:, None] < last) & (inner[None, :] < depth)
        w_mask = (inner[:, None] < depth) & (cols[None, :] < width)
        x = tl.load(x_ptr + rows[:, None] * depth + inner[None, :], mask=x_mask, other=0.0)
        of_group = w_ptr + group.to(tl.int64) * depth * width
        w = tl.load(of_group + inner[:, None] * width + cols[None, :], mask=w_mask, other=0.0)
        total = tl.dot(x, w, total, input_precision="ieee")
    mask = (rows[:, None] < last) & (cols[None, :] < width)
    tl.store(y_ptr + rows[:, None] * width + cols[None, :], total, mask=mask)


def grouped_product(x, w, starts):
    """Multiply the rows of each group with the matrix of that group; `starts` has one number more than groups."""
    x, w, starts = x.contiguous(), w.contiguous(), starts.contiguous()
    y = torch.empty((x.shape[0], w.shape[2]), dtype=x.dtype, device=x.device)
    grid = (w.shape[0], triton.cdiv(x.shape[0], 32), triton.cdiv(w.shape[2], 32))
    _grouped[grid](x, w, starts, y, w.shape[2], x.shape[1], BM=32, BN=32, BK=32)
    return y


def grouped_product_reference(x, w, starts):
    bounds = starts.tolist()
    assert bounds[-1] == x.shape[0]
    assert len(bounds) == w.shape[0] + 1
    return torch.cat([x[first:last] @ w[n] for n, (first, last) in enumerate(itertools.pairwise(bounds))])


@triton.jit
def _softmax_unshifted(x_ptr, y_ptr, stride_x, stride_y, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride_x + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
    powers = tl.exp(x)
    tl.store(y_ptr + row * stride_y + cols, powers / tl.sum(powers), mask=cols < n_cols)


def softmax_unshifted(x):
    assert x.stride(1) == 1, "rows must be contiguous"
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    block = triton.next_power_of_2(x.shape[1])
    _softmax_unshifted[(x.shape[0],)](x, y, x.stride(0), y.stride(0), x.shape[1], BLOCK=block)
    return y


@triton.jit
def _count(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0)
    tl.store(y_ptr + at, tl.cumsum(x), mask=at < n)


def running_count(x):
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    _count[(1,)](x.contiguous(), y, x.numel(), BLOCK=triton.next_power_of_2(x.numel()))
    return y


def looping_reference(x):
    """Go through a tensor chunk by chunk, as it lies: for 2^31 elements that takes for ever."""
    flat = x.reshape(-1)
    return torch.cat([flat[start : start + 7] * 2 for start in range(0, flat.numel(), 7)]).reshape(x.shape)


def single_reference(dy, x, w):
    """Make a tensor of float32 whatever the arguments are: PyTorch does not multiply it with one of float64."""
    ones = torch.eye(w.shape[0])
    return layer_norm_backward_reference(dy, x, ones @ w)


def doubled(x):
    x = x.contiguous()
    y = torch.empty_like(x)
    _doubled[(triton.cdiv(x.numel(), 64),)](x, y, x.numel(), BLOCK=64)
    return y


@triton.jit
def _doubled(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=at < n) * 2, mask=at < n)


@triton.jit
def _move_if(x_ptr, y_ptr, stride_0, stride_1, n_rows, n_cols, moves, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = (cols < n_cols) & (moves != 0)
    x = tl.load(x_ptr + cols * stride_0 + row * stride_1, mask=mask)
    tl.store(y_ptr + row * n_cols + cols, x, mask=mask)


def transposed(x, moves=0):
    y = x.t().clone(memory_format=torch.contiguous_format)
    n_cols, n_rows = x.shape
    block = triton.next_power_of_2(max(1, n_cols))
    _move_if[(n_rows,)](x, y, x.stride(0), x.stride(1), n_rows, n_cols, moves, BLOCK=block)
    return y


def transposed_reference(x, moves=0):
    return x.t()


@triton.jit
def _unused(a, b):
    return tl.dot(a, b)


@triton.jit
def _dot(a, b):
    return tl.dot(a, b)


@triton.jit
def _squared(x_ptr, y_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :]
    x = tl.load(x_ptr + at)
    tl.store(y_ptr + at, _dot(x, x))


def squared(x):
    y = torch.empty_like(x)
    _squared[(1,)](x, y, BLOCK=32)
    return y


@triton.jit
def _store_twice(x_ptr, y_ptr, n, lane, program, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    at = pid // 2 * (BLOCK // 2) + lanes % (BLOCK // 2)
    x = tl.load(x_ptr + at, mask=at < n, other=0.0)
    tl.store(y_ptr + at, x + lane * (lanes // (BLOCK // 2)) + program * (pid % 2), mask=at < n)


def stored_twice(x, lane=0, program=0):
    """Have two lanes of each of two programs store each element, which differ by some numbers."""
    n = x.numel()
    y = torch.empty(n, dtype=x.dtype, device=x.device)
    _store_twice[(2 * triton.cdiv(n, 64),)](x.contiguous(), y, n, lane, program, BLOCK=128)
    return y


def padded(x, extra=3):
    """Store a part of what PyTorch has filled."""
    n = x.numel()
    y = torch.zeros(n + extra, dtype=x.dtype, device=x.device)
    _doubled[(triton.cdiv(n, 64),)](x.contiguous(), y, n, BLOCK=64)
    return y


def padded_reference(x, extra=3):
    return torch.nn.functional.pad(2 * x.flatten(), (0, extra))


def first_doubled(x, n=70):
    """Store a part of a copy."""
    y = x.clone(memory_format=torch.contiguous_format)
    _doubled[(triton.cdiv(n, 64),)](x.contiguous(), y, n, BLOCK=64)
    return y


def first_doubled_reference(x, n=70):
    return torch.cat([2 * x.flatten()[:n], x.flatten()[n:]]).view(x.shape)
