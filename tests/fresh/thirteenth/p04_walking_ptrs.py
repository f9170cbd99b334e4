import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, ldx, ldy, m, n, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.program_id(0).to(tl.int64) * BM + tl.arange(0, BM)
    c = tl.arange(0, BN)
    xp = x_ptr + r[:, None] * ldx + c[None, :]
    yp = y_ptr + r[:, None] * ldy + c[None, :]
    row_live = (r < m)[:, None]

    run_max = tl.full([BM], -3.4028234663852886e38, dtype=tl.float32)
    run_sum = tl.zeros([BM], dtype=tl.float32)
    left = n
    while left > 0:
        a = tl.load(xp, mask=row_live & (c[None, :] < left), other=float("-inf")).to(tl.float32)
        hi = tl.maximum(run_max, tl.max(a, 1))
        run_sum = run_sum * tl.exp(run_max - hi) + tl.sum(tl.exp(a - hi[:, None]), 1)
        run_max = hi
        xp += BN
        left -= BN

    xp -= n
    left = n
    while left > 0:
        live = row_live & (c[None, :] < left)
        a = tl.load(xp, mask=live, other=float("-inf")).to(tl.float32)
        tl.store(yp, tl.exp(a - run_max[:, None]) / run_sum[:, None], mask=live)
        xp += BN
        yp += BN
        left -= BN


def softmax(x: torch.Tensor) -> torch.Tensor:
    m, n = x.shape
    y = torch.empty_like(x)
    if m == 0 or n == 0:
        return y
    bn = min(triton.next_power_of_2(n), 512)
    bm = 2048 // bn
    softmax_kernel[triton.cdiv(m, bm),](x, y, x.stride(0), y.stride(0), m, n, BM=bm, BN=bn, num_warps=8)
    return y
