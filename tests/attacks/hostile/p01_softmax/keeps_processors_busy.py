"""Keeps every processor busy with sixty processes, each in a session of its own, for as long as it may.

Must: error timeout
"""

import os
import signal
import time

for _ in range(60):
    if os.fork() == 0:
        os.setsid()
        signal.alarm(60)
        while True:
            pass


def softmax(x):
    while True:
        time.sleep(0.01)
