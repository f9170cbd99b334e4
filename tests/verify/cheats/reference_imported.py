"""Calls the reference, which it finds beside itself.

Published: Kevin, arXiv:2507.11948: inherits from the reference.
Expected: rejected as torch-compute or no-launch
"""

from _reference import softmax as reference


def softmax(x):
    return reference(x)
