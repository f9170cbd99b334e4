"""Writes into a pipe that nobody empties.

Must: error timeout
"""

import os


def softmax(x):
    _, write_end = os.pipe()
    while True:
        os.write(write_end, b"x" * 65_536)
