"""A child process that tries a deed, free or confined: what fails confined must work free, or it shows nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PACKAGES = Path(__file__).parents[2] / "grader"
CONFINED = """
from pathlib import Path
from tritonpuzzles import sandbox
held = sandbox.confine([Path({folder!r})], [Path(p) for p in {readable!r}], [Path(p) for p in {secrets!r}])
"""
TRY = """
try:
{deed}
    print("done", flush=True)
except BaseException as error:
    print(type(error).__name__, flush=True)
"""


def run(code: str, folder: Path, timeout: float = 60, **options: object) -> str:
    """Return what a new interpreter prints when it runs some code in a folder."""
    environment = {**os.environ, "PYTHONPATH": str(PACKAGES), "TMPDIR": str(folder)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(  # type: ignore[call-overload]
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=timeout, **options
    )
    assert not done.returncode, done.stderr
    printed: str = done.stdout
    return printed.strip()


def confined(folder: Path, readable: tuple[Path, ...] = (), secrets: tuple[Path, ...] = ()) -> str:
    """Return the lines that confine a process to a folder."""
    lists = [[str(path) for path in paths] for paths in (readable, secrets)]
    return CONFINED.format(folder=str(folder), readable=lists[0], secrets=lists[1])


def tried(deed: str) -> str:
    """Return the lines that try a deed and print how it ended: "done", or the name of the error."""
    return TRY.format(deed="".join(f"    {line}\n" for line in deed.splitlines()))
