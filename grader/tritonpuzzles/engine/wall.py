"""Which of the grader's own modules the worker's process may import: none that holds or judges an answer.

Nothing of ours imports more by mistake, and no submission by a plain import. Code that is bent on it can still read
the files: what keeps those away is where the grader is installed (docs/limits.md).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

OURS = "tritonpuzzles"
MAY = ("engine", "results", "wire", "hardware", "supported", "curriculum.baselines", "curriculum.families")


class Wall(MetaPathFinder):
    """A finder that finds nothing and refuses what lies behind the wall."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return nothing, so that the finders after this one are asked.

        Raises:
            ModuleNotFoundError: for a module of the grader's that is none of the worker's business.
        """
        if not may_import(fullname):
            raise ModuleNotFoundError(f"{fullname} is not to be had in the process of a submission", name=fullname)
        return None


def may_import(module: str) -> bool:
    """Return whether the worker may import a module; packages on the way to one that it may are open."""
    ours, _, rest = module.partition(".")
    if ours != OURS or not rest:
        return True
    return any(f"{rest}.".startswith(f"{name}.") or name.startswith(f"{rest}.") for name in MAY)


def raise_wall() -> None:
    """Refuse from now on what `may_import` does not allow."""
    sys.meta_path.insert(0, Wall())
