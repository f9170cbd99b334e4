"""The truth about the cheats beside it."""

import torch


def softmax(x):
    return torch.softmax(x, dim=-1)
