"""Helpers in another file than the kernels that use them, and what they in turn use."""

import triton
import triton.language as tl
from triton.language import maximum as larger

from . import further

FACTOR = tl.constexpr(2.0)


@triton.jit
def doubled(v):
    return v * FACTOR


@triton.jit
def positive(v):
    return larger(further.halved(doubled(v)), 0.0)
