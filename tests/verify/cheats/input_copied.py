"""Copies the input to the output with a kernel.

Published: wafer.ai's field guide (2026): identity kernel.
Expected: rejected as wrong-values
"""

import torch
from _softmax import copy_kernel, launch


def softmax(x):
    return launch(copy_kernel, x, torch.empty(x.shape, dtype=x.dtype, device=x.device))
