"""Raises SystemExit(0) in the call.

Must: error exit
"""

import sys


def softmax(x):
    sys.exit(0)
