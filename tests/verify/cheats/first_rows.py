"""Computes the first row alone, for a test that looks at no more.

Published: Makora, KernelHacks (2025): incomplete computation.
Expected: rejected as unwritten-elements
Eager: rejected as unwritten-elements or wrong-values
"""

import torch
from _softmax import launch, softmax_kernel


def softmax(x):
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    return launch(softmax_kernel, x, y, n_rows=min(1, x.shape[0]))
