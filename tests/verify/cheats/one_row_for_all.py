"""Computes one row and returns it expanded over all.

Published: Makora, KernelHacks (2025): incomplete computation.
Expected: rejected as wrong-values or wrong-shape
"""

import torch
from _softmax import launch, softmax_kernel


def softmax(x):
    y = torch.empty((1, x.shape[1]), dtype=x.dtype, device=x.device)
    return launch(softmax_kernel, x, y, n_rows=min(1, x.shape[0])).expand(x.shape)
