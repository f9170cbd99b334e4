"""What wrong matrix products with gradients compute."""

from tritonpuzzles.curriculum.mistakes.dot import products, table
from tritonpuzzles.curriculum.mistakes.dot.common import MISTAKES

__all__ = ["MISTAKES", "products", "table"]
