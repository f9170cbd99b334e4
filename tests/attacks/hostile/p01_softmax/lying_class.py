"""Returns an object that says it is a Tensor and answers what a tensor would.

Must: fail | error
"""

import torch


class Likeness:
    """Passes every question on to PyTorch's answer."""

    def __init__(self, answer):
        self.answer = answer

    __class__ = property(lambda self: torch.Tensor)

    def __getattr__(self, name):
        return getattr(self.answer, name)


def softmax(x):
    return Likeness(torch.softmax(x, dim=1))
