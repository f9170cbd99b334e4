"""Blocks every signal and sleeps.

Must: error timeout
"""

import signal
import time


def softmax(x):
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
    time.sleep(1e6)
