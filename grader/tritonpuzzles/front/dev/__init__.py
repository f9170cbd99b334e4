"""For authors: whether a puzzle holds what it promises, shown on wrong and right kernels."""
