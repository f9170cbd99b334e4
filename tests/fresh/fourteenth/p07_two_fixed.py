"""Matrix product in tiles 128 rows high."""

import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[
        triton.Config({"WIDE": 128, "DEEP": 32}, num_warps=8, num_stages=3),
        triton.Config({"WIDE": 64, "DEEP": 64}, num_warps=4, num_stages=3),
    ],
    key=["M", "N", "K"],
)
@triton.jit
def kernel(
    a, b, c, M, N, K, a0, a1, b0, b1, c0,
    LEAKY: tl.constexpr, HIGH: tl.constexpr, WIDE: tl.constexpr, DEEP: tl.constexpr, GROUP: tl.constexpr,
):
    pid = tl.program_id(0)
    nh, nw = tl.cdiv(M, HIGH), tl.cdiv(N, WIDE)
    area = GROUP * nw
    y0 = pid // area * GROUP
    h = min(nh - y0, GROUP)
    y = (y0 + pid % area % h).to(tl.int64)
    x = (pid % area // h).to(tl.int64)

    ys = y * HIGH + tl.arange(0, HIGH)
    xs = x * WIDE + tl.arange(0, WIDE)
    y_ok = (ys < M)[:, None]
    x_ok = (xs < N)[None, :]

    acc = tl.zeros((HIGH, WIDE), tl.float32)
    for z in range(0, K, DEEP):
        zs = z + tl.arange(0, DEEP)
        z_ok = zs < K
        a_tile = tl.load(a + ys[:, None] * a0 + zs[None, :] * a1, mask=y_ok & z_ok[None, :], other=0.0)
        b_tile = tl.load(b + zs[:, None] * b0 + xs[None, :] * b1, mask=x_ok & z_ok[:, None], other=0.0)
        acc = tl.dot(a_tile, b_tile, acc)

    if LEAKY:
        acc = tl.where(acc > 0, acc, 0.01 * acc)
    tl.store(c + ys[:, None] * c0 + xs[None, :], acc, mask=y_ok & x_ok)


def matmul(a: torch.Tensor, b: torch.Tensor, activation: str = "") -> torch.Tensor:
    M, K = a.shape
    N = b.shape[1]
    c = torch.empty((M, N), dtype=a.dtype, device=a.device)
    if c.numel() == 0:
        return c
    HIGH = 128

    def grid(meta):
        tiles_down = triton.cdiv(M, HIGH)
        tiles_across = triton.cdiv(N, 128)
        return (tiles_down * tiles_across,)

    kernel[grid](
        a, b, c, M, N, K, a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0),
        LEAKY=activation == "leaky_relu", HIGH=HIGH, GROUP=8,
    )
    return c
