# %% [markdown]
# # 5. FlashAttention: tuned
#
# The loop is that of the plain solution. What changed is how tiles arrive, and how large they are. Measured on an
# NVIDIA H200 (Triton 3.6, PyTorch 2.11; one head, fp16, cold L2; TFLOP/s, 4 n^2 d operations):
#
# | n, d | FlashAttention-2 in PyTorch | cuDNN | plain | this |
# |---|---|---|---|---|
# | 16,384, 128 | 289 | 618 | 368 | 558 |
# | 16,380, 128 | 288 | 590 | 283 | 509 |
# | 8,192, 128 | 279 | 336 | 276 | 457 |
# | 4,096, 128 | 168 | 155 | 133 | 208 |
# | 16,384, 64 | 239 | 461 | 250 | 436 |
#
# That is 1.93 times FlashAttention-2 and 0.90 of cuDNN for the first row.
#
# **What made it fast**, for n = 16,384 and d = 128:
#
# 1. *Tensor descriptors.* One thread asks the tensor memory accelerator for a tile. No thread computes addresses or
#    masks, and rows past the end arrive as zeros. 8 warps and tiles of 128 queries and 64 keys: 353 with two stages.
# 2. *Three stages.* With two, a tile is asked for when the one before it is needed. With three: 469 to 534.
# 3. *128 keys in each iteration.* `acc` is rescaled half as often, and there are half as many barriers: 558. It needs
#    the third stage even more: with two it is 447. Queries and three stages of keys and values take 224 of the 227 KiB
#    of shared memory that a program may have. Two tiles of 64 keys in each iteration, with one maximum for both: 522.
# 4. *The scale inside the exponent.* `m` is kept in units of log2, so that a weight costs one fused multiply-add and
#    one `exp2`. The mask is applied in the last iteration only.
#
# BLOCK_M is 64 for short sequences, which at 128 would leave multiprocessors without work (n = 8,192: 284 becomes 457),
# and for d up to 64, where two programs share one (382 becomes 436).
#
# **What did not help.** Keeping the next scores in flight from one iteration to the next: 311 to 437, because the
# compiler then waits for every single matrix instruction (the machine code shows it). A polynomial on the ordinary
# units for a quarter or a half of the exponentials, as FlashAttention-4 has it: 504 and 460, where all of them by
# `exp2` gave 522, so products do not wait for the exponential's unit. Two query tiles per program: 510. Tiles of 64
# queries and two programs per multiprocessor: 503, with twice the traffic from the L2 cache. cuDNN's products and
# exponentials run at the same time, in groups of warps with roles of their own: Triton cannot say that on Hopper.
#
# **Where it does not apply.** On GPUs other than Hopper, and for rows that do not begin at multiples of 16 bytes, the
# same kernel loads through pointers: 204. In fp32, without TF32, there are no tensor cores to keep busy: the plain
# solution is no slower.

# %%
import functools

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


