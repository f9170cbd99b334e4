"""A model of a GPU's L2 cache over what launches touch: how many bytes DRAM moves, in whole sectors of 32 bytes.

Pure: numbers in, numbers out. What a launch touches comes from the interpreter; nothing here knows of kernels.
"""
