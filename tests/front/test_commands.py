"""The commands: help, lists, hints, stories, wrong command lines; what must stay light, in a process of its own."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest

from tests.front.conftest import CURRICULUM, GRADER, ROOT, Run, environment
from tritonpuzzles.front.cli import COMMANDS, cli


def commands() -> list[str]:
    return [*COMMANDS]


@pytest.mark.parametrize("name", commands())
def test_every_command_has_help_and_an_example(name: str, run: Run) -> None:
    done = run(name, "--help", judge=False)
    assert done.returncode == 0
    command = cli.get_command(None, name)  # type: ignore[arg-type]
    assert command is not None
    assert command.help
    assert len(command.get_short_help_str(400)) > 20
    assert f"tritonpuzzles {name}" in done.stdout.split("Example:")[1]


def test_the_help_counts_puzzles_from_the_first_to_the_last(run: Run) -> None:
    numbers = [int(path.name[1:3]) for path in (ROOT / "puzzles").glob("p*.py")]
    for command in (("check",), ("roofline",), ("dev", "check")):
        usage = run(*command, "--help", judge=False).stdout.split("\n\n")[0]
        assert f"{min(numbers)}-{max(numbers)} | all" in usage


def test_the_help_names_every_command(run: Run) -> None:
    printed = run("--help", judge=False, COLUMNS="72").stdout
    assert "..." not in printed.partition("Commands:")[2]
    assert [name for name in COMMANDS if f"  {name} " not in printed] == []
    files = {path.stem for path in (GRADER / "tritonpuzzles/front/commands").glob("*.py")}
    assert files - {"__init__"} <= {*COMMANDS, *COMMANDS.values()}


@pytest.mark.parametrize("group", ["class", "dev", "notebook"])
def test_the_help_of_a_group_says_each_command_whole(group: str, run: Run) -> None:
    commands = run(group, "--help", judge=False, COLUMNS="72").stdout.partition("Commands:")[2]
    assert commands
    assert "..." not in commands


def test_the_readme_has_a_row_for_every_command() -> None:
    rows = [line for line in (ROOT / "README.md").read_text().splitlines() if line.startswith("| `tritonpuzzles ")]
    named = {row.split()[2].strip("`") for row in rows}
    assert {*COMMANDS} == named


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--help",), 0),
        (("list",), 0),
        (("hint", "1"), 0),
        (("show", "1"), 0),
        (("check", "--help"), 0),
        (("check", "99"), 2),
        (("check", "3", "--nonsense"), 2),
        (("trace", "99"), 2),
    ],
)
def test_answers_without_importing_torch(
    arguments: tuple[str, ...], code: int, run_process: Run, workspace: Path
) -> None:
    (workspace / "sitecustomize.py").write_text(
        "import atexit, os, sys\n"
        "slow = lambda: sorted({'torch', 'triton', 'numpy'} & set(sys.modules))\n"
        "atexit.register(lambda: os.write(2, f'imported: {slow()}'.encode()))\n"
    )
    done = run_process(*arguments, judge=False, PYTHONPATH=f"{workspace}:{GRADER}")
    assert done.returncode == code
    assert done.stderr.endswith("imported: []")


def test_a_stop_while_modules_are_imported_is_quiet(run_process: Run, workspace: Path) -> None:
    (workspace / "sitecustomize.py").write_text(
        "import signal, sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'click':\n"
        "            signal.raise_signal(signal.SIGINT)\n"
        "sys.meta_path.insert(0, Finder())\n"
    )
    done = run_process("list", judge=False, PYTHONPATH=f"{workspace}:{GRADER}")
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")


def test_importing_the_package_imports_no_torch() -> None:
    code = "import sys, tritonpuzzles; print(tritonpuzzles.check.__doc__[:5], 'torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "Check False\n"


def test_without_arguments_it_prints_the_list(run: Run) -> None:
    assert run(judge=False).stdout == run("list", judge=False).stdout
    assert "Vector add" in run(judge=False).stdout


def test_version(run_process: Run) -> None:
    assert run_process("--version", judge=False).stdout.startswith("tritonpuzzles 0")


def test_list_shows_state_and_what_is_next(run: Run, workspace: Path) -> None:
    (workspace / "puzzles/p00_vector_add.py").write_text("# verdict: timed\n")
    (workspace / "puzzles/p01_softmax.py").write_text("# verdict: fail\n")
    run("check", "all")
    printed = run("list").stdout
    assert "✓ solved" in printed
    assert "2,706 GB/s" in printed
    assert "· tried" in printed
    assert "open" in printed
    assert "Next: tritonpuzzles show 1" in printed
    data = json.loads(run("list", "--json").stdout)
    assert data["next"] == 1
    assert [row["state"] for row in data["puzzles"]] == ["solved", "tried", "open"]
    first = data["puzzles"][0]
    assert first["best"] == {"rate": 2706.0, "unit": "GB/s", "device": "NVIDIA H200", "at": first["best"]["at"]}
    assert datetime.fromisoformat(first["best"]["at"]) >= datetime.fromisoformat(first["solved_at"])
    assert f"{datetime.fromisoformat(first['solved_at']).astimezone():%Y-%m-%d}  2,706 GB/s" in printed
    assert data["puzzles"][1]["codes"] == ["sum-not-rescaled"]


def test_list_has_a_dash_where_no_speed_was_measured(run: Run, puzzle: Path) -> None:
    puzzle.write_text("# verdict: pass\n")
    run("check", "1")
    row = json.loads(run("list", "--json").stdout)["puzzles"][1]
    assert (row["state"], row["stars"], row["best"]) == ("solved", 1, None)
    printed = run("list", COLUMNS="60").stdout
    assert max(map(len, printed.splitlines())) <= 60
    assert re.search(r"the idea of softmax +\d{4}-\d\d-\d\d +-\n", printed)
    assert "\n- no speed was measured: that takes a GPU\n" in printed


def test_list_says_when_a_solved_file_was_edited(run: Run, puzzle: Path) -> None:
    puzzle.write_text("# verdict: pass\n")
    run("check", "1")
    assert "edited since" not in run("list").stdout
    puzzle.write_text("# verdict: pass, and more\n")
    assert "edited since" in run("list").stdout


def test_works_outside_a_workspace(run: Run, tmp_path: Path) -> None:
    assert "Softmax" in run("list", cwd=tmp_path).stdout
    assert "The story of softmax" in run("show", "1", cwd=tmp_path).stdout
    assert "First hint of softmax" in run("hint", "1", cwd=tmp_path).stdout
    assert run("check", "1", "--solution", cwd=tmp_path).returncode == 0
    assert not (tmp_path / ".tritonpuzzles").exists()
    refused = run("check", "1", cwd=tmp_path)
    assert refused.returncode == 2
    assert "tritonpuzzles init" in refused.stderr


def test_finds_the_workspace_from_below(run: Run, workspace: Path, puzzle: Path) -> None:
    puzzle.write_text("# verdict: pass\n")
    deep = workspace / "puzzles" / "deep"
    deep.mkdir()
    assert run("check", "1", cwd=deep).returncode == 0
    assert (workspace / ".tritonpuzzles/state.json").exists()


def test_init_makes_a_workspace_and_leaves_files_alone(run: Run, tmp_path: Path) -> None:
    done = run("init", "course", cwd=tmp_path)
    assert done.returncode == 0
    assert "3 puzzles put into course/puzzles." in done.stdout
    mine = tmp_path / "course/puzzles/p01_softmax.py"
    assert mine.read_bytes() == (CURRICULUM / "puzzles/p01_softmax.py").read_bytes()
    mine.write_text("mine")
    mine.with_name("p02_row_sum.py").unlink()
    assert "1 puzzle put into" in run("init", "course", cwd=tmp_path).stdout
    assert mine.read_text() == "mine"


def test_hints_come_one_by_one_and_then_all(run: Run) -> None:
    first, second, third, again = (run("hint", "softmax").stdout for _ in range(4))
    assert "Hint 1 of 3" in first
    assert "First hint of softmax: read x[mask]" in first.replace("`", "")
    assert "tritonpuzzles hint 1 (2 of 3)" in first
    assert "Hint 2 of 3" in second
    assert "α_i · x" in second
    assert "Hint 3 of 3" in third
    assert all(f"Hint {n} of 3" in again for n in (1, 2, 3))
    assert all(f"Hint {n} of 3" in run("hint", "0", "--all").stdout for n in (1, 2, 3))


def test_a_hint_begins_with_the_answer_to_the_last_finding(run: Run, puzzle: Path) -> None:
    assert "Twice the sum" not in run("hint", "1").stdout
    puzzle.write_text("# verdict: fail\n")  # sum-not-rescaled
    run("check", "1")
    shown = run("hint", "1").stdout
    order = ["your last check", "not rescaled when", "Next: Multiply l by", "Twice the sum: 2 · l.", "Hint 2 of 3"]
    assert [shown.index(part) for part in order] == sorted(shown.index(part) for part in order)
    assert "Hint 3 of 3" in run("hint", "1").stdout
    everything = run("hint", "1", "--all").stdout
    assert all(part in everything for part in ("Twice the sum", "Hint 1 of 3", "Hint 2 of 3", "Hint 3 of 3"))


def test_without_an_answer_a_hint_says_the_findings_own_next_step(run: Run, puzzle: Path) -> None:
    puzzle.with_name("p00_vector_add.py").write_text("# verdict: fail\n")
    run("check", "0")
    shown = run("hint", "0").stdout
    assert shown.index("Multiply l by exp(m - m_new)") < shown.index("Hint 1 of 3")


def test_show_renders_the_story(run: Run, puzzle: Path) -> None:
    puzzle.write_text("# the story is gone")
    done = run("show", "1")
    assert "The story of softmax, with m_i · l and x[mask]." in done.stdout
    assert "Next: edit puzzles/p01_softmax.py, then tritonpuzzles check 1" in done.stdout


def test_solution_after_a_pass_or_by_force(run: Run, puzzle: Path) -> None:
    refused = run("solution", "1")
    assert refused.returncode == 1
    assert refused.stdout == ""
    assert "--force" in refused.stderr
    source = (CURRICULUM / "solutions/p01_softmax.py").read_text()
    assert run("solution", "1", "--force").stdout == source
    puzzle.write_text("# verdict: pass\n")
    run("check", "1")
    assert run("solution", "1").stdout == source


@pytest.mark.parametrize("command", ["show", "check", "hint", "solution", "swap", "reset"])
def test_an_unknown_puzzle_is_a_usage_error_with_the_nearest_name(command: str, run: Run) -> None:
    done = run(command, "sofmax")
    assert done.returncode == 2
    assert "Did you mean softmax?" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("arguments", [("chekc",), ("check", "--devise"), ("hint",), ("check", "--device", "tpu")])
def test_a_wrong_command_line_is_a_usage_error(arguments: tuple[str, ...], run: Run) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert "--help" in done.stderr


def test_a_misspelt_command_has_a_near_one(run: Run) -> None:
    done = run("chek", "3", judge=False)
    assert (done.returncode, done.stderr.splitlines()[0]) == (
        2, "tritonpuzzles: No such command 'chek'. Did you mean 'check'?",
    )  # fmt: skip
    assert "Did you mean" not in run("xyzzy", judge=False).stderr


def test_what_the_system_refuses_has_no_number(run: Run, workspace: Path) -> None:
    (workspace / ".tritonpuzzles").write_text("no folder")
    assert "Progress is not saved: .tritonpuzzles: File exists.\n" in run("hint", "1").stderr
    assert run("reset", "1").stderr.startswith("tritonpuzzles: Nothing was changed: .tritonpuzzles: File exists.\n")


def test_a_deleted_folder_is_a_sentence(run: Run, tmp_path: Path) -> None:
    code = "import os, shutil, sys\nos.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone')\n"
    code += "from tritonpuzzles.front.cli import main\nsys.exit(main(['check', '1']))"
    env = {**os.environ, "PYTHONPATH": str(GRADER)}
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 2
    assert "no longer exists" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_closed_pipe_is_quiet(workspace: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "tritonpuzzles", "list"],
        cwd=workspace,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    process.wait()
    process.stderr.close()


def test_a_broken_curriculum_is_our_fault(run: Run, tmp_path: Path) -> None:
    (tmp_path / "records").mkdir()
    (tmp_path / "records/p01_broken.toml").write_text("number = ")
    (tmp_path / "curriculum.toml").write_text('format = 1\ntitle = "Broken"\npuzzles = ["p01_broken"]\n')
    done = run("list", TRITONPUZZLES_PACK=str(tmp_path))
    assert done.returncode == 3
    assert "p01_broken.toml" in done.stderr
    assert "Traceback" not in done.stderr


def test_two_puzzles_of_one_name_are_refused(run: Run, tmp_path: Path) -> None:
    """Progress goes by name."""
    shutil.copytree(CURRICULUM, tmp_path / "pack")
    for path in [*(tmp_path / "pack").glob("*/p02_row_sum.*")]:
        text = path.read_text().replace("number = 2", "number = 3")
        path.with_name(path.name.replace("p02", "p03")).write_text(text)
    listed = tmp_path / "pack/curriculum.toml"
    listed.write_text(listed.read_text().replace('"p02_row_sum"', '"p02_row_sum", "p03_row_sum"'))
    done = run("list", TRITONPUZZLES_PACK=str(tmp_path / "pack"))
    assert done.returncode == 3
    assert "two puzzles have the name row_sum" in done.stderr


def test_watch_without_a_terminal_says_so(run: Run) -> None:
    done = run("watch", "1")
    assert done.returncode == 2
    assert "watch needs a terminal" in done.stderr
    assert "Next: tritonpuzzles check 1" in done.stderr
