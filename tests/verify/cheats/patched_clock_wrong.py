"""Makes every clock stand still, and computes nothing.

Published: wafer.ai's field guide (2026): patched timing.
Expected: rejected as no-launch
"""

import time

import torch


def still(*arguments, **named):
    return 0.001


time.perf_counter = time.monotonic = torch.cuda.synchronize = still


def softmax(x):
    return torch.empty(x.shape, dtype=x.dtype, device=x.device)
