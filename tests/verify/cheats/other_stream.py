"""Computes on a stream of its own, which timers on the usual one do not see.

Published: wafer.ai's field guide (2026): stream injection; KernelBench#82.
Expected: rejected as runtime-error
"""

import torch
from _softmax import softmax as honest


def softmax(x):
    with torch.cuda.stream(torch.cuda.Stream()):
        return honest(x)
