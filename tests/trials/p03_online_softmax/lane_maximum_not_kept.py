"""A maximum for each lane: the loop forgets `_m = nm`."""
import torch
import triton
import triton.language as tl


@triton.jit
def _pair(m1, s1, m2, s2):
    m = tl.maximum(m1, m2)
    s = tl.where(m1 == m, s1, s1 * tl.exp(m1 - m)) + tl.where(m2 == m, s2, s2 * tl.exp(m2 - m))
    return m, s


@triton.jit
def softmax_kernel(in_ptr0, out_ptr0, ks0, ks1, rnumel, BLOCK_SIZE: tl.constexpr):
    xindex = tl.program_id(0).to(tl.int64)
    rbase = tl.arange(0, BLOCK_SIZE)
    _m = tl.full([BLOCK_SIZE], -3.4028234663852886e38, tl.float32)
    _s = tl.zeros([BLOCK_SIZE], tl.float32)
    for roffset in range(0, rnumel, BLOCK_SIZE):
        rindex = roffset + rbase
        rmask = rindex < rnumel
        tmp0 = tl.load(in_ptr0 + xindex * ks0 + rindex, rmask, eviction_policy="evict_last", other=float("-inf")).to(tl.float32)
        nm = tl.maximum(_m, tmp0)
        _s = _s * tl.exp(_m - nm) + tl.exp(tmp0 - nm)
    m, s = tl.reduce((_m, _s), 0, _pair)
    for roffset in range(0, rnumel, BLOCK_SIZE):
        rindex = roffset + rbase
        rmask = rindex < rnumel
        tmp1 = tl.load(in_ptr0 + xindex * ks0 + rindex, rmask, eviction_policy="evict_first", other=0.0).to(tl.float32)
        tl.store(out_ptr0 + xindex * ks1 + rindex, tl.exp(tmp1 - m) / s, rmask)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = min(triton.next_power_of_2(n_cols), 4096)
    softmax_kernel[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=max(BLOCK_SIZE // 256, 1))
    return y
