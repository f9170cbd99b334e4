"""IPython's shell, where this runs in one."""

from __future__ import annotations

import sys
from typing import Any


def running_shell() -> Any:
    """Return the shell of the notebook or terminal that runs this; `None` in a plain Python, which imports nothing."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None
