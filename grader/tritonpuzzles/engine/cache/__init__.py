"""A model of a GPU's L2 cache for the memory accesses of launches: the bytes that DRAM moves, in sectors of 32 bytes.

Pure: numbers in, numbers out. The accesses come from the interpreter; nothing here depends on kernels.
"""
