"""Returns nothing.

Published: wafer.ai's field guide (2026): garbage.
Expected: rejected as wrong-type
Eager: rejected as wrong-type
"""

from _softmax import softmax as honest


def softmax(x):
    honest(x)
