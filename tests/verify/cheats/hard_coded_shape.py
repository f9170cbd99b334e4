"""Takes the sizes of the user's case for all sizes.

Published: Makora, KernelHacks (2025): hard-coded shapes.
Expected: rejected as strides-assumed or out-of-bounds-load or wrong-shape
"""

import torch
from _softmax import softmax_kernel


def softmax(x):
    y = torch.empty((5, 70), dtype=x.dtype, device=x.device)
    softmax_kernel[(5,)](x, y, 70, 1, 70, 1, 70, BLOCK_SIZE=128)
    return y
