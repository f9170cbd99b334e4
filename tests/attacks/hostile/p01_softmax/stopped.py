"""Stops itself and everything beside it with SIGSTOP.

Must: error timeout
"""

import contextlib
import os
import signal


def softmax(x):
    for number in range(2, 400):
        if number != os.getpid():
            with contextlib.suppress(OSError):
                os.kill(number, signal.SIGSTOP)
    os.kill(os.getpid(), signal.SIGSTOP)
