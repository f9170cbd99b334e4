"""Numbered Triton puzzles, from naive softmax to FlashAttention-2, and a grader that teaches."""

__version__ = "0.1.0"
