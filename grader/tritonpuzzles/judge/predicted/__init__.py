"""The speed of a right kernel on a GPU that need not be here, from what it asks of memory and its machine code."""