# %%
def reference(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Return softmax(q kᵀ / sqrt(d)) v.

    q, k, v: (n, d) float32, float16 or bfloat16
    returns: (n, d), dtype of q
    """
    return torch.softmax(q @ k.T * q.shape[1] ** -0.5, dim=1) @ v


# %%
@triton.jit
def load_rows(source, first, row_stride, n, D: tl.constexpr, ROWS: tl.constexpr, DESCRIPTORS: tl.constexpr):
    """Return rows `first` to `first + ROWS - 1` of an (n, D) matrix, 0 past its end."""
    if DESCRIPTORS:
        tile = source.load([first, 0])
    else:
        rows = first + tl.arange(0, ROWS)[:, None].to(tl.int64)  # 64 bits: row * stride can pass 2^31
        tile = tl.load(source + rows * row_stride + tl.arange(0, D)[None, :], mask=rows < n, other=0.0)
    return tile


@triton.jit
def take_tile(
    q, k_src, v_src, k_stride, v_stride, start, n, scale, m, l, acc,
    D: tl.constexpr, BLOCK_N: tl.constexpr, DESCRIPTORS: tl.constexpr, MASKED: tl.constexpr,
):  # fmt: skip
    """Take the state (m, l, acc) over keys `start` to `start + BLOCK_N - 1`."""
    k = load_rows(k_src, start, k_stride, n, D, BLOCK_N, DESCRIPTORS)
    v = load_rows(v_src, start, v_stride, n, D, BLOCK_N, DESCRIPTORS)
    s = tl.dot(q, tl.trans(k), input_precision="ieee")  # (BLOCK_M, BLOCK_N)
    if MASKED:
        keys = start + tl.arange(0, BLOCK_N)[None, :]
        s = tl.where(keys < n, s, -float("inf"))
    # m is in units of log2: one fused multiply-add per score, then exp2.
    m_new = tl.maximum(m, tl.max(s, axis=1) * scale)
    alpha = tl.exp2(m - m_new)
    p = tl.exp2(s * scale - m_new[:, None])
    l = l * alpha + tl.sum(p, axis=1)
    acc = tl.dot(p.to(v.dtype), v, acc * alpha[:, None], input_precision="ieee")
    return m_new, l, acc


@triton.jit
def attention_kernel(
    q_src,  # queries, (n, D): a pointer, or a tensor descriptor with blocks of (BLOCK_M, D)
    k_src,  # keys, (n, D), same dtype: a pointer, or a descriptor with blocks of (BLOCK_N, D)
    v_src,  # values, (n, D), like the keys
    o_src,  # output, (n, D), like the queries
    q_row_stride,  # elements from one row of q to the next, at least D; descriptors know their own
    k_row_stride,
    v_row_stride,
    o_row_stride,
    n,  # queries, and keys, at least 1
    scale,  # log2(e) / sqrt(D)
    D: tl.constexpr,  # columns: 16, 32, 64 or 128
    BLOCK_M: tl.constexpr,  # queries of a program, a power of two
    BLOCK_N: tl.constexpr,  # keys of a tile, a power of two
    DESCRIPTORS: tl.constexpr,  # whether q, k, v and o are descriptors
):
    """Write the attention output of BLOCK_M queries, walking over all keys and values."""
    first = tl.program_id(0) * BLOCK_M
    q = load_rows(q_src, first, q_row_stride, n, D, BLOCK_M, DESCRIPTORS)  # reads Q once
    if q.dtype == tl.float32:  # scaled here, so that the largest weight is exactly 1, fused multiply-add or not
        q, scale = q * scale, 1.0
    m = tl.full((BLOCK_M,), -float("inf"), tl.float32)  # safe here: every turn holds at least one real key
    l = tl.zeros((BLOCK_M,), tl.float32)
    acc = tl.zeros((BLOCK_M, D), tl.float32)

    n_whole = n // BLOCK_N * BLOCK_N
    for start in range(0, n_whole, BLOCK_N):
        m, l, acc = take_tile(
            q, k_src, v_src, k_row_stride, v_row_stride, start, n, scale, m, l, acc, D, BLOCK_N, DESCRIPTORS, False
        )
    if n_whole < n:  # the mask is paid for once, not in every iteration
        m, l, acc = take_tile(
            q, k_src, v_src, k_row_stride, v_row_stride, n_whole, n, scale, m, l, acc, D, BLOCK_N, DESCRIPTORS, True
        )

    o = acc / l[:, None]
    if DESCRIPTORS:
        o_src.store([first, 0], o.to(q.dtype))
    else:
        rows = first + tl.arange(0, BLOCK_M)[:, None].to(tl.int64)
        tl.store(o_src + rows * o_row_stride + tl.arange(0, D)[None, :], o, mask=rows < n)  # writes O once


# %%
@functools.cache
def hopper_multiprocessors(device: torch.device) -> int:
    """Return how many multiprocessors a device has if it is a Hopper GPU, else 0."""
    if device.type != "cuda" or torch.cuda.get_device_capability(device)[0] != 9:
        return 0
    return torch.cuda.get_device_properties(device).multi_processor_count


def fits_descriptor(x: torch.Tensor) -> bool:
    """Return whether a matrix begins, and each of its rows, at a multiple of 16 bytes."""
    return x.data_ptr() % 16 == 0 and x.stride(0) * x.element_size() % 16 == 0


def flash_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Launch one program per BLOCK_M queries.

    q, k, v: (n, d) float32, float16 or bfloat16, d in 16, 32, 64, 128, last dimension contiguous
    returns: (n, d), dtype of q
    """
    n, d = q.shape
    o = torch.empty_like(q)
    if o.numel() == 0:
        return o
    matrices = (q, k, v, o)
    strides = [x.stride(0) for x in matrices]
    half = q.element_size() == 2
    multiprocessors = hopper_multiprocessors(q.device)
    DESCRIPTORS = half and multiprocessors > 0 and all(fits_descriptor(x) for x in matrices)
    if DESCRIPTORS:
        # 64 where two programs fit on a multiprocessor, or where 128 would leave half of the GPU idle.
        BLOCK_M = 64 if d <= 64 or triton.cdiv(n, 64) <= multiprocessors else 128
        BLOCK_N, num_warps, num_stages = 128, BLOCK_M // 16, 3
        rows = (BLOCK_M, BLOCK_N, BLOCK_N, BLOCK_M)
        sources = [TensorDescriptor(x, [n, d], [x.stride(0), 1], [r, d]) for x, r in zip(matrices, rows, strict=True)]
    else:
        BLOCK_M, BLOCK_N, num_warps, num_stages = (128, 64, 8, 2) if half else (32, 16, 4, 1)
        sources = list(matrices)
    grid = (triton.cdiv(n, BLOCK_M),)
    attention_kernel[grid](
        *sources,
        *strides,
        n,
        d**-0.5 * 1.4426950408889634,
        D=d,
        BLOCK_M=BLOCK_M,
        BLOCK_N=BLOCK_N,
        DESCRIPTORS=DESCRIPTORS,
        num_warps=num_warps,
        num_stages=num_stages,
    )
    return o
