"""Imports the shipped solution as a module and calls it.

Must: fail | error
"""

import importlib.util
import sys
from pathlib import Path


def solution():
    here = Path(sys.modules["tritonpuzzles"].__file__).parents[2] / "solutions" / "p01_softmax.py"
    spec = importlib.util.spec_from_file_location("solution", here)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def softmax(x):
    return solution().softmax(x)
