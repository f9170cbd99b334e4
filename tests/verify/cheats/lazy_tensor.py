"""Returns a tensor of its own kind, which computes when it is looked at.

Published: wafer.ai's field guide (2026): lazy evaluation.
Expected: rejected as wrong-type
Eager: rejected as no-launch
"""

import torch


class Lazy(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        with torch._C.DisableTorchFunctionSubclass():
            plain = [torch.softmax(a.as_subclass(torch.Tensor), -1) if isinstance(a, Lazy) else a for a in args]
            return function(*plain, **(kwargs or {}))


def softmax(x):
    return x.as_subclass(Lazy)
