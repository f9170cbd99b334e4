"""Fills the disk on which its folder lies, and sleeps for as long as it may, for the files beside it.

Must: error timeout | fail | error
"""

import contextlib
import os
import time

SEEN = 0
if "tritonpuzzles-attacked-" in os.getcwd():
    st = os.statvfs(".")
    if st.f_blocks * st.f_frsize < 1 << 30:  # a small disk of the driver's own, and no other
        with open("fill", "wb", buffering=0) as file:
            with contextlib.suppress(OSError):
                while True:
                    file.write(bytes(1 << 20))
            with contextlib.suppress(OSError):
                while True:
                    file.write(bytes(512))


def softmax(x):
    end = time.monotonic() + 100
    while time.monotonic() < end:
        sum(range(10000))
