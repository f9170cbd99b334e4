"""What a process and its descendants have computed, also while they come and go."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tritonpuzzles.sandbox import computed_by

# A bit more than is asked for below: the kernel counts hundredths of a second, and rounds them down.
WORKS = "import time\nwhile time.process_time() < 0.35: pass\nprint(1, flush=True)\ninput()"
STARTS = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {WORKS!r}])"


def test_what_a_child_computes_counts_as_long_as_it_runs_and_nothing_after_the_end() -> None:
    with subprocess.Popen([sys.executable, "-c", STARTS], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert computed_by(process.pid) >= 0.3
        process.communicate(b"\n")
    assert computed_by(process.pid) == 0


def test_one_that_ends_while_it_is_looked_at_has_no_children(monkeypatch: pytest.MonkeyPatch) -> None:
    glob = Path.glob

    def ended(path: Path, pattern: str) -> Iterator[Any]:
        if path.name == "task":
            raise ProcessLookupError
        return glob(path, pattern)

    monkeypatch.setattr(Path, "glob", ended)
    monkeypatch.setattr(Path, "exists", lambda path: True)  # as on a kernel that lists children
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        assert computed_by(process.pid) >= 0
