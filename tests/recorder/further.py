"""A helper of a helper."""

import triton
import triton.language

HALF = triton.language.constexpr(0.5)


@triton.jit
def halved(v):
    return v * HALF
