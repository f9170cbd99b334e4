"""Forks until there are some dozens of processes, each in a session of its own.

Must: fail | error
"""

import os
import time

import torch


def multiply(depth):
    for _ in range(2):
        if os.fork() == 0:
            os.setsid()
            if depth:
                multiply(depth - 1)
            time.sleep(120)
            os._exit(0)


multiply(4)


def softmax(x):
    return torch.softmax(x, dim=1)
