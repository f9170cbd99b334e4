"""A model of the time of a call's launches on a GPU: a few limits, and the one that is reached.

Pure: memory traffic of the launches and counts from their machine code in; microseconds and a reason out. See
docs/speed.md.
"""
