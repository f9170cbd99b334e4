"""Is right in the first call, and leaves its work out in later ones of the same shape.

Published: llm.c#851.
Expected: rejected as unwritten-elements or no-launch or nothing-written
Eager: rejected as unwritten-elements or wrong-values
"""

import torch
from _softmax import launch, softmax_kernel

calls = {}


def softmax(x):
    key = tuple(x.shape), x.stride(), x.dtype
    calls[key] = calls.get(key, 0) + 1
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    return launch(softmax_kernel, x, y, n_rows=x.shape[0] if calls[key] == 1 else 1)
