"""The helper hands back the old maximum: return m, l, acc, should be m2"""
import torch
import triton
import triton.language as tl


def reference(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return torch.softmax(q @ k.T * q.shape[1] ** -0.5, dim=1) @ v


@triton.jit
def step(q, k, v, inside, m, l, acc, scale, TAIL: tl.constexpr):
    s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
    if TAIL:
        s = tl.where(inside[None, :], s, float("-inf"))
    m2 = tl.maximum(m, tl.max(s, axis=1))
    a = tl.exp(m - m2)
    e = tl.exp(s - m2[:, None])
    l = l * a + tl.sum(e, axis=1)
    acc = tl.dot(e.to(v.dtype), v, acc * a[:, None], input_precision="ieee")
    return m, l, acc


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, o_ptr,
    q_row_stride, k_row_stride, v_row_stride, o_row_stride,
    n, scale,
    D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):
    start_m = tl.program_id(0).to(tl.int64) * BLOCK_M
    i = start_m + tl.arange(0, BLOCK_M)
    j = tl.arange(0, BLOCK_N).to(tl.int64)
    d = tl.arange(0, D)
    valid_i = i < n

    q = tl.load(q_ptr + (i[:, None] * q_row_stride + d[None, :]), mask=valid_i[:, None], other=0.0)
    m = tl.full([BLOCK_M], -float("inf"), tl.float32)
    l = tl.zeros([BLOCK_M], tl.float32)
    acc = tl.zeros([BLOCK_M, D], tl.float32)

    whole = n // BLOCK_N * BLOCK_N
    k_off = j[:, None] * k_row_stride + d[None, :]
    v_off = j[:, None] * v_row_stride + d[None, :]
    for _ in range(0, whole, BLOCK_N):
        k = tl.load(k_ptr + k_off)
        v = tl.load(v_ptr + v_off)
        m, l, acc = step(q, k, v, j < n, m, l, acc, scale, TAIL=False)
        k_off += BLOCK_N * k_row_stride
        v_off += BLOCK_N * v_row_stride
    if whole < n:
        rest = j < n - whole
        k = tl.load(k_ptr + k_off, mask=rest[:, None], other=0.0)
        v = tl.load(v_ptr + v_off, mask=rest[:, None], other=0.0)
        m, l, acc = step(q, k, v, rest, m, l, acc, scale, TAIL=True)

    inv = 1.0 / l
    tl.store(o_ptr + (i[:, None] * o_row_stride + d[None, :]), acc * inv[:, None], mask=valid_i[:, None])


def flash_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    n, d = q.shape
    o = torch.empty_like(q)
    if o.numel() == 0:
        return o
    BLOCK_M, BLOCK_N = (64, 64) if q.element_size() == 2 else (32, 32)
    grid = (triton.cdiv(n, BLOCK_M),)
    strides = (q.stride(0), k.stride(0), v.stride(0), o.stride(0))
    attention_kernel[grid](q, k, v, o, *strides, n, d**-0.5, D=d, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, num_warps=4)
    return o
