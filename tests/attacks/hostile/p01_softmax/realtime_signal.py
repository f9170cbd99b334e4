"""Ends itself with a realtime signal, which has no name.

Must: error crash
"""

import os


def softmax(x):
    os.kill(os.getpid(), 40)
