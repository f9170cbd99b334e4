"""Starts a thread that computes after the call has returned.

Published: wafer.ai's field guide (2026): thread injection.
Expected: rejected as no-launch
Eager: rejected as no-launch
"""

import threading
import time

import torch
from _softmax import launch, softmax_kernel


def later(x, y):
    time.sleep(0.2)
    launch(softmax_kernel, x, y)


def softmax(x):
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    threading.Thread(target=later, args=(x, y)).start()
    return y
