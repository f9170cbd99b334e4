"""The plain interpreter's results, computed once in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def plain_results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What each kernel of the zoo leaves in its tensors under Triton's own interpreter."""
    out = tmp_path_factory.mktemp("plain") / "results.pt"
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    command = [sys.executable, "-m", "tests.interpreter.plain", str(out)]
    subprocess.run(command, cwd=ROOT, env=environment, check=True)
    return torch.load(out, weights_only=True)
