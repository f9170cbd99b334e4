"""BobMcDear/attorch: each of its layers has the name, the parameters and the meaning of one of torch.nn."""

from __future__ import annotations

from typing import Any

import attorch
import torch
from benchmarks.public import Kernel, differentiated
from torch import nn

ACTIVATIONS = (
    "Sigmoid", "LogSigmoid", "Tanh", "ReLU", "GELU", "SiLU", "ReLU6", "Hardsigmoid", "Hardtanh", "Hardswish", "SELU",
    "Mish", "Softplus", "Softsign", "Tanhshrink", "LeakyReLU", "ELU", "CELU", "Hardshrink", "Softshrink",
)  # fmt: skip
LOSSES = ("L1Loss", "MSELoss", "SmoothL1Loss", "HuberLoss")


def _pair(name: str, *parameters: Any, **case: Any) -> Kernel:
    ours, theirs = getattr(nn, name)(*parameters), getattr(attorch, name)(*parameters)
    run, reference = (differentiated(lambda f=f, **x: f(*x.values()), fixed=("target",)) for f in (theirs, ours))
    return Kernel(name, run, reference, [case])


def _with_weights(name: str, *parameters: Any, x: torch.Tensor) -> Kernel:
    ours, theirs = getattr(nn, name)(*parameters), getattr(attorch, name)(*parameters, device="cpu")
    weights = {key: torch.randn_like(value) for key, value in theirs.named_parameters()}

    def run(module: nn.Module, **arguments: Any) -> Any:
        given = dict(arguments)
        return torch.func.functional_call(module, {key: given.pop(key) for key in weights}, (given["x"],))

    return Kernel(
        name,
        differentiated(lambda **a: run(theirs, **a)),
        differentiated(lambda **a: run(ours, **a)),
        [dict(weights, x=x)],
    )


KERNELS = [
    *(_pair(name, x=torch.randn(7, 300)) for name in ACTIVATIONS),
    *(_pair(name, x=torch.randn(6, 100), target=torch.randn(6, 100)) for name in LOSSES),
    _pair("Softmax", 1, x=torch.randn(5, 300)),
    _pair("LogSoftmax", 1, x=torch.randn(5, 300)),
    _pair("Softmin", 1, x=torch.randn(5, 300)),
    _pair("GLU", 1, x=torch.randn(5, 300)),
    _pair("CrossEntropyLoss", x=torch.randn(9, 100), target=torch.randint(0, 100, (9,))),
    _pair("NLLLoss", x=torch.randn(9, 100).log_softmax(1), target=torch.randint(0, 100, (9,))),
    _with_weights("LayerNorm", 200, x=torch.randn(9, 200)),
    _with_weights("RMSNorm", 200, x=torch.randn(9, 200)),
    _with_weights("Conv2d", 4, 6, 3, x=torch.randn(2, 4, 9, 8)),
]
