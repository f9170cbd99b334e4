"""What wrong matrix products compute, by kind.

`turns` comes first: other modules add further forms of its mistakes.
"""

from tritonpuzzles.curriculum.mistakes.matmul import turns  # isort: skip
from tritonpuzzles.curriculum.mistakes.matmul import activation, addresses, persistent, places, precision
from tritonpuzzles.curriculum.mistakes.matmul.common import MISTAKES

__all__ = ["MISTAKES", "activation", "addresses", "persistent", "places", "precision", "turns"]
