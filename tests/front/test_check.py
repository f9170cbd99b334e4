"""`check` with a fake judge: sources, exit codes, streams, progress."""

from __future__ import annotations

import json
import os
import pty
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.front.conftest import CURRICULUM, HERE, Run, environment
from tritonpuzzles.curriculum.tables import RecordError
from tritonpuzzles.front.cli import explained
from tritonpuzzles.judgeserver import _sendable


def state(workspace: Path) -> dict[str, dict[str, object]]:
    puzzles: dict[str, dict[str, object]] = json.loads((workspace / ".tritonpuzzles/state.json").read_text())["puzzles"]
    return puzzles


def test_a_pass_is_remembered_and_leads_on(run: Run, workspace: Path) -> None:
    (workspace / "puzzles/p00_vector_add.py").write_text("# verdict: pass\n")
    done = run("check")
    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout.startswith("✓ pass  p00 vector_add\n")
    assert "Next: puzzle 1, Softmax: tritonpuzzles show 1" in done.stdout
    assert state(workspace)["vector_add"]["attempts"] == 1
    assert "p01 softmax" in run("check").stdout


def test_a_failure_leads_to_the_next_hint(run: Run, workspace: Path, puzzle: Path) -> None:
    puzzle.write_text("# verdict: fail\n")
    done = run("check", "softmax")
    assert done.returncode == 1
    assert "Next: tritonpuzzles hint 1 (1 of 3)" in done.stdout
    run("hint", "1")
    assert "hint 1 (2 of 3)" in run("check", "1").stdout
    assert state(workspace)["softmax"]["attempts"] == 2
    assert state(workspace)["softmax"]["solved_at"] is None


def test_what_python_cannot_read_leads_to_no_hint(run: Run, puzzle: Path) -> None:
    puzzle.write_text("# verdict: unreadable\n")
    done = run("check", "1")
    assert done.returncode == 1
    assert "Next: correct that line, then tritonpuzzles check 1" in done.stdout


def test_stubs_are_unsolved_and_no_attempt(run: Run, workspace: Path) -> None:
    done = run("check", "all")
    assert done.returncode == 1
    assert done.stdout.startswith("✗ fail  0 of 3 puzzles pass\n")
    assert done.stdout.count("· unsolved") == 3
    assert all(entry["attempts"] == 0 for entry in state(workspace).values())


def test_when_everything_is_solved_everything_is_checked(run: Run, workspace: Path) -> None:
    for path in (workspace / "puzzles").glob("*.py"):
        path.write_text("# verdict: pass\n")
    assert run("check", "0-2").returncode == 0
    done = run("check")
    assert "3 of 3 puzzles pass" in done.stdout
    assert "every puzzle is solved" in done.stdout


def test_other_peoples_files_change_no_progress(run: Run, workspace: Path, tmp_path: Path) -> None:
    shutil.copytree(CURRICULUM / "solutions", tmp_path / "theirs")
    assert run("check", "all", "--solution").returncode == 0
    assert run("check", "all", "--solutions", str(tmp_path / "theirs")).returncode == 0
    assert run("check", "1", "--file", str(tmp_path / "theirs/p02_row_sum.py")).returncode == 0
    assert run("check", "--file", str(tmp_path / "theirs/p02_row_sum.py")).stdout.startswith("✓ pass  p02 row_sum")
    assert not (workspace / ".tritonpuzzles/state.json").exists()


