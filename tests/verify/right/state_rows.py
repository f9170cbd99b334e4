"""States picked by an index tensor of 32 bits: index times stride has 64."""

import torch
import triton
import triton.language as tl


@triton.jit
def pick_kernel(state_ptr, index_ptr, out_ptr, stride, n_elements, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n_elements
    index = tl.load(index_ptr + row).to(tl.int64)
    state = tl.load(state_ptr + index * stride + offsets, mask=mask, other=0.0)
    tl.store(out_ptr + row * n_elements + offsets, state, mask=mask)


def run(states, index):
    assert states[0].is_contiguous()
    n_elements = states.shape[1]
    out = torch.empty((len(index), *states.shape[1:]), dtype=states.dtype, device=states.device)
    pick_kernel[(len(index), triton.cdiv(n_elements, 256))](states, index, out, states.stride(0), n_elements, BLOCK=256)
    return out


def reference(states, index):
    return states[index.long()]


def cases():
    index = torch.tensor([0, 7, 11], dtype=torch.int32)
    return [dict(states=torch.randn(12, 128), index=index)]
