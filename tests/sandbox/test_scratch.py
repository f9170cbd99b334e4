"""A folder that somebody uses stays; one whose process was killed goes as soon as another process looks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.sandbox.child import PACKAGES
from tritonpuzzles.sandbox import Scratch, remove_abandoned

HOLDS = "from tritonpuzzles.sandbox import Scratch\nimport time\nprint(Scratch().path, flush=True)\ntime.sleep(600)\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the temporary directory, of this process and of those that it starts."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def aged(path: Path) -> Path:
    """Make a folder as old as one that its process must have locked."""
    os.utime(path, (0, 0))
    return path


def test_its_process_removes_it(place: Path) -> None:
    scratch = Scratch()
    (scratch.path / "inner").mkdir()
    (scratch.path / "inner" / "file").write_text("mine")
    remove_abandoned()
    assert (aged(scratch.path) / "inner" / "file").exists()
    remove_abandoned()
    assert (scratch.path / "inner" / "file").exists()
    scratch.remove()
    scratch.remove()
    assert list(place.iterdir()) == []


def test_what_a_killed_process_leaves(place: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(PACKAGES)}
    with subprocess.Popen([sys.executable, "-c", HOLDS], stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        left = aged(Path(process.stdout.readline().strip()))
        (left / "file").write_text("mine")
        aged(left)
        remove_abandoned()
        assert (left / "file").exists()
        process.send_signal(signal.SIGKILL)
    (place / "tritonpuzzles-held-link").symlink_to(place / "kept")
    (place / "kept").mkdir()
    (place / "tritonpuzzles-held-young").mkdir()
    remove_abandoned()
    assert {path.name for path in place.iterdir()} == {"kept", "tritonpuzzles-held-link", "tritonpuzzles-held-young"}
