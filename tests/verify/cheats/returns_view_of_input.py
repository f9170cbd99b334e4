"""Overwrites the input and returns a view of it.

Published: KernelBench#82.
Expected: rejected as aliases-input or input-modified
Eager: rejected as input-modified
"""

from _softmax import launch, softmax_kernel


def softmax(x):
    return launch(softmax_kernel, x, x).view(x.shape)
