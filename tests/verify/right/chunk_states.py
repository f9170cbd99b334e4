"""Linear attention in chunks: the states are stored by a first kernel and read by a second, of as many chunks as there
are.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def state_kernel(k_ptr, v_ptr, h_ptr, T, NT, D: tl.constexpr, BT: tl.constexpr):
    head = tl.program_id(0).to(tl.int64)
    d, e, t = tl.arange(0, D), tl.arange(0, D), tl.arange(0, BT)
    state = tl.zeros((D, D), dtype=tl.float32)
    for chunk in range(tl.cdiv(T, BT)):
        tl.store(h_ptr + (head * NT + chunk) * D * D + d[:, None] * D + e[None, :], state)
        rows = chunk * BT + t
        k = tl.load(k_ptr + (head * T + rows[None, :]) * D + d[:, None], mask=rows[None, :] < T, other=0.0)
        v = tl.load(v_ptr + (head * T + rows[:, None]) * D + e[None, :], mask=rows[:, None] < T, other=0.0)
        state = tl.dot(k, v, state, input_precision="ieee")


@triton.jit
def output_kernel(q_ptr, k_ptr, v_ptr, h_ptr, o_ptr, T, NT, D: tl.constexpr, BT: tl.constexpr):
    chunk, head = tl.program_id(0), tl.program_id(1).to(tl.int64)
    d, t = tl.arange(0, D), tl.arange(0, BT)
    rows = chunk * BT + t
    inside = rows < T
    q = tl.load(q_ptr + (head * T + rows[:, None]) * D + d[None, :], mask=inside[:, None], other=0.0)
    k = tl.load(k_ptr + (head * T + rows[None, :]) * D + d[:, None], mask=inside[None, :], other=0.0)
    v = tl.load(v_ptr + (head * T + rows[:, None]) * D + d[None, :], mask=inside[:, None], other=0.0)
    state = tl.load(h_ptr + (head * NT + chunk) * D * D + d[:, None] * D + d[None, :])
    scores = tl.where(t[:, None] >= t[None, :], tl.dot(q, k, input_precision="ieee"), 0.0)
    out = tl.dot(scores, v, input_precision="ieee") + tl.dot(q, state, input_precision="ieee")
    tl.store(o_ptr + (head * T + rows[:, None]) * D + d[None, :], out, mask=inside[:, None])


def run(q, k, v):
    q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
    heads, T, D = q.shape
    BT = 16
    NT = triton.cdiv(T, BT)
    h = torch.empty((heads, NT, D, D), dtype=torch.float32, device=q.device)
    o = torch.empty_like(q)
    state_kernel[(heads,)](k, v, h, T, NT, D=D, BT=BT)
    output_kernel[(triton.cdiv(T, BT), heads)](q, k, v, h, o, T, NT, D=D, BT=BT)
    return o


def reference(q, k, v):
    return torch.tril(q @ k.transpose(1, 2)) @ v


def cases():
    return [dict(q=torch.randn(2, 40, 16), k=torch.randn(2, 40, 16), v=torch.randn(2, 40, 16))]


OPTIONS = dict(vary=False)
