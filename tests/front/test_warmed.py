"""A host function that compiles its kernel to size its grid, checked by the real program.

What a worker process writes lies in its own folder: whoever has asked for a folder before the fork must not decide.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
FILE = ROOT / "tests" / "mutants" / "p06_persistent_softmax" / "right" / "warmed_up.py"


def test_a_kernel_that_its_host_function_compiles_passes() -> None:
    asked = ["check", "6", "--device", "cpu", "--seed", "1"]
    command = [sys.executable, "-m", "tritonpuzzles", *asked, "--file", str(FILE), "--case", "one column"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "grader")}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
