import torch
import triton
import triton.language as tl


def reference(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return torch.softmax(q @ k.T * q.shape[1] ** -0.5, dim=1) @ v


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, o_ptr, sq, sk, sv, so, n, scale,
    D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):
    """Powers of two in place of powers of e; pointers move along k and v."""
    rows = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + rows[:, None] * sq + d[None, :], mask=rows[:, None] < n, other=0.0)

    lane = tl.arange(0, BLOCK_N).to(tl.int64)
    kt_ptrs = k_ptr + lane[None, :] * sk + d[:, None]
    v_ptrs = v_ptr + lane[:, None] * sv + d[None, :]
    hop = tl.full((), BLOCK_N, tl.int64)
    log2e = 1.4426950408889634

    m = tl.full((BLOCK_M,), -float("inf"), tl.float32)
    l = tl.zeros((BLOCK_M,), tl.float32)
    acc = tl.zeros((BLOCK_M, D), tl.float32)
    for start in range(0, n, BLOCK_N):
        left = n - start
        kt = tl.load(kt_ptrs, mask=lane[None, :] < left, other=0.0)
        v = tl.load(v_ptrs, mask=lane[:, None] < left, other=0.0)
        s = tl.dot(q, kt, input_precision="ieee") * scale
        s = tl.where(lane[None, :] < left, s, -float("inf"))
        top = tl.maximum(m, tl.max(s, axis=1))
        p = tl.exp2((s - top[:, None]) * log2e)
        alpha = tl.exp2(m - top)
        l = l * alpha + tl.sum(p, axis=1)
        acc = tl.dot(p.to(v.dtype), v, acc * alpha[:, None], input_precision="ieee")
        m = top
        kt_ptrs += hop * sk
        v_ptrs += hop * sv

    o = acc * (1.0 / l)[:, None]
    tl.store(o_ptr + rows[:, None] * so + d[None, :], o, mask=rows[:, None] < n)


def flash_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    n, d = q.shape
    o = torch.empty_like(q)
    if o.numel() == 0:
        return o
    small = q.element_size() == 2
    BLOCK_M, BLOCK_N = (64, 32) if small else (32, 32)
    attention_kernel[(triton.cdiv(n, BLOCK_M),)](
        q, k, v, o, q.stride(0), k.stride(0), v.stride(0), o.stride(0), n, d**-0.5,
        D=d, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, num_warps=4,
    )
    return o
