"""Benches: files, PyTorch and a copy timed over sizes on a GPU, every timed result checked.

Importing this package is cheap; torch is imported by `bencher`.
"""
