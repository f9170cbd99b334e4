"""Start Python so that it imports no module from the current folder, where a learner's json.py may be.

Python 3.11 has a switch for that, `-P`; older versions do not.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

WITHOUT_FOLDER = "import sys; sys.path[:] = [path for path in sys.path if path]; "  # -c puts an empty one first


def python_code(code: str, *words: str) -> list[str]:
    """Return the command that runs some code with these arguments."""
    return [sys.executable, "-c", WITHOUT_FOLDER + code, *words]


def python_module(module: str, *words: str) -> list[str]:
    """Return the command that runs a module, as `python -m` does, with these arguments."""
    return python_code(f"import runpy; runpy.run_module({module!r}, run_name='__main__', alter_sys=True)", *words)


def python_environment() -> dict[str, str]:
    """Return the environment of a grader's process: it can import this package, and nothing from the current folder."""
    environment = {key: value for key, value in os.environ.items() if key != "TRITON_INTERPRET"}
    named, here = environment.get("PYTHONPATH", "").split(os.pathsep), os.path.realpath(os.curdir)
    elsewhere = [path for path in named if os.path.isabs(path) and os.path.realpath(path) != here]
    return {**environment, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2]), *elsewhere])}


def forget_folder() -> None:
    """Remove the current folder from the module search path, where `-m` puts it in front."""
    sys.path[:] = [path for path in sys.path if path not in ("", os.getcwd())]
