"""Sends every signal to the first process of its namespace, which waits for it.

Must: fail | error
"""

import contextlib
import os


def softmax(x):
    for number in range(1, 65):
        with contextlib.suppress(OSError):
            os.kill(1, number)
    for number in range(1, 65):
        with contextlib.suppress(OSError):
            os.kill(os.getppid(), number)
    raise ValueError("still there")
