"""int8 matmul: a fixed number of programs shares the tiles of c."""
import torch
import triton
import triton.language as tl

PROGRAMS = 96
TILE = 32


def reference(
    a: torch.Tensor, b: torch.Tensor, a_scale: torch.Tensor, b_scale: torch.Tensor, a_zero: int
) -> torch.Tensor:
    """Return the product of what a and b stand for.

    a: (M, K) int8; b: (K, N) int8
    a_scale: (M,), b_scale: (N,) float32
    returns: (M, N) float32
    """
    return ((a.double() - a_zero) @ b.double() * a_scale[:, None] * b_scale[None, :]).float()


@triton.jit
def qmm_persistent(
    a_ptr,
    b_ptr,
    s_ptr,
    t_ptr,
    c_ptr,
    M,
    N,
    K,
    z,
    sam,
    sak,
    sbk,
    sbn,
    scm,
    scn,
    T: tl.constexpr,
    TK: tl.constexpr,
):
    tiles_n = tl.cdiv(N, T)
    n_tiles = tl.cdiv(M, T) * tiles_n
    for tile in range(tl.program_id(0), n_tiles, tl.num_programs(0)):
        m = (tile // tiles_n).to(tl.int64) * T + tl.arange(0, T)
        n = (tile % tiles_n).to(tl.int64) * T + tl.arange(0, T)
        acc = tl.zeros((T, T), dtype=tl.int32)
        bsum = tl.zeros((T,), dtype=tl.int32)
        for k0 in range(0, K, TK):
            k = k0 + tl.arange(0, TK).to(tl.int64)
            a = tl.load(a_ptr + m[:, None] * sam + k[None, :] * sak, mask=(m[:, None] < M) & (k[None, :] < K), other=0)
            b = tl.load(b_ptr + k[:, None] * sbk + n[None, :] * sbn, mask=(k[:, None] < K) & (n[None, :] < N), other=0)
            acc = tl.dot(a, b, acc=acc)
            bsum += tl.sum(b.to(tl.int32), axis=0)
        row_scale = tl.load(s_ptr + m, mask=m < M, other=0.0)
        col_scale = tl.load(t_ptr + n, mask=n < N, other=0.0)
        real = (acc - z * bsum[None, :]).to(tl.float32)
        real = real * row_scale[None, :] * col_scale[:, None]
        tl.store(c_ptr + m[:, None] * scm + n[None, :] * scn, real, mask=(m[:, None] < M) & (n[None, :] < N))


def int8_matmul(
    a: torch.Tensor, b: torch.Tensor, a_scale: torch.Tensor, b_scale: torch.Tensor, a_zero: int
) -> torch.Tensor:
    (M, K), N = a.shape, b.shape[1]
    c = torch.empty((M, N), dtype=torch.float32, device=a.device)
    if c.numel() == 0:
        return c
    programs = min(PROGRAMS, triton.cdiv(M, TILE) * triton.cdiv(N, TILE))
    qmm_persistent[(programs,)](
        a, b, a_scale, b_scale, c, M, N, K, a_zero, *a.stride(), *b.stride(), *c.stride(), T=TILE, TK=64
    )
    return c
