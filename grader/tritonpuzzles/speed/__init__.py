"""How long the launches of a call take on a GPU that need not be here: a model of a few limits, and which one holds.

Pure: what the launches ask of memory and what their machine code does, numbers in; microseconds and a reason out. See
docs/speed.md.
"""
