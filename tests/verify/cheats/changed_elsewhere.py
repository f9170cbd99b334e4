"""Shall change x in place, and returns memory of its own.

Published: Makora, KernelHacks (2025): output of another form.
Expected: rejected as wrong-type
Mutates: x
Eager: rejected as wrong-type
"""

from _softmax import softmax as honest


def softmax(x):
    return honest(x)
