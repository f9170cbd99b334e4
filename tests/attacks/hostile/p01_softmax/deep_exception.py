"""Raises an exception whose causes form a chain of thousands, with a text that raises.

Must: fail | error
"""


class Deep(Exception):
    def __str__(self):
        raise RecursionError("no text")

    __repr__ = __str__


def softmax(x):
    error = None
    for _ in range(20_000):
        following = Deep()
        following.__cause__, error = error, following
    raise error
