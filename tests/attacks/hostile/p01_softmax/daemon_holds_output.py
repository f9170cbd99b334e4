"""Leaves a daemon behind that holds every pipe open.

Must: fail | error
"""

import contextlib
import os
import sys

import torch


def daemon():
    """Leave a process behind that no session, no environment and no parent connects to this one."""
    if os.fork():
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    os.chdir("/")
    for descriptor in range(3, 256):
        with contextlib.suppress(OSError):
            os.set_inheritable(descriptor, True)
    os.execve(sys.executable, [sys.executable, "-c", "import time; time.sleep(300)"], {})


daemon()


def softmax(x):
    return torch.softmax(x, dim=1)
