"""Everything of the language under its own name, and everything of a helper's file."""

import triton
import triton.language as tl
from triton.language import *  # noqa: F403

from tests.recorder.elsewhere import *  # noqa: F403


@triton.jit
def starred(x, y, n, B: constexpr):  # noqa: F405
    cols = arange(0, B)  # noqa: F405
    v = doubled(load(x + cols))  # noqa: F405
    v = v + sum(v, axis=0)
    store(y + cols, max(v, axis=0) + zeros((B,), float32) + tl.exp(v) * FACTOR)  # noqa: F405
