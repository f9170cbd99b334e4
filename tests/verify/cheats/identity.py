"""Returns the input.

Published: wafer.ai's field guide (2026): identity kernel.
Expected: rejected as aliases-input
Eager: rejected as aliases-input or no-launch or wrong-values
"""


def softmax(x):
    return x
