"""What wrong attention kernels compute, by kind.

`tiles` comes first: other modules add further forms of its mistakes.
"""

from tritonpuzzles.curriculum.mistakes.attention import tiles  # isort: skip
from tritonpuzzles.curriculum.mistakes.attention import edges, formula, precision, rescaling, turns, weights
from tritonpuzzles.curriculum.mistakes.attention.common import MISTAKES

__all__ = ["MISTAKES", "edges", "formula", "precision", "rescaling", "tiles", "turns", "weights"]
