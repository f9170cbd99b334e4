"""What wrong softmax kernels compute, by kind."""

from tritonpuzzles.curriculum.mistakes.softmax import edges, formula, online, rows, tiles
from tritonpuzzles.curriculum.mistakes.softmax.machine import MISTAKES

__all__ = ["MISTAKES", "edges", "formula", "online", "rows", "tiles"]
