"""Sets the recursion limit to 60, which leaves the grader's own code no room.

Must: fail | error
"""

import contextlib
import sys

import torch


def softmax(x):
    with contextlib.suppress(RecursionError):
        sys.setrecursionlimit(60)
    return torch.softmax(x, dim=1)
