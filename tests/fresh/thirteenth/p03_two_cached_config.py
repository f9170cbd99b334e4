import functools

import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor) -> torch.Tensor:
    """Return the softmax of every row."""
    return torch.softmax(x, dim=1)


LOWEST = tl.constexpr(float("-inf"))


@triton.jit
def softmax_kernel(a, b, lda, ldb, n, CHUNK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64)
    a += i * lda
    b += i * ldb
    run_max = tl.full((), LOWEST, tl.float32)
    run_sum = tl.full((), 0.0, tl.float32)
    for lo in range(0, n, CHUNK):
        j = lo + tl.arange(0, CHUNK)
        z = tl.load(a + j, mask=j < n, other=-float("inf")).to(tl.float32)
        old = run_max
        run_max = tl.maximum(old, tl.max(z, axis=0))
        run_sum = run_sum * tl.exp(old - run_max) + tl.sum(tl.exp(z - run_max), axis=0)
    for lo in range(0, n, CHUNK):
        j = lo + tl.arange(0, CHUNK)
        z = tl.load(a + j, mask=j < n, other=-float("inf")).to(tl.float32)
        tl.store(b + j, tl.exp(z - run_max) / run_sum, mask=j < n)


@functools.lru_cache(maxsize=None)
def config(n: int) -> dict:
    chunk = min(triton.next_power_of_2(n), 1024)
    warps = chunk // 256
    return {"CHUNK": chunk, "num_warps": warps}


def softmax(x: torch.Tensor) -> torch.Tensor:
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    m, n = x.shape
    softmax_kernel[(m,)](x, y, x.stride(0), y.stride(0), n, **config(n))
    return y
