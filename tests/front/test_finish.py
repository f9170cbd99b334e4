"""The pass that solves the last puzzle ends with a summary: stars, the ladder of speeds, what is next."""

from __future__ import annotations

import os
from pathlib import Path
from unittest import mock

import pytest

from tests.front import fake_judge
from tests.front.conftest import ROOT, Run, environment
from tests.program import HERE, JUDGE
from tritonpuzzles.front import judge_process

NAMES = ("p00_vector_add", "p01_softmax", "p02_row_sum")


def solve(workspace: Path, word: str, *names: str) -> None:
    for name in names:
        (workspace / f"puzzles/{name}.py").write_text(f"# verdict: {word}\n")


def test_the_last_pass_ends_with_a_summary(run_process: Run, workspace: Path) -> None:
    solve(workspace, "pass", *NAMES[:2])
    assert "Every puzzle is solved" not in run_process("check", "all").stdout
    solve(workspace, "timed", NAMES[2])
    done = run_process("check", "2")
    assert done.returncode == 0
    report, summary = done.stdout.split("\nEvery puzzle is solved  5 of 9 stars\n")
    assert report.startswith("✓ pass  p02 row_sum\n")
    assert "Next:" not in report
    assert "p01 softmax     ★··           -\n" in summary
    assert "p02 row_sum     ★★★  2,706 GB/s  ██████████████████████████████\n" in summary
    assert "What is next\n" in summary
    assert "tritonpuzzles bench --ladder  all puzzles, from naive PyTorch to tuned\n" in summary
    again = run_process("check", "2").stdout
    assert again.endswith("Next: every puzzle is solved; tritonpuzzles list shows them\n")
    assert "What is next" not in again


def test_without_a_gpu_there_are_dashes_and_what_needs_one_is_said(run: Run, workspace: Path) -> None:
    solve(workspace, "pass", *NAMES)
    printed = run("check", "all", COLUMNS="60").stdout
    assert max(map(len, printed.splitlines())) <= 60
    assert "Every puzzle is solved  3 of 9 stars\n" in printed
    assert "█" not in printed
    assert "on a machine with a GPU" in " ".join(printed.split())


def test_another_ones_files_end_nothing(run: Run, workspace: Path) -> None:
    solve(workspace, "pass", *NAMES)
    assert "Every puzzle is solved" not in run("check", "all", "--solutions", str(workspace / "puzzles")).stdout
    run("swap", "1")
    run("check", "all")
    assert "Every puzzle is solved" not in run("check", "all").stdout
    run("swap", "1")
    assert "Every puzzle is solved" in run("check", "1").stdout


def test_json_and_ascii(run: Run, workspace: Path) -> None:
    solve(workspace, "pass", *NAMES[:2])
    run("check", "all")
    solve(workspace, "pass", NAMES[2])
    printed = run("check", "all", PYTHONIOENCODING="ascii").stdout
    assert "p02 row_sum     *..  -\n" in printed


def test_python_and_notebooks_say_it_too(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tritonpuzzles
    from tritonpuzzles.front.jupyter.display import Line, in_notebook

    solve(workspace, "pass", *NAMES)
    monkeypatch.chdir(workspace)
    monkeypatch.setattr(judge_process, "_judges", [HERE])
    with mock.patch.dict("sys.modules", {JUDGE: fake_judge.module()}), mock.patch.dict(os.environ, environment()):
        report = tritonpuzzles.check("all")
        assert report.text.count("Every puzzle is solved  3 of 9 stars") == 1
        page = in_notebook(report, Line())._repr_html_()
    assert "Every puzzle is solved  3 of 9 stars" in page
    assert "%tritonpuzzles roofline" in page
    assert "%bench --ladder" in page


def test_a_tuned_solution_to_read(run: Run, workspace: Path) -> None:
    shipped = ROOT / "solutions/tuned/p03_online_softmax.py"
    env = {"TRITONPUZZLES_PACK": str(ROOT / "grader/tritonpuzzles/curriculum")}
    assert run("solution", "3", "--tuned", "--force", **env).stdout == shipped.read_text()
    none = run("solution", "2", "--tuned", "--force", **env)
    assert (none.returncode, none.stdout) == (2, "")
    assert "Puzzle 2 has no tuned solution; the puzzles 1, 3, 4, 5, 6, 7, 8 have one." in none.stderr
    assert "no puzzle here has one" in run("solution", "1", "--tuned", "--force").stderr
    assert run("solution", "1", "--tuned").returncode == 1
