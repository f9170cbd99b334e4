"""What wrong attention kernels compute: a machine, and tables of what deviates in it."""

from tritonpuzzles.curriculum.mistakes.attention import reads, scores, state
from tritonpuzzles.curriculum.mistakes.attention.machine import MISTAKES

__all__ = ["MISTAKES", "reads", "scores", "state"]
