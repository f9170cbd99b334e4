"""What wrong matrix products with gradients compute, by kind."""

from tritonpuzzles.curriculum.mistakes.dot import factors, kernel, passes, products
from tritonpuzzles.curriculum.mistakes.dot.common import MISTAKES

__all__ = ["MISTAKES", "factors", "kernel", "passes", "products"]
