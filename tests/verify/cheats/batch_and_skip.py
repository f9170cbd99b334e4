"""Computes all known inputs in the first call, and only looks results up in the others.

Published: reference-kernels#104.
Expected: rejected as cached-answer
Eager: rejected as cached-answer or no-launch
"""

from _softmax import softmax as compute

inputs, results = [], []


def softmax(x):
    inputs.append(x)
    if not results:
        results.extend(compute(known) for known in inputs)
    return results[min(len(inputs), len(results)) - 1]
