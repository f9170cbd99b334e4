"""The puzzles in Jupyter: notebooks made from the puzzle files, magics, and the way back to a file.

Terminal and notebook share files and state: a magic does what the command of that name does. Modules are imported only
when they are needed; IPython, nbformat and jupytext only inside functions.
"""
