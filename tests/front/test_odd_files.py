"""What is no puzzle file where one is looked for, or does not load: a sentence, never a command that hangs."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.notebook.submitted import solve_cells
from tritonpuzzles.front.workspace.files import read_small
from tritonpuzzles.front.workspace.state import State
from tritonpuzzles.recorder.submission import SubmissionError, check_syntax, import_file, read_source
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


def test_a_binary_file_is_said_to_be_one_and_not_quoted(tmp_path: Path) -> None:
    (tmp_path / "p00.py").write_bytes(b"\x7fELF\0\xbb\n")
    with pytest.raises(SubmissionError, match=r"^p00\.py is not a text file\.$") as caught:
        read_source(tmp_path / "p00.py")
    assert caught.value.finding.line is None


@pytest.mark.parametrize(
    ("source", "step"),
    [
        ("x = 1\n\tif True:\n", "Line 2 begins with a tab: write spaces, as many as"),
        ("if True:\n        x = 1\n\ty = 1\n", "Line 3 begins with a tab: write spaces, as many as"),
        ("x = 1\n if True:\n", "Line 2 begins with 1 space: give it as many as"),
    ],
)
def test_a_tab_is_called_one(source: str, step: str) -> None:
    with pytest.raises(SubmissionError) as caught:
        check_syntax(Path("p00.py"), source.encode())
    assert str(caught.value.finding.next_step).startswith(step)


@pytest.mark.parametrize(
    ("source", "step"),
    [
        ("@triton.jit\ndef kernel(): ...", "Write `import triton` at the top of the file."),
        ("def kernel(n: tl.constexpr): ...", "Write `import triton.language as tl` at the top of the file."),
        ("size = BLOCKS * 2", "Import or define BLOCKS before that line."),
        ("import tritton", "Check the name: a puzzle needs torch, triton and the standard library alone."),
        ("raise ValueError", "A puzzle file only defines functions and kernels: nothing runs at import."),
    ],
)
def test_a_missing_import_is_named(source: str, step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a_file_that_does_not_load.py"
    path.write_text(source)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setitem(sys.modules, path.stem, sys)  # and put back
    with pytest.raises(SubmissionError) as caught:
        import_file(path, "kernel", source.encode())
    assert caught.value.finding.next_step == step
