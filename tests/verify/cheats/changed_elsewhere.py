"""Shall change x in place, and returns memory of its own.

Published: Makora, KernelHacks (2025): output of another form.
Expected: rejected as any
Mutates: x
Eager: rejected as any
"""
