"""Which of the grader's own modules recorder and engine may import: none that holds or judges an answer.

Neither our own code by mistake nor a submission by a plain import can import more. Where the system supports it,
the sandbox also makes the files unreadable (docs/limits.md).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

OURS = "tritonpuzzles"
MAY = (
    *("recorder", "engine", "compiler", "results", "wire", "hardware", "sandbox", "supported", "wall", "forkserver"),
    *("memory", "insides", "source", "decoding"),
    *("curriculum.baselines", "curriculum.families"),
)


class Wall(MetaPathFinder):
    """An import finder that finds nothing, and refuses modules behind the wall."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return nothing, so that the finders after this one are asked.

        Raises ModuleNotFoundError for a module of the grader that a worker may not import.
        """
        if not may_import(fullname):
            raise ModuleNotFoundError(f"{fullname} is not available in the process of a submission", name=fullname)
        return None


def may_import(module: str) -> bool:
    """Return whether the worker may import a module, or the parent package of one."""
    ours, _, rest = module.partition(".")
    if ours != OURS or not rest:
        return True
    return any(f"{rest}.".startswith(f"{name}.") or name.startswith(f"{rest}.") for name in MAY)


def walled_off() -> list[Path]:
    """Return the grader's files and folders behind the wall: records, references, solutions, the judge."""
    package = Path(__file__).parent
    open_to_all = {package / "__init__.py", package / "__pycache__", package / "curriculum" / "__init__.py"}
    entries = {*package.iterdir(), *(package / "curriculum").iterdir()} - open_to_all
    names = {path: ".".join(path.relative_to(package.parent).with_suffix("").parts) for path in entries}
    return [path for path, name in names.items() if not may_import(name)]


def raise_wall() -> None:
    """Refuse from now on what `may_import` does not allow."""
    sys.meta_path.insert(0, Wall())
