"""Reads address 0.

Must: error crash
"""

import ctypes


def softmax(x):
    return ctypes.string_at(0)
