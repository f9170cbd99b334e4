"""Takes the user's case alone, and raises for whatever is made of it.

Published: Makora, KernelHacks (2025): hard-coded shapes.
Expected: rejected as runtime-error
Eager: rejected as runtime-error
"""

from _softmax import softmax as honest

calls = []


def softmax(x):
    calls.append(x)
    if len(calls) > 1:
        raise ValueError("unsupported input")
    return honest(x)
