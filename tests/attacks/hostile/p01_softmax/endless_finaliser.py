"""Loops for ever when an object is thrown away.

Must: error timeout
"""

import torch


class Endless:
    def __del__(self):
        while True:
            pass


def softmax(x):
    Endless()
    return torch.softmax(x, dim=1)
