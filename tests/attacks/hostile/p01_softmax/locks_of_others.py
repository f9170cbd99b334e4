"""Takes a lock on every file and folder that it can open, and keeps them in a process of its own.

Must: fail | error
"""

import contextlib
import fcntl
import os
import time

import torch


def softmax(x):
    if os.fork() == 0:
        kept = []
        for folder in (os.getcwd(), os.path.dirname(os.getcwd()), os.path.dirname(torch.__file__), "/proc/self"):
            for root, _folders, files in os.walk(folder):
                for name in (*files, ".")[:200]:
                    with contextlib.suppress(OSError):
                        kept.append(os.open(os.path.join(root, name), os.O_RDONLY))
                        fcntl.flock(kept[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
                if len(kept) > 3000:
                    break
        time.sleep(300)
    raise ValueError("locked")
