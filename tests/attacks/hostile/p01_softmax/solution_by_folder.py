"""Describes a kernel in a folder of its own, which it replaces by a link again and again.

Must: fail | error
"""

import linecache
import os
import shutil
import threading
import time
from pathlib import Path

import torch
import triton
import triton.language as tl

PATH = str(Path(__file__).resolve().parents[1] / "clone" / "solutions" / "p01_softmax.py")
SOLUTIONS, FOLDER = os.path.dirname(PATH), os.path.abspath("mine")


def swap():
    """Have a module in a folder of its own and the solution stand in the same place, one after the other."""
    while True:
        os.makedirs(FOLDER)
        with open(f"{FOLDER}/p01_softmax.py", "w") as file:
            file.write(text)
        time.sleep(0.0002)
        shutil.rmtree(FOLDER)
        os.symlink(SOLUTIONS, FOLDER)
        time.sleep(0.0002)
        os.unlink(FOLDER)


PATH = f"{FOLDER}/p01_softmax.py"
LINE, NAME = 68, "softmax_kernel"
DEF = """@triton.jit
def softmax_kernel(
    x_ptr,
    y_ptr,
    x_row_stride,
    y_row_stride,
    n_cols,
    BLOCK_SIZE: tl.constexpr,
):
    tl.program_id, tl.int64, tl.arange, tl.load, tl.float32, tl.exp, tl.max, tl.sum, tl.store, float
"""
text = "\n" * (LINE - 2) + DEF
threading.Thread(target=swap, daemon=True).start()
linecache.cache[PATH] = (len(text), None, [line + "\n" for line in text.split("\n")], PATH)
space = {"triton": triton, "tl": tl, "__name__": "solution"}
exec(compile(text, PATH, "exec"), space)
k = space["softmax_kernel"]


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    k[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=triton.next_power_of_2(n_cols))
    return y
