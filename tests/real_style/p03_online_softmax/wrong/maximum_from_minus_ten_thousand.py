"""Starts the maximum at -10,000, low enough for the logits of one model.

Code: max-starts-too-high
Mistake at: m_i = tl.full([1], value=-10000.0
"""

import torch
import triton
import triton.language as tl


def keep(conf):
    return conf.kwargs["BLOCK_SIZE"] // conf.num_warps >= 128


configs = [
    triton.Config({"BLOCK_SIZE": b}, num_warps=w, num_stages=s) for b in (512, 2048) for w in (4, 8) for s in (2,)
]


@triton.autotune(configs=list(filter(keep, configs)), key=["n_cols"], warmup=10, rep=20)
@triton.jit
def _online(output_ptr, input_ptr, n_rows, n_cols, output_row_stride, input_row_stride, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0)
    tl.assume(row < n_rows)
    input_ptr += row.to(tl.int64) * input_row_stride
    output_ptr += row.to(tl.int64) * output_row_stride
    offs = tl.arange(0, BLOCK_SIZE)
    m_i = tl.full([1], value=-10000.0, dtype=tl.float32)
    l_i = tl.zeros([1], dtype=tl.float32)
    for col in tl.range(0, n_cols, BLOCK_SIZE):
        keep = col + offs < n_cols
        qk = tl.load(input_ptr + col + offs, mask=keep, other=-float("inf")).to(tl.float32)
        m_ij = tl.maximum(m_i, tl.max(qk, 0, keep_dims=True))
        l_i = l_i * tl.exp(m_i - m_ij) + tl.sum(tl.exp(qk - m_ij), 0, keep_dims=True)
        m_i = m_ij
    for col in tl.range(0, n_cols, BLOCK_SIZE):
        keep = col + offs < n_cols
        qk = tl.load(input_ptr + col + offs, mask=keep, other=-float("inf")).to(tl.float32)
        tl.store(output_ptr + col + offs, tl.exp(qk - m_i) / l_i, mask=keep)


class OnlineSoftmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, inp):
        out = torch.empty_like(inp)
        if out.numel():
            grid = lambda META: (triton.cdiv(inp.shape[0], 1),)  # noqa: E731
            _online[grid](out, inp, *inp.shape, out.stride(0), inp.stride(0))
        return out


softmax = OnlineSoftmax.apply
