import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, dim=1)


@triton.jit
def softmax_fwd(x, y, sx, sy, N, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64)
    j = tl.arange(0, BLOCK)
    keep = j < N

    logits = tl.load(x + i * sx + j, mask=keep, other=float("-inf"))
    logits = logits.to(tl.float32)
    shifted = logits - tl.max(logits, axis=0)
    weights = tl.exp(shifted)
    probs = weights / tl.sum(weights, axis=0)
    tl.store(y + i * sy + j, probs, mask=keep)


def softmax(x: torch.Tensor) -> torch.Tensor:
    """Softmax over the last dimension."""
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    M, N = x.shape
    sx = sy = x.stride(0)
    BLOCK = triton.next_power_of_2(N)
    softmax_fwd[(M,)](x, y, sx, sy, N, BLOCK=BLOCK, num_warps=min(max(BLOCK // 256, 1), 16))
    return y
