"""Ends its process with os._exit(0) in the call.

Must: error exit
"""

import os


def softmax(x):
    os._exit(0)
