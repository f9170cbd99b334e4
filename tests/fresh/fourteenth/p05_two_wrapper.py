"""Attention behind a small launcher class."""

import torch
import triton
import triton.language as tl


@triton.jit
def online_attention(
    q_ptr, q_step, k_ptr, k_step, v_ptr, v_step, o_ptr, o_step, count, scale,
    FEATURES: tl.constexpr, ROWS: tl.constexpr, KEYS: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    feature = tl.arange(0, FEATURES)
    row_ok = row < count
    q = tl.load(q_ptr + (row[:, None] * q_step + feature[None, :]), mask=row_ok[:, None], other=0.0)

    ceiling = tl.full([ROWS], float("-inf"), dtype=tl.float32)
    mass = tl.zeros([ROWS], dtype=tl.float32)
    blend = tl.zeros([ROWS, FEATURES], dtype=tl.float32)

    for t in range(tl.cdiv(count, KEYS)):
        key = (t * KEYS + tl.arange(0, KEYS)).to(tl.int64)
        key_ok = key < count
        k = tl.load(k_ptr + (key[:, None] * k_step + feature[None, :]), mask=key_ok[:, None], other=0.0)
        v = tl.load(v_ptr + (key[:, None] * v_step + feature[None, :]), mask=key_ok[:, None], other=0.0)

        sim = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        sim = tl.where(key_ok[None, :], sim, float("-inf"))
        lifted = tl.maximum(ceiling, tl.max(sim, axis=1))
        keep = tl.exp(ceiling - lifted)
        gain = tl.exp(sim - lifted[:, None])

        mass = mass * keep + tl.sum(gain, axis=1)
        blend = blend * keep[:, None]
        blend = tl.dot(gain.to(v.dtype), v, blend)
        ceiling = lifted

    where_to = o_ptr + (row[:, None] * q_step + feature[None, :])
    tl.store(where_to, blend / mass[:, None], mask=row_ok[:, None])


class Launcher:
    """Pair every matrix with its row stride and launch a kernel over blocks of rows."""

    def __init__(self, kernel, rows: int, keys: int):
        self.kernel, self.rows, self.keys = kernel, rows, keys

    def __call__(self, matrices, count, *scalars, **meta):
        flat = [part for t in matrices for part in (t, t.stride(0))]
        grid = (triton.cdiv(count, self.rows),)
        self.kernel[grid](*flat, count, *scalars, ROWS=self.rows, KEYS=self.keys, **meta)


LAUNCHERS = {
    torch.float32: Launcher(online_attention, 32, 32),
    torch.float16: Launcher(online_attention, 64, 64),
    torch.bfloat16: Launcher(online_attention, 64, 64),
}


def flash_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    o = torch.empty_like(q)
    if q.shape[0] > 0:
        LAUNCHERS[q.dtype]((q, k, v, o), q.shape[0], q.shape[1] ** -0.5, FEATURES=q.shape[1], num_warps=4)
    return o
