"""Replaces every clock by one that tells NaN, and CUDA's events by ones that tell nothing has passed.

Must: fail | error
"""

import time

import torch


class Event:
    def __init__(self, **options):
        pass

    def record(self, stream=None):
        pass

    def synchronize(self):
        pass

    def elapsed_time(self, other):
        return 1e-9


time.perf_counter = time.monotonic = time.time = lambda: float("nan")
torch.cuda.Event = Event


def softmax(x):
    return torch.softmax(x, dim=1)
