"""Loops for ever in the call.

Must: error timeout
"""


def softmax(x):
    while True:
        pass
