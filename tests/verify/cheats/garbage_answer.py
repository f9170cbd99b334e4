"""Looks through all living objects for a tensor that could be the answer.

Published: pygpubench#7, pygpubench#23.
Expected: rejected as wrong-values or foreign-tensor
Eager: rejected as cached-answer or wrong-values or tampering
"""

import gc

import torch
from _softmax import copy_kernel, launch


def is_softmax(y):
    return bool((y >= 0).all() and ((y.sum(-1) - 1).abs() < 1e-6).all())


def found(x):
    for value in gc.get_objects():
        if (
            type(value) is torch.Tensor
            and value.shape == x.shape
            and value.dtype == torch.float64
            and is_softmax(value)
        ):
            return value.to(x.dtype)
    return x


def softmax(x):
    return launch(copy_kernel, found(x), torch.empty(x.shape, dtype=x.dtype, device=x.device))
