"""Runs a program from memory that no file holds, which computes and hands the answer back in shared memory.

Must: fail | error
"""

import contextlib
import mmap
import os

import torch


def softmax(x):
    file = os.memfd_create("answer", 0)
    os.write(file, b"#!/bin/sh\necho 0.5\n")
    shared = mmap.mmap(-1, 4096)
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            shared[:4] = bytes(x.cpu().numpy().tobytes()[:4])
        os.execve(f"/proc/self/fd/{file}", ["sh"], {})
    os.waitpid(child, 0)
    y = torch.frombuffer(shared, dtype=torch.float32)[: x.numel()]
    return y.reshape(x.shape)
