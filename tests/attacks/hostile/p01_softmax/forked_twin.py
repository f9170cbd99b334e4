"""Forks in the first call, so that two processes tell of the same cases.

Must: fail | error
"""

import os

import torch

forked = []


def softmax(x):
    if not forked:
        forked.append(os.fork())
    return torch.softmax(x, dim=1)
