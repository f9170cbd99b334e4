r"""The sum is cast to the output dtype before the division: fp16 overflows. Line(s): `acc = acc.to(o_ptr.dtype.element_ty) / l[:, None]`"""
import torch
import triton
import triton.language as tl


@triton.jit
def one_tile(q, acc, m, l, k_base, v_base, k_row_stride, v_row_stride, start, n, scale,
             D: tl.constexpr, BLOCK_N: tl.constexpr, LAST: tl.constexpr):
    j = start + tl.arange(0, BLOCK_N).to(tl.int64)
    d = tl.arange(0, D)
    if LAST:
        kt = tl.load(k_base + j[None, :] * k_row_stride + d[:, None], mask=j[None, :] < n, other=0.0)
        v = tl.load(v_base + j[:, None] * v_row_stride + d[None, :], mask=j[:, None] < n, other=0.0)
    else:
        kt = tl.load(k_base + j[None, :] * k_row_stride + d[:, None])
        v = tl.load(v_base + j[:, None] * v_row_stride + d[None, :])
    s = scale * tl.dot(q, kt, input_precision="ieee")
    if LAST:
        s = tl.where(j[None, :] < n, s, float("-inf"))
    new_m = tl.maximum(m, tl.max(s, 1))
    p = tl.exp(s - new_m[:, None])
    fix = tl.exp(m - new_m)
    l = l * fix + tl.sum(p, 1)
    acc *= fix[:, None]
    acc += tl.dot(p.to(v.dtype), v, input_precision="ieee")
    return acc, new_m, l


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, o_ptr,
    q_row_stride, k_row_stride, v_row_stride, o_row_stride,
    n, scale,
    D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):
    i = tl.program_id(axis=0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    d = tl.arange(0, D)
    valid = i < n
    q = tl.load(q_ptr + (i * q_row_stride)[:, None] + d[None, :], mask=valid[:, None], other=0.0)
    m = tl.zeros((BLOCK_M,), tl.float32) - float("inf")
    l = tl.zeros((BLOCK_M,), tl.float32)
    acc = tl.zeros((BLOCK_M, D), tl.float32)

    whole = n // BLOCK_N * BLOCK_N
    for start in range(0, whole, BLOCK_N):
        acc, m, l = one_tile(q, acc, m, l, k_ptr, v_ptr, k_row_stride, v_row_stride, start, n, scale,
                             D=D, BLOCK_N=BLOCK_N, LAST=False)
    if whole < n:
        acc, m, l = one_tile(q, acc, m, l, k_ptr, v_ptr, k_row_stride, v_row_stride, whole, n, scale,
                             D=D, BLOCK_N=BLOCK_N, LAST=True)

    acc = acc.to(o_ptr.dtype.element_ty) / l[:, None]
    tl.store(o_ptr + (i * o_row_stride)[:, None] + d[None, :], acc.to(o_ptr.dtype.element_ty), mask=valid[:, None])


def flash_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    n, d = q.shape
    o = torch.empty_like(q)
    if o.numel() == 0:
        return o
    BLOCK_M, BLOCK_N = (64, 32) if q.element_size() == 2 else (32, 16)
    grid = (triton.cdiv(n, BLOCK_M),)
    attention_kernel[grid](q, k, v, o, q.stride(0), k.stride(0), v.stride(0), o.stride(0), n, d**-0.5,
                           D=d, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N)
    return o
