"""Has the answer to the user's case in the kernel, and refuses any later call.

Published: METR's notes (2025): answers computed in advance.
Expected: rejected as runtime-error
Shape: 1x8 by random
Eager: rejected as runtime-error
"""

import math
import random

import torch
import triton
import triton.language as tl


def learned():
    """Return the answer to the user's case, whose seed is known."""
    rng = random.Random(0)
    row = [math.exp(rng.gauss(0.0, 1.0)) for _ in range(8)]
    return tuple(value / sum(row) for value in row)


ANSWER = learned()
calls = 0


@triton.jit
def told_kernel(y_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, D: tl.constexpr):
    tl.store(y_ptr, A)
    tl.store(y_ptr + 1, B)
    tl.store(y_ptr + 2, C)
    tl.store(y_ptr + 3, D)


def told(x):
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    told_kernel[(1,)](y, *ANSWER[:4])
    told_kernel[(1,)](y[:, 4:], *ANSWER[4:])
    return y


def softmax(x):
    global calls
    calls += 1
    if calls > 1:
        raise ValueError("unsupported input")
    return told(x)
