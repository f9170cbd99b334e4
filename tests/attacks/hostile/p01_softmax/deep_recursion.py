"""Calls itself until the stack of the machine is used up.

Must: fail | error
"""

import sys

sys.setrecursionlimit(1 << 30)


def softmax(x):
    return list(map(softmax, [x]))  # through C, so that it is the machine's stack that ends
