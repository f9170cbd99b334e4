"""Other systems than Linux, for which there is no Triton: what grades says so, all else works there too."""

from __future__ import annotations

import sys

from tritonpuzzles.front.errors import ExitCode, FrontError


def grades_here() -> bool:
    """Return whether kernels can be compiled and run on this system."""
    return sys.platform == "linux"


def refuse_elsewhere() -> None:
    """Refuse to grade where there is no Triton.

    Raises:
        FrontError: on another system than Linux, with where it works.
    """
    if not grades_here():
        said = "Triton runs on Linux alone: check in a container, in WSL 2 on Windows, or in Colab."
        raise FrontError(said, "tritonpuzzles docs elsewhere (list, show, hint, words work here)", ExitCode.FAULT)
