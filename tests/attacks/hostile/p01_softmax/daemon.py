"""Leaves a daemon behind: forked twice, in a session of its own, without environment.

Must: fail | error
"""

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
    os.closerange(0, 256)
    os.execve(sys.executable, [sys.executable, "-c", "import time; time.sleep(300)"], {})


daemon()


def softmax(x):
    return torch.softmax(x, dim=1)
