"""Raises an exception whose class, text and traceback lie.

Must: fail | error
"""

import os


class Odd(BaseException):
    __name__ = property(lambda self: 1 / 0)
    __traceback__ = None

    def __str__(self):
        os.write(2, b"asked")
        return "\ud800" * 10_000_000


def softmax(x):
    raise Odd
