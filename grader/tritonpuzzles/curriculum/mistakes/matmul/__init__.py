"""What wrong matrix products compute, by kind."""

from tritonpuzzles.curriculum.mistakes.matmul import places, turns, values
from tritonpuzzles.curriculum.mistakes.matmul.common import MISTAKES

__all__ = ["MISTAKES", "places", "turns", "values"]
