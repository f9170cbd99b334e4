# %%
import torch
import triton
import triton.language as tl


# %%
def reference(a: torch.Tensor, b: torch.Tensor, activation: str = "") -> torch.Tensor:
    """Return a @ b, after a leaky ReLU with slope 0.01 where `activation` is "leaky_relu".

    a: (M, K) float16 or bfloat16, any strides
    b: (K, N) same dtype, any strides
    returns: (M, N), dtype of a, computed in float32 and rounded once
    """
    c = a.float() @ b.float()
    return (torch.nn.functional.leaky_relu(c, 0.01) if activation == "leaky_relu" else c).to(a.dtype)


# %%
@triton.autotune(
    configs=[
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64, "GROUP_M": 8}, num_warps=8, num_stages=3),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 128, "BLOCK_K": 32, "GROUP_M": 8}, num_warps=4, num_stages=4),
    ],
    key=["M", "N", "K"],
)
@triton.jit
def matmul_kernel(
    a_ptr,  # (M, K) float16 or bfloat16
    b_ptr,  # (K, N) same dtype
    c_ptr,  # output, (M, N) same dtype
    M,  # rows of a and c, at least 1
    N,  # columns of b and c, at least 1
    K,  # columns of a and rows of b, at least 0
    stride_am,  # elements from one row of a to the next
    stride_ak,  # elements from one column of a to the next
    stride_bk,
    stride_bn,
    stride_cm,
    stride_cn,
    ACTIVATION: tl.constexpr,  # "" or "leaky_relu"
    BLOCK_M: tl.constexpr,  # rows of a tile of c, a power of two
    BLOCK_N: tl.constexpr,  # columns of a tile of c, a power of two
    BLOCK_K: tl.constexpr,  # columns of a and rows of b in one iteration, a power of two, at least 16
    GROUP_M: tl.constexpr,  # rows of tiles in a group
):
    p = tl.program_id(0)
    tm = tl.cdiv(M, BLOCK_M)
    tn = tl.cdiv(N, BLOCK_N)
    width = GROUP_M * tn
    base = p // width * GROUP_M
    h = tl.minimum(tm - base, GROUP_M)
    im = (base + (p % width) % h) * BLOCK_M
    jn = ((p % width) // h) * BLOCK_N
    A = tl.make_block_ptr(a_ptr, (M, K), (stride_am, stride_ak), (im, 0), (BLOCK_M, BLOCK_K), (1, 0))
    B = tl.make_block_ptr(b_ptr, (K, N), (stride_bk, stride_bn), (0, jn), (BLOCK_K, BLOCK_N), (1, 0))
    C = tl.make_block_ptr(c_ptr, (M, N), (stride_cm, stride_cn), (im, jn), (BLOCK_M, BLOCK_N), (1, 0))
    r = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for _ in range(tl.cdiv(K, BLOCK_K)):
        at = tl.load(A, boundary_check=(0, 1), padding_option="zero")
        bt = tl.load(B, boundary_check=(0, 1), padding_option="zero")
        r = tl.dot(at, bt, r)
        A = tl.advance(A, (0, BLOCK_K))
        B = tl.advance(B, (BLOCK_K, 0))
        if ACTIVATION == "leaky_relu":
            r = tl.where(r < 0, 0.01 * r, r)
    tl.store(C, r.to(c_ptr.dtype.element_ty), boundary_check=(0, 1))


# %%
def matmul(a: torch.Tensor, b: torch.Tensor, activation: str = "") -> torch.Tensor:
    """Launch one program per tile of c.

    a: (M, K) float16 or bfloat16, any strides
    b: (K, N) same dtype, any strides
    returns: (M, N), dtype of a, contiguous; `activation` is "" or "leaky_relu"
    """
    (M, K), (_, N) = a.shape, b.shape
    c = torch.empty((M, N), dtype=a.dtype, device=a.device)
    if c.numel() == 0:
        return c

    def grid(meta):
        return (triton.cdiv(M, meta["BLOCK_M"]) * triton.cdiv(N, meta["BLOCK_N"]),)

    strides = (*a.stride(), *b.stride(), *c.stride())
    matmul_kernel[grid](a, b, c, M, N, K, *strides, ACTIVATION=activation)
    return c
