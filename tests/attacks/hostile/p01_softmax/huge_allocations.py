"""Asks for more memory than there is, in every way there is.

Must: fail | error
"""

import contextlib

import numpy as np
import torch


def softmax(x):
    for ask in (lambda: bytearray(1 << 60), lambda: torch.empty(1 << 55), lambda: np.empty(1 << 55)):
        with contextlib.suppress(MemoryError, RuntimeError):
            ask()
    return torch.empty((1 << 20, 1 << 40), dtype=x.dtype)
