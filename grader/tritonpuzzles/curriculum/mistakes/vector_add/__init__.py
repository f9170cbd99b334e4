"""What wrong vector additions compute, by kind."""

from tritonpuzzles.curriculum.mistakes.vector_add import tiles, values
from tritonpuzzles.curriculum.mistakes.vector_add.common import MISTAKES

__all__ = ["MISTAKES", "tiles", "values"]
