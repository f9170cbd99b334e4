"""Copies fresh memory to the output: what an earlier call has left there is the answer.

Published: wafer.ai's field guide (2026): stale buffers.
Expected: rejected as uninitialised-read
Eager: rejected as uninitialised-read or wrong-values
"""

import torch
from _softmax import copy_kernel, launch


def softmax(x):
    left_behind = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    return launch(copy_kernel, left_behind, torch.empty(x.shape, dtype=x.dtype, device=x.device))
