"""Leaves a daemon behind that spoils every job that comes after.

Must: fail | error
"""

import os
import sys
import tempfile

import torch

CODE = """
import sys, time
from pathlib import Path
assert "tritonpuzzles-attacked-" in sys.argv[1]
end = time.time() + 60
while time.time() < end:
    for path in Path(sys.argv[1]).glob("tritonpuzzles-*/job.json"):
        path.write_text("{}")
    time.sleep(0.002)
"""


def daemon():
    if os.fork():
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    os.closerange(0, 256)
    os.execve(sys.executable, [sys.executable, "-c", CODE, tempfile.gettempdir()], {})


daemon()


def softmax(x):
    return torch.softmax(x, dim=1)
