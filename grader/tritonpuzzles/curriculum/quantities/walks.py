"""The walks that a record may name; each is made from the call's arguments, floating-point tensors as float64."""

from __future__ import annotations

from torch import Tensor

from tritonpuzzles.curriculum.quantities import Walk
from tritonpuzzles.curriculum.quantities.products import Product
from tritonpuzzles.curriculum.quantities.rows import Attention, Softmax


def softmax(x: Tensor) -> Walk:
    """Return the walk of a softmax along rows.

    x: (n_rows, n_cols)
    """
    return Softmax(x)


def attention(q: Tensor, k: Tensor, v: Tensor) -> Walk:
    """Return the walk of attention along keys.

    q, k, v: (n, d)
    """
    return Attention(q, k, v)


def matmul(a: Tensor, b: Tensor, activation: str = "") -> Walk:
    """Return the walk of a matrix product along k.

    a: (m, k), b: (k, n)
    """
    return Product(a, b, activation)
