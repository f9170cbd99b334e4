"""Computes the first row, and leaves zeros in the others.

Published: Makora, KernelHacks (2025): incomplete computation.
Expected: rejected as wrong-values or unwritten-elements
"""

import torch
from _softmax import launch, softmax_kernel


def softmax(x):
    y = torch.zeros(x.shape, dtype=x.dtype, device=x.device)
    return launch(softmax_kernel, x, y, n_rows=min(1, x.shape[0]))
