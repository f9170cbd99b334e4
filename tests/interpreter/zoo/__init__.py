"""Small kernels of every kind, each with a launch; the plain interpreter and the engine must agree on all of them."""

from __future__ import annotations

from . import arithmetic, atomics, control, matrix, movement, reductions, softmax
from .case import Case

CASES: list[Case] = [
    case for module in (arithmetic, atomics, control, matrix, movement, reductions, softmax) for case in module.CASES
]
