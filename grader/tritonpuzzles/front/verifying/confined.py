"""Confines this process itself, for references and cases of strangers, which it imports."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tritonpuzzles.front.errors import ExitCode, FrontError


def confine_here(folders: Iterable[Path]) -> None:
    """Let this process write no file but in a temporary folder of its own, and open no connection, for good.

    Workers are not held by this: they are forked by a process that was there before, and confined on their own. To be
    called before torch is imported, while there is one thread.

    Args:
        folders: that it may read, beside this one.

    Raises:
        FrontError: where the system cannot do so.
    """
    from tritonpuzzles.judge.workers.parent import warm_parent
    from tritonpuzzles.sandbox import Scratch
    from tritonpuzzles.sandbox.landlock import READ, WRITE, Grant, around, python, restrict, system

    os.environ["TMPDIR"] = str(Scratch().path)
    tempfile.tempdir = None  # it is looked for anew
    warm_parent()
    readable = around([*python(), Path.cwd(), *folders], ())
    try:
        restrict([*system(), *readable, Grant(Path(tempfile.gettempdir()), READ | WRITE)])
    except OSError as error:
        why = f"This system has no Landlock ({error.strerror}), without which --confined holds nothing."
        raise FrontError(why, "leave --confined out where you trust the reference", ExitCode.FAULT) from error
