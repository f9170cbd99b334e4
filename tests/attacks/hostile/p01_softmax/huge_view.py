"""Returns a view of one number that claims to have 2^60 elements.

Must: fail | error
"""

import torch


def softmax(x):
    return torch.empty(1, dtype=x.dtype, device=x.device).expand(1 << 30, 1 << 30)
