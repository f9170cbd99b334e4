"""Registers the launch as an operator with a fake of its own, for torch.compile."""

import torch
import triton
import triton.language as tl


@triton.jit
def _add_fwd(X, Y, OUT, numel, BLOCK: tl.constexpr):
    start = tl.program_id(axis=0).to(tl.int64) * BLOCK
    idx = start + tl.arange(0, BLOCK)
    in_range = idx < numel
    a = tl.load(X + idx, mask=in_range)
    b = tl.load(Y + idx, mask=in_range)
    tl.store(OUT + idx, a + b, mask=in_range)


@torch.library.triton_op("rs_vector_add::add", mutates_args=())
def _add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    numel = out.numel()
    if numel:
        torch.library.wrap_triton(_add_fwd)[(triton.cdiv(numel, 1024),)](x, y, out, numel, BLOCK=1024)
    return out


def add(x, y):
    return torch.ops.rs_vector_add.add(x, y)
