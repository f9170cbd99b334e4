"""Keeps results by the address of the input.

Published: wafer.ai's field guide (2026): a cache by pointers.
Expected: rejected as cached-answer or wrong-memory or foreign-tensor
Eager: rejected as cached-answer or wrong-values or no-launch
"""

from _softmax import softmax as compute

kept = {}


def softmax(x):
    key = x.data_ptr(), tuple(x.shape), x.stride()
    if key not in kept:
        kept[key] = compute(x)
    return kept[key]