def test_solutions_folder_with_a_missing_file(run: Run, tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    done = run("check", "all", "--solutions", str(tmp_path / "theirs"))
    assert done.returncode == 1
    assert done.stdout.count("✗ error") >= 3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("1", "--solution", "--file", "x.py"), "exclude each other"),
        (("1", "2", "--file", "x.py"), "one puzzle"),
        (("--file", "my_attempt.py"), "Which puzzle is my_attempt.py?"),
        (("1", "--solutions", "nowhere"), "no folder nowhere"),
        (("2-1",), "range"),
        (("1", "--timeout", "0"), "--timeout"),
        (("1", "--seed", "x"), "--seed"),
        (("1", "--timeout", "nan"), "not a number of seconds"),
    ],
)
def test_requests_that_make_no_sense(arguments: tuple[str, ...], words: str, run: Run) -> None:
    done = run("check", *arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stdout == ""


def test_a_path_names_the_workspaces_file_only(run: Run, workspace: Path, tmp_path: Path) -> None:
    (workspace / "puzzles/p01_softmax.py").write_text("# verdict: pass\n")
    assert run("check", "puzzles/p01_softmax.py").returncode == 0
    other = tmp_path / "p01_softmax.py"
    other.write_text("# verdict: fail\n")
    done = run("check", str(other))
    assert done.returncode == 2
    assert "--file" in done.stderr


def test_a_missing_file_leads_to_reset(run: Run, puzzle: Path) -> None:
    puzzle.unlink()
    done = run("check", "1")
    assert done.returncode == 1
    assert "tritonpuzzles reset 1" in done.stdout


def test_the_graders_fault_is_a_sentence_and_a_traceback_only_if_asked(run: Run, puzzle: Path) -> None:
    puzzle.write_text("# verdict: crash\n")
    done = run("check", "1")
    assert done.returncode == 3
    assert "the worker does not start" in done.stderr
    assert "tritonpuzzles doctor" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Traceback" in run("check", "1", "--verbose").stderr
    puzzle.write_text("# verdict: infra\n")
    assert run("check", "1").returncode == 3


def test_a_judge_of_its_own_that_fails_or_is_killed_is_one_sentence(run_process: Run, puzzle: Path) -> None:
    puzzle.write_text("# verdict: crash\n")
    done = run_process("check", "1")
    said = "tritonpuzzles: The grader cannot work here: the worker does not start\nNext: tritonpuzzles doctor\n"
    assert (done.returncode, done.stdout, done.stderr) == (3, "", said)
    assert "in judge\n    raise RuntimeError" in run_process("check", "1", "--verbose").stderr  # where that was
    puzzle.write_text("# verdict: killed\n")
    done = run_process("check", "1")
    assert (done.returncode, done.stdout) == (3, "")
    assert "the judge's process was ended by SIGKILL before it was done" in done.stderr
    assert "Traceback" not in done.stderr


def test_errors_cross_as_they_are_or_in_their_own_words() -> None:
    class ForeignError(Exception):
        pass

    class ForeignRuntimeError(RuntimeError):
        pass

    ours = RecordError("it is not well formed")
    assert _sendable(ours) is ours
    assert explained(_sendable(ForeignError("no")))[0] == explained(ForeignError("no"))[0]
    assert explained(_sendable(ForeignRuntimeError("no")))[0] == explained(ForeignRuntimeError("no"))[0]
    assert type(_sendable(ForeignError("no"))) is RuntimeError


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_ctrl_c_and_a_closed_terminal(number: signal.Signals, run_process: Run, puzzle: Path) -> None:
    """All end in the same way, so that the judge can end its workers."""
    puzzle.write_text(f"# verdict: interrupt{number.value}\n")
    done = run_process("check", "1")
    assert done.returncode == 130
    assert "interrupted" in done.stderr
    assert "Traceback" not in done.stderr


def test_json_is_one_object_and_nothing_else(run: Run, puzzle: Path) -> None:
    puzzle.write_text("# verdict: hostile\n")
    done = run("check", "1", "--json", "--seed", "7")
    assert done.returncode == 1
    data = json.loads(done.stdout)
    assert data["version"] == 2
    assert data["results"][0]["seed"] == 7
    assert "\x1b" not in done.stdout
    assert done.stdout.isascii()
    assert done.stderr == ""


def test_hostile_text_is_shown_and_not_obeyed(run_process: Run, puzzle: Path) -> None:
    puzzle.write_text("# verdict: hostile [red]\x1b[31m\n")
    for env in ({}, {"PYTHONIOENCODING": "ascii"}, {"COLUMNS": "40"}):
        done = run_process("check", "1", **env)
        assert done.returncode == 1
        assert "[bold red]x[mask][/]" in done.stdout.replace("\n", "")
        assert "\x1b" not in done.stdout
        assert "\x07" not in done.stdout
        assert "\u202e" not in done.stdout
        assert "owned" not in done.stdout
        assert done.stderr == ""


def test_colours_only_when_asked_and_sixteen_of_them(run: Run, puzzle: Path) -> None:
    puzzle.write_text("# verdict: fail\n")
    plain = run("check", "1").stdout
    assert "\x1b" not in plain
    colour = run("check", "1", FORCE_COLOR="1", TERM="xterm-256color", COLORTERM="truecolor").stdout
    assert "\x1b[1;31m" in colour
    assert "38;5" not in colour
    assert "38;2" not in colour
    none = run("check", "1", FORCE_COLOR="1", NO_COLOR="1", TERM="xterm-256color").stdout
    assert "31m" not in none


def test_ascii_only(run_process: Run, puzzle: Path) -> None:
    puzzle.write_text("# verdict: timed\n")
    for command in (("check", "1"), ("list",), ("show", "1"), ("hint", "1"), ("check", "all")):
        printed = run_process(*command, PYTHONIOENCODING="ascii").stdout
        assert printed.isascii()
        assert "\\u" not in printed
    assert run_process("check", "1", PYTHONIOENCODING="ascii").stdout.startswith("+ pass  p01 softmax")


def test_a_read_only_workspace_is_a_warning(run: Run, workspace: Path, puzzle: Path) -> None:
    if os.geteuid() == 0:  # root may write everywhere: a file in the folder's place does the same
        (workspace / ".tritonpuzzles").write_text("in the way")
    else:
        workspace.chmod(0o555)
    puzzle.write_text("# verdict: pass\n")
    done = run("check", "1")
    assert done.returncode == 0
    assert "warning: Progress" in done.stderr
    assert "Traceback" not in done.stderr
    assert run("hint", "1").returncode == 0
    assert run("list").returncode == 0
    workspace.chmod(0o755)


def test_verbose_says_what_it_does_on_stderr(run: Run, puzzle: Path) -> None:
    puzzle.write_text("# verdict: pass\n")
    done = run("check", "1", "--verbose")
    assert done.stderr == "p01 softmax: ordinary numbers (1 of 1)\n"
    assert "✓ pass  late maximum" in done.stdout


def test_a_terminal_sees_one_status_line_that_vanishes(workspace: Path, puzzle: Path) -> None:
    puzzle.write_text("# verdict: pass\n")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, str(HERE / "fake_judge.py"), "check", "1"],
        cwd=workspace,
        env=environment(TERM="xterm"),
        stdout=subprocess.PIPE,
        stderr=theirs,
    )
    out, _ = process.communicate(timeout=60)
    os.close(theirs)
    seen = os.read(ours, 100_000).decode()
    os.close(ours)
    assert process.returncode == 0
    assert out.decode().startswith("✓ pass")
    assert "\x1b[2K" in seen
    assert "pass" not in seen


