"""The puzzles in Jupyter: notebooks made from the puzzle files, magics, and the way back to a file.

Terminal and notebook share files and state: a magic does what the command of its name does. Nothing here is imported
before it is asked for, and IPython, nbformat and jupytext only inside functions.
"""
