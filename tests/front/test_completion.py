"""Completion: what a shell is offered, in a real bash, without torch, and whatever is wrong with the folder."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.front.conftest import GRADER, Run, environment
from tritonpuzzles.front.cli import COMMANDS

PUZZLES = ["0", "1", "2", "vector_add", "softmax", "row_sum"]


def offered(run_process: Run, line: str, shell: str = "zsh", **env: str) -> list[list[str]]:
    """Return what a shell is offered at the end of a line: type, word and help of each."""
    words = line.split()
    at = len(words) if line.endswith(" ") else len(words) - 1
    asked = {"COMP_WORDS": line, "COMP_CWORD": str(at), "_TRITONPUZZLES_COMPLETE": f"{shell}_complete"}
    done = run_process(judge=False, **asked, **env)
    assert (done.returncode, done.stderr) == (0, "")
    return [block.split("\n") for block in in_threes(done.stdout)]


def in_threes(printed: str) -> list[str]:
    """Return the blocks of three lines that zsh reads."""
    lines = printed.strip("\n").splitlines()
    assert len(lines) % 3 == 0
    return ["\n".join(lines[start : start + 3]) for start in range(0, len(lines), 3)]


def words(found: list[list[str]]) -> list[str]:
    return [word for _, word, _ in found]


def test_commands_with_their_help(run_process: Run) -> None:
    found = offered(run_process, "tritonpuzzles ")
    assert words(found) == list(COMMANDS)
    assert ["plain", "swap"] in [one[:2] for one in found]
    assert all(len(help_text) > 10 for _, _, help_text in found)


@pytest.mark.parametrize("command", ["show", "hint", "solution", "swap", "reset", "trace", "inspect", "bench"])
def test_every_command_on_a_puzzle_completes_it(command: str, run_process: Run) -> None:
    assert words(offered(run_process, f"tritonpuzzles {command} ")) == PUZZLES


def test_several_puzzles(run_process: Run) -> None:
    assert words(offered(run_process, "tritonpuzzles check ")) == [*PUZZLES, "all"]
    assert offered(run_process, "tritonpuzzles check 1 so") == [["plain", "softmax", "the idea of softmax"]]
    assert words(offered(run_process, "tritonpuzzles check 1 2 ")) == ["0", "vector_add", "softmax", "row_sum", "all"]


def test_what_can_be_restored(run_process: Run, puzzle: Path) -> None:
    puzzle.write_text("mine")
    run_process("reset", "1")
    assert words(offered(run_process, "tritonpuzzles restore 1")) == ["1", "1.1"]


def test_options(run_process: Run) -> None:
    assert words(offered(run_process, "tritonpuzzles check --device ")) == ["auto", "cpu", "cuda"]
    assert words(offered(run_process, "tritonpuzzles check --gi")) == ["--github"]
    assert words(offered(run_process, "tritonpuzzles completion ")) == ["bash", "zsh", "fish"]


def test_a_broken_curriculum_or_no_folder_is_no_error(run_process: Run, tmp_path: Path) -> None:
    assert words(offered(run_process, "tritonpuzzles check ", TRITONPUZZLES_PACK=str(tmp_path))) == ["all"]
    assert offered(run_process, "tritonpuzzles --pack /nowhere hint ") == []


def test_no_torch(run_process: Run, workspace: Path) -> None:
    (workspace / "sitecustomize.py").write_text(
        "import atexit, sys\n"
        "atexit.register(lambda: open('seen', 'w').write(str({'torch', 'triton'} & set(sys.modules))))\n"
    )
    offered(run_process, "tritonpuzzles check ", PYTHONPATH=f"{workspace}:{GRADER}")
    assert (workspace / "seen").read_text() == "set()"


@pytest.mark.parametrize(
    ("shell", "registers"),
    [("bash", "complete -o nosort -F"), ("zsh", "compdef"), ("fish", "complete --no-files --command tritonpuzzles")],
)
def test_a_script_for_each_shell(shell: str, registers: str, run: Run, tmp_path: Path) -> None:
    done = run("completion", shell)
    assert (done.returncode, done.stderr) == (0, "")
    assert registers in done.stdout
    assert f"_TRITONPUZZLES_COMPLETE={shell}_complete" in done.stdout
    assert f"completion {shell}" in run("completion", "--help").stdout
    if shutil.which(shell):
        (tmp_path / "script").write_text(done.stdout)
        subprocess.run([shell, "-n", str(tmp_path / "script")], check=True)


def test_another_shell_is_a_usage_error(run: Run) -> None:
    assert run("completion", "tcsh").returncode == 2


def test_in_bash(workspace: Path, tmp_path: Path) -> None:
    """As the README says: one line in ~/.bashrc, then Tab."""
    program = tmp_path / "bin/tritonpuzzles"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tritonpuzzles "$@"\n')
    program.chmod(0o755)
    script = (
        'eval "$(tritonpuzzles completion bash)"\n'
        "COMP_WORDS=(tritonpuzzles check so) COMP_CWORD=2\n"
        '"$(complete -p tritonpuzzles | sed "s/.* -F \\([^ ]*\\) .*/\\1/")" tritonpuzzles so check\n'
        'echo "${COMPREPLY[@]}"\n'
    )
    env = environment()
    env["PATH"] = f"{program.parent}:{env['PATH']}"
    done = subprocess.run(["bash", "--norc", "-c", script], cwd=workspace, env=env, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("softmax\n", "")
