"""A pipe or a folder where a learner's file or the progress is looked for: a sentence, never a command that hangs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.notebook.submitted import solve_cells
from tritonpuzzles.front.workspace.files import read_small
from tritonpuzzles.front.workspace.state import State
from tritonpuzzles.recorder.submission import SubmissionError, read_source
from tritonpuzzles.results.submission import Submission


@pytest.fixture
def fifo(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "state.json")
    return tmp_path / "state.json"


def test_a_pipe_is_no_puzzle_file(fifo: Path) -> None:
    with pytest.raises(SubmissionError, match="is not a file"):
        read_source(fifo)
    with pytest.raises(OSError, match="not a regular file"):
        read_small(fifo)
    assert Submission.of(fifo).source.text == ""


def test_a_pipe_is_no_notebook(fifo: Path) -> None:
    with pytest.raises(FrontError, match="cannot be read"):
        solve_cells(fifo)


def test_a_pipe_is_no_progress(fifo: Path) -> None:
    told: list[str] = []
    assert State(fifo.parent, told.append).read() == {}
    assert "The progress file was not readable" in told[0]
    assert not fifo.exists()  # it is set aside
