"""Two: the strides of k and v are passed in the wrong order, and l is not rescaled when m grows."""
import torch
import triton
import triton.language as tl


@triton.jit
def attention_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    o_ptr,
    q_stride,
    k_stride,
    v_stride,
    o_stride,
    n_keys,
    scale,
    D: tl.constexpr,
    ROWS: tl.constexpr,
    KEYS: tl.constexpr,
):
    row0 = tl.program_id(0).to(tl.int64) * ROWS
    r = tl.arange(0, ROWS)[:, None]
    kk = tl.arange(0, KEYS).to(tl.int64)[:, None]
    d = tl.arange(0, D)[None, :]
    q = tl.load(q_ptr + (row0 + r) * q_stride + d, mask=row0 + r < n_keys, other=0.0)
    m = tl.full((ROWS, 1), -float("inf"), tl.float32)
    l = tl.zeros((ROWS, 1), tl.float32)
    acc = tl.zeros((ROWS, D), tl.float32)
    left = n_keys
    while left > 0:
        k = tl.load(k_ptr + kk * k_stride + d, mask=kk < left, other=0.0)
        v = tl.load(v_ptr + kk * v_stride + d, mask=kk < left, other=0.0)
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        s = tl.where(tl.arange(0, KEYS)[None, :] < left, s, -float("inf"))
        old = m
        m = tl.maximum(old, tl.max(s, axis=1, keep_dims=True))
        e = tl.exp(s - m)
        l = l + tl.sum(e, axis=1, keep_dims=True)
        acc = tl.dot(e.to(v.dtype), v, acc * tl.exp(old - m), input_precision="ieee")
        k_ptr += KEYS * k_stride
        v_ptr += KEYS * v_stride
        left -= KEYS
    tl.store(o_ptr + (row0 + r) * o_stride + d, acc / l, mask=row0 + r < n_keys)


def flash_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    n, d = q.shape
    o = torch.empty_like(q)
    if o.numel() == 0:
        return o
    grid = (triton.cdiv(n, 32),)
    attention_kernel[grid](
        q,
        k,
        v,
        o,
        q.stride(0),
        v.stride(0),
        k.stride(0),
        o.stride(0),
        n,
        d**-0.5,
        D=d,
        ROWS=32,
        KEYS=32,
    )
    return o
