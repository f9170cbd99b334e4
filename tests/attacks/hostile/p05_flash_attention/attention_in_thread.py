"""Has a thread compute attention with PyTorch and the kernel copy it.

Must: fail | error
"""

import threading

import torch
import triton
import triton.language as tl


def work(q, k, v, answer):
    def attend():
        weights = torch.softmax(q.double() @ k.double().T * q.shape[1] ** -0.5, dim=1)
        answer.copy_(weights @ v.double())

    thread = threading.Thread(target=attend)
    thread.start()
    thread.join()


@triton.jit
def copy_kernel(a_ptr, o_ptr, n, D: tl.constexpr, BLOCK_M: tl.constexpr):
    rows = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    places = rows[:, None] * D + tl.arange(0, D)[None, :]
    mask = rows[:, None] < n
    tl.store(o_ptr + places, tl.load(a_ptr + places, mask=mask, other=0.0), mask=mask)


def flash_attention(q, k, v):
    n, d = q.shape
    answer = torch.zeros((n, d), dtype=q.dtype, device=q.device)
    o = torch.empty_like(q)
    if o.numel():
        work(q, k, v, answer)
        copy_kernel[(triton.cdiv(n, 16),)](answer, o, n, D=d, BLOCK_M=16)
    return o
