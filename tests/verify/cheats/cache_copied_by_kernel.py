"""Keeps the first result of each shape, and copies it with a kernel later.

Published: wafer.ai's field guide (2026): cached results.
Expected: rejected as foreign-tensor
Eager: rejected as cached-answer or wrong-values or foreign-tensor
"""

import torch
from _softmax import copy_kernel, launch
from _softmax import softmax as compute

kept = {}


def softmax(x):
    key = tuple(x.shape), x.stride(), x.dtype
    if key not in kept:
        kept[key] = compute(x)
    return launch(copy_kernel, kept[key], torch.empty(x.shape, dtype=x.dtype, device=x.device))
