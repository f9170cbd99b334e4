"""What holds a submission on this machine: tried in a process of its own, since none of it can be undone."""

from __future__ import annotations

import json
import subprocess

from tritonpuzzles.sandbox.confine import confine
from tritonpuzzles.sandbox.held import Held
from tritonpuzzles.sandbox.interpreter import python_code, python_environment
from tritonpuzzles.sandbox.supervisor import supervise

SECONDS = 60


def report() -> Held:
    """Confine a process that does nothing, and return what it tells; `str` of it is a sentence."""
    try:
        done = subprocess.run(
            python_code(f"from {__name__} import tell; tell()"),
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


def tell() -> None:
    """Confine this process, which does nothing else, and print as JSON what holds it."""
    held = supervise() + confine([])
    print(json.dumps({"holds": held.holds, "missing": held.missing}), flush=True)
