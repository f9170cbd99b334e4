"""Kernels from source text, for a process that never imports the file that contains them: `kernels.build_kernels`.

A text is checked for two things. *Safety*: names, attributes, calls and sizes (`check.py`). The interpreter runs the
text as Python, and Triton's compiler evaluates attributes, calls and operators on compile-time values; a text that
fails is passed to neither. *Style*: Python syntax that is not passed to the interpreter, and that the compiler rejects
by its name alone, such as `try` or `class`. It is passed to the compiler, whose messages learners know.
"""
