r"""Copy-paste: the value pointers advance by the stride of k. Line(s): `v_ptrs += BLOCK_N * k_row_stride`"""
import torch
import triton
import triton.language as tl

LOG2E = tl.constexpr(1.4426950408889634)


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, o_ptr,
    q_row_stride, k_row_stride, v_row_stride, o_row_stride,
    n, scale,
    D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):
    block = tl.program_id(0).to(tl.int64)
    offs_m = block * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_d = tl.arange(0, D)
    lane = tl.arange(0, BLOCK_N).to(tl.int64)
    in_rows = (offs_m < n)[:, None]
    queries = tl.load(q_ptr + offs_m[:, None] * q_row_stride + offs_d[None, :], mask=in_rows, other=0.0)

    k_ptrs = k_ptr + lane[:, None] * k_row_stride + offs_d[None, :]
    v_ptrs = v_ptr + lane[:, None] * v_row_stride + offs_d[None, :]
    biggest = tl.full([BLOCK_M], float("-inf"), dtype=tl.float32)
    denom = tl.zeros([BLOCK_M], dtype=tl.float32)
    out = tl.zeros([BLOCK_M, D], dtype=tl.float32)
    left = n
    while left > 0:
        alive = lane < left
        keys = tl.load(k_ptrs, mask=alive[:, None], other=0.0)
        scores = tl.dot(queries, tl.trans(keys), input_precision="ieee")
        scores = scores * (scale * LOG2E)
        scores = tl.where(alive[None, :], scores, float("-inf"))
        higher = tl.maximum(biggest, tl.max(scores, axis=1))
        shrink = tl.exp2(biggest - higher)
        weights = tl.exp2(scores - higher[:, None])
        denom = denom * shrink + tl.sum(weights, axis=1)
        out = out * shrink[:, None]
        values = tl.load(v_ptrs, mask=alive[:, None], other=0.0)
        out = tl.dot(weights.to(values.dtype), values, out, input_precision="ieee")
        biggest = higher
        k_ptrs += BLOCK_N * k_row_stride
        v_ptrs += BLOCK_N * k_row_stride
        left -= BLOCK_N

    result = out / denom[:, None]
    tl.store(o_ptr + offs_m[:, None] * o_row_stride + offs_d[None, :], result, mask=in_rows)


def flash_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    n, d = q.shape
    o = torch.empty_like(q)
    if o.numel() == 0:
        return o
    BLOCK_M, BLOCK_N = (64, 64) if q.element_size() == 2 else (32, 32)
    grid = lambda meta: (triton.cdiv(n, meta["BLOCK_M"]),)
    attention_kernel[grid](
        q, k, v, o, q.stride(0), k.stride(0), v.stride(0), o.stride(0), n, d**-0.5,
        D=d, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, num_warps=4,
    )
    return o
