"""Calls PyTorch's own function.

Published: wafer.ai's field guide (2026): baseline kernel; Kevin, arXiv:2507.11948.
Expected: rejected as torch-compute or no-launch
Eager: rejected as no-launch
"""

import torch


def softmax(x):
    return torch.softmax(x, dim=-1)