def test_the_same_in_python(workspace: Path, puzzle: Path) -> None:
    puzzle.write_text("# verdict: fail\n")
    code = "from tests.front import fake_judge; fake_judge.serve_instead(); import tritonpuzzles\n"
    code += "r = tritonpuzzles.check(1, seed=5); print(r.passed, r.results[0].seed, tritonpuzzles.__all__)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=workspace, env=environment(), capture_output=True, text=True
    )
    assert done.stdout == "False 5 ['__version__', 'check', 'verify']\n"
    assert state(workspace)["softmax"]["attempts"] == 1


def test_a_pipe_or_a_huge_file_in_a_puzzles_place(run: Run, workspace: Path, puzzle: Path) -> None:
    puzzle.unlink()
    os.mkfifo(puzzle)
    assert run("show", "1").returncode == 0
    assert run("list").returncode == 0
    assert run("reset", "1").returncode == 0
    puzzle.write_bytes(b"# verdict: pass\n" + b"#" * (3 << 20))
    assert run("check", "1").returncode == 0
    assert run("list").returncode == 0


def test_after_a_reset_a_hint_speaks_of_no_check(run: Run, puzzle: Path) -> None:
    puzzle.write_text("# verdict: fail\n")
    assert run("check", "1").returncode == 1
    assert "your last check" in run("hint", "1").stdout
    assert run("reset", "1").returncode == 0
    said = run("hint", "1").stdout
    assert "your last check" not in said
    assert "Hint 2 of 3" in said
