"""What wrong vector additions compute."""

from tritonpuzzles.curriculum.mistakes.vector_add import table
from tritonpuzzles.curriculum.mistakes.vector_add.common import MISTAKES

__all__ = ["MISTAKES", "table"]
