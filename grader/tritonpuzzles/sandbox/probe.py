"""What holds a submission on this machine: tried in a process of its own, since none of it can be undone."""

from __future__ import annotations

import json
import subprocess

from tritonpuzzles.sandbox.held import Held
from tritonpuzzles.sandbox.interpreter import python_environment, python_module

SECONDS = 60


def report() -> Held:
    """Confine a process that does nothing, and return what it tells; `str` of it is a sentence."""
    try:
        done = subprocess.run(
            python_module(__package__),
            env=python_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=True,
        )
        told = json.loads(done.stdout)
        return Held(tuple(told["holds"]), tuple(told["missing"]))
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        return Held(missing=(f"a trial of it failed: {error}",))
