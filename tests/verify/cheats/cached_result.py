"""Keeps the first result of each shape and returns it again.

Published: wafer.ai's field guide (2026): cached results.
Expected: rejected as cached-answer or wrong-memory or foreign-tensor
Eager: rejected as cached-answer or wrong-values or no-launch
"""

from _softmax import softmax as compute

kept = {}


def softmax(x):
    key = tuple(x.shape), x.dtype
    if key not in kept:
        kept[key] = compute(x)
    return kept[key]
