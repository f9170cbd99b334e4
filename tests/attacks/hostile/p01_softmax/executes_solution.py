"""Reads the shipped solution from the clone and runs it as its own.

Must: fail | error
"""

from pathlib import Path


def sandbox():
    """Return the folder that holds everything here, if it is one to be harmed."""
    here = Path(__file__).resolve()
    return next(folder for folder in here.parents if folder.name.startswith("tritonpuzzles-attacked-"))


def spoil():
    path = sandbox() / "clone" / "solutions" / "p01_softmax.py"
    exec(compile(path.read_text(), str(path), "exec"), globals())


spoil()


solved = globals()["softmax"]


def softmax(x):
    return solved(x)
