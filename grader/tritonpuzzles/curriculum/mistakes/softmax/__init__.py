"""What wrong softmax kernels compute, by kind."""

from tritonpuzzles.curriculum.mistakes.softmax import (
    edges,
    exponents,
    formula,
    one_tile,
    online,
    precision,
    rows,
    steps,
    turns,
)
from tritonpuzzles.curriculum.mistakes.softmax.common import MISTAKES

__all__ = ["MISTAKES", "edges", "exponents", "formula", "one_tile", "online", "precision", "rows", "steps", "turns"]
