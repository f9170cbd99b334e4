"""What wrong matrix products compute."""

from tritonpuzzles.curriculum.mistakes.matmul import places, sums
from tritonpuzzles.curriculum.mistakes.matmul.common import MISTAKES

__all__ = ["MISTAKES", "places", "sums"]
