"""The reports that README and docs show are what the program prints."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_pages_show_what_the_commands_print() -> None:
    """Run `python docs/captures.py` after a change to a report."""
    command = [sys.executable, str(ROOT / "docs" / "captures.py"), "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
