"""linkedin/Liger-Kernel: its autograd functions, forward and backward."""

from __future__ import annotations

import importlib
from typing import Any

import torch
import torch.nn.functional as F
from benchmarks.public import Kernel, differentiated


def _function(file: str, name: str) -> Any:
    return getattr(importlib.import_module(f"liger_kernel.ops.{file}"), f"Liger{name}Function").apply


def _kernel(file: str, name: str, reference: Any, *constants: Any, fixed: str = "", **case: Any) -> Kernel:
    function = _function(file, name)

    def run(**arguments: Any) -> Any:
        outputs = function(*arguments.values(), *constants)
        return outputs[0] if file in FIRST and isinstance(outputs, tuple) else outputs

    return Kernel(name, differentiated(run, fixed.split()), differentiated(reference, fixed.split()), [case])


FIRST = ("cross_entropy", "fused_linear_cross_entropy")  # the loss comes first, before what was not asked for


def _rms(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return F.rms_norm(x, x.shape[-1:], w, 1e-6)


def _fused_add(x: torch.Tensor, r: torch.Tensor, w: torch.Tensor) -> list[torch.Tensor]:
    return [_rms(x + r, w), x + r]


def _modulated(x: torch.Tensor, w: torch.Tensor, scale: torch.Tensor, shift: torch.Tensor) -> torch.Tensor:
    return _rms(x, w) * (1 + scale[:, None]) + shift[:, None]


def _poly_norm(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    parts = [F.rms_norm(x**power, x.shape[-1:], None, 1e-6) for power in (3, 2, 1)]
    return w[0] * parts[0] + w[1] * parts[1] + w[2] * parts[2] + b


def _rotated(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    left, right = x.chunk(2, dim=-1)
    return x * cos[:, None] + torch.cat([-right, left], dim=-1) * sin[:, None]


def _rope(q: torch.Tensor, k: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> list[torch.Tensor]:
    return [_rotated(q, cos, sin), _rotated(k, cos, sin)]


def _sparsemax(x: torch.Tensor) -> torch.Tensor:
    ordered = x.sort(dim=-1, descending=True).values
    k = torch.arange(1, x.shape[-1] + 1, dtype=x.dtype)
    sums = ordered.cumsum(-1)
    size = (1 + k * ordered > sums).sum(-1, keepdim=True)
    return (x - (sums.gather(-1, size - 1) - 1) / size).clamp(min=0)


def _jsd(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    middle = torch.log((x.exp() + y.exp()) / 2)
    parts = (F.kl_div(middle, one, log_target=True, reduction="sum") for one in (x, y))
    return 0.5 * sum(parts) / len(x)


def _linear_cross_entropy(x: torch.Tensor, w: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    return F.cross_entropy(x @ w.T, target)


def _table(n: int, d: int) -> tuple[torch.Tensor, torch.Tensor]:
    angles = torch.randn(1, n, d // 2).repeat(1, 1, 2)
    return angles.cos(), angles.sin()


COS, SIN = _table(9, 16)
LABELS = torch.randint(0, 100, (9,))
KERNELS = [
    _kernel("softmax", "Softmax", lambda x: torch.softmax(x, -1), x=torch.randn(5, 300)),
    _kernel("sparsemax", "Sparsemax", _sparsemax, -1, x=torch.randn(5, 100)),
    _kernel("relu_squared", "ReLUSquared", lambda x: F.relu(x) ** 2, x=torch.randn(5, 300)),
    _kernel("swiglu", "SiLUMul", lambda a, b: F.silu(a) * b, a=torch.randn(5, 300), b=torch.randn(5, 300)),
    _kernel(
        "geglu", "GELUMul", lambda a, b: F.gelu(a, approximate="tanh") * b, a=torch.randn(5, 300), b=torch.randn(5, 300)
    ),
    _kernel(
        "layer_norm",
        "LayerNorm",
        lambda x, w, b: F.layer_norm(x, x.shape[-1:], w, b, 1e-5),
        1e-5,
        x=torch.randn(9, 200),
        w=torch.randn(200),
        b=torch.randn(200),
    ),
    _kernel("rms_norm", "RMSNorm", _rms, 1e-6, 0.0, "llama", False, x=torch.randn(9, 200), w=torch.randn(200)),
    _kernel(
        "fused_add_rms_norm",
        "FusedAddRMSNorm",
        _fused_add,
        1e-6,
        x=torch.randn(9, 200),
        r=torch.randn(9, 200),
        w=torch.randn(200),
    ),
    _kernel(
        "modulated_rms_norm",
        "ModulatedRMSNorm",
        _modulated,
        1e-6,
        0.0,
        "llama",
        False,
        x=torch.randn(3, 5, 64),
        w=torch.randn(64),
        scale=torch.randn(3, 64),
        shift=torch.randn(3, 64),
    ),
    _kernel(
        "group_norm",
        "GroupNorm",
        lambda x, w, b: F.group_norm(x, 3, w, b, 1e-5),
        12,
        3,
        1e-5,
        x=torch.randn(2, 12, 50),
        w=torch.randn(12),
        b=torch.randn(12),
    ),
    _kernel(
        "poly_norm", "PolyNorm", _poly_norm, 1e-6, False, x=torch.randn(5, 100), w=torch.rand(3), b=torch.randn(())
    ),
    _kernel(
        "cross_entropy", "CrossEntropy", lambda x, t, w: F.cross_entropy(x, t), x=torch.randn(9, 100), t=LABELS, w=None
    ),
    _kernel(
        "fused_linear_cross_entropy",
        "FusedLinearCrossEntropy",
        _linear_cross_entropy,
        x=torch.randn(9, 40),
        w=torch.randn(100, 40),
        target=LABELS,
    ),
    _kernel(
        "kl_div",
        "KLDivLoss",
        lambda x, y: F.kl_div(x, y, reduction="batchmean"),
        x=torch.randn(9, 100).log_softmax(-1),
        y=torch.rand(9, 100),
        fixed="y",
    ),
    _kernel(
        "tvd",
        "TVDLoss",
        lambda p, q: 0.5 * (p - q).abs().sum() / len(p),
        p=torch.randn(9, 100).softmax(-1),
        q=torch.randn(9, 100).softmax(-1),
        fixed="q",
    ),
    _kernel(
        "jsd", "JSD", _jsd, x=torch.randn(9, 100).log_softmax(-1), y=torch.randn(9, 100).log_softmax(-1), fixed="y"
    ),
    _kernel(
        "rope", "Rope", _rope, q=torch.randn(1, 4, 9, 16), k=torch.randn(1, 2, 9, 16), cos=COS, sin=SIN, fixed="cos sin"
    ),
]
