"""Shall change x in place, and leaves it as it is.

Published: wafer.ai's field guide (2026): no-op kernel.
Expected: rejected as nothing-written
Mutates: x
Eager: rejected as nothing-written
"""

from _softmax import nothing_kernel


def softmax(x):
    nothing_kernel[(1,)](x, x, x.shape[1])
