import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor) -> torch.Tensor:
    """Return the softmax of every row."""
    return torch.softmax(x, dim=1)


@triton.jit
def softmax_kernel(X, Y, sx, sy, M, N, R: tl.constexpr, C: tl.constexpr):
    """A tile of R rows; R is 1 as soon as a row fills a tile of its own."""
    r = tl.program_id(0).to(tl.int64) * R + tl.arange(0, R)
    c = tl.arange(0, C)
    valid = (r < M)[:, None] & (c < N)[None, :]
    t = tl.load(X + r[:, None] * sx + c[None, :], mask=valid, other=-float("inf"))
    t = t.to(tl.float32)
    e = tl.exp(t - tl.max(t, axis=1, keep_dims=True))
    e = e / tl.sum(e, axis=0, keep_dims=True)
    tl.store(Y + r[:, None] * sy + c[None, :], e, mask=valid)


def softmax(x: torch.Tensor) -> torch.Tensor:
    M, N = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    C = triton.next_power_of_2(N)
    R = max(128 // C, 1)
    softmax_kernel[(triton.cdiv(M, R),)](
        x, y, x.stride(0), y.stride(0), M, N, R=R, C=C, num_warps=min(max(C // 512, 1), 16)
    )
    return y
