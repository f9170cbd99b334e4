"""Kernels from text, for a process that never imports the file that they stand in: `kernels.build_kernels`.

What a text may say is decided twice. *Safety*: names, attributes, calls and sizes (`check.py`). The interpreter runs
the text as Python, and Triton's compiler evaluates attributes, calls and operators on all that it knows; a text that
fails here is shown to neither. *Style*: parts of Python that the interpreter is not given, and that the compiler
rejects by their name alone, such as `try` or `class`. The compiler gets these: its words are those that learners know.
"""
