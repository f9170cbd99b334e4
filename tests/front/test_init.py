"""Init: what a workspace gets, and what an update brings to it. Nothing that anybody wrote is ever replaced."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.front.conftest import CURRICULUM, Run, environment
from tests.front.test_swap import Killed, kill_after
from tests.program import run_here
from tritonpuzzles.front.course import tasks
from tritonpuzzles.front.report.problems import begun, ended
from tritonpuzzles.results.check import Report

STUB = "puzzles/p01_softmax.py"


@pytest.fixture
def course(run_process: Run, tmp_path: Path) -> Path:
    """A workspace that `init` made."""
    done = run_process("init", "course", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    return tmp_path / "course"


@pytest.fixture
def newer(tmp_path: Path) -> Path:
    """The small curriculum as a newer version might ship it: puzzle 1 has another stub, 2 another number, 3 is new."""
    pack = tmp_path / "newer"
    shutil.copytree(CURRICULUM, pack)
    _rename(pack, "p02_row_sum", "p03_row_sum")
    for path in [*pack.glob("*/p03_row_sum.*")]:
        shutil.copy(path, path.parent / path.name.replace("p03_row_sum", "p02_row_max"))
    _number(pack / "records/p02_row_max.toml", "row_max", 2)
    (pack / STUB).write_text((pack / STUB).read_text() + "# newer\n")
    listed = pack / "curriculum.toml"
    listed.write_text(listed.read_text().replace('"p03_row_sum"', '"p02_row_max", "p03_row_sum"'))
    return pack


def _rename(pack: Path, old: str, new: str) -> None:
    for path in [*pack.glob(f"*/{old}.*")]:
        path.rename(path.with_stem(new))
    listed = pack / "curriculum.toml"
    listed.write_text(listed.read_text().replace(old, new))
    _number(pack / f"records/{new}.toml", new[4:], int(new[1:3]))


def _number(record: Path, slug: str, number: int) -> None:
    text = re.sub(r"^number = \d+", f"number = {number}", record.read_text(), flags=re.MULTILINE)
    record.write_text(re.sub(r'^slug = "\w+"', f'slug = "{slug}"', text, flags=re.MULTILINE))


def told(printed: str) -> dict[str, str]:
    """Return the first word of what an update says, by path."""
    return {found[2]: found[1] for found in re.finditer(r"^  (\w+) +([\w./]+)", printed, re.MULTILINE)}


def test_a_readme_and_tasks(course: Path) -> None:
    readme = (course / "README.md").read_text()
    assert "`tritonpuzzles check 0`" in readme
    assert "puzzles/p00_vector_add.py" in readme
    assert "tritonpuzzles --help" in readme
    assert "Jupyter" not in readme  # this pack has no notebooks
    task, _ = json.loads((course / ".vscode/tasks.json").read_text())["tasks"]
    assert task["group"] == {"kind": "build", "isDefault": True}


def test_the_task_checks_the_open_file_and_its_matcher_finds_the_lines(course: Path, run_process: Run) -> None:
    task, _ = json.loads((course / ".vscode/tasks.json").read_text())["tasks"]
    file = course / STUB
    file.write_text("# verdict: fail\n")
    assert task["args"][:2] == ["-m", "tritonpuzzles"]
    arguments = [word.replace("${file}", str(file)) for word in task["args"][2:]]
    lines = run_process(*arguments, cwd=course).stdout.splitlines()
    pattern: dict[str, Any] = task["problemMatcher"]["pattern"]
    (found,) = [match for line in lines if (match := re.fullmatch(pattern["regexp"], line))]
    assert found[pattern["line"]] == "3"
    assert found[pattern["severity"]] == "error"
    assert found[pattern["code"]] == "sum-not-rescaled"
    assert found[pattern["message"]].startswith("Your sum is not rescaled")


def test_the_task_in_the_background_knows_when_a_check_begins_and_ends() -> None:
    _, task = json.loads(tasks())["tasks"]
    assert task["isBackground"]
    assert task["args"] == ["-m", "tritonpuzzles", "watch", "--editor"]
    background = task["problemMatcher"]["background"]
    assert background["activeOnStart"]
    assert re.match(background["beginsPattern"], begun("puzzles/p01_softmax.py"))
    assert re.match(background["endsPattern"], ended(Report("0", {}, ())))
    assert not re.match(background["beginsPattern"], ended(Report("0", {}, ())))


def test_files_of_the_users_own_stay(run_process: Run, tmp_path: Path) -> None:
    mine = {"README.md": b"mine", ".vscode/tasks.json": b"{}", STUB: b"x = 1"}
    for path, data in mine.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(data)
    done = run_process("init", ".", cwd=tmp_path)
    assert done.returncode == 0
    assert {path: (tmp_path / path).read_bytes() for path in mine} == mine
    assert "2 puzzles put into puzzles; 1 file there already, left as they are." in done.stdout
    for path in ("README.md", ".vscode/tasks.json"):
        assert f"{path} is there already, and stays as it is." in done.stdout
    assert done.stdout.endswith("Next: tritonpuzzles list\n")


def test_an_update_of_what_is_up_to_date(run: Run, course: Path) -> None:
    (course / STUB).write_text("# mine\n")
    done = run("init", "--update", cwd=course)
    assert (done.returncode, done.stdout) == (0, "Nothing is new.\nNext: tritonpuzzles list\n")


def test_an_update_brings_what_is_new(run_process: Run, course: Path, newer: Path) -> None:
    (course / "tritonpuzzles.toml").unlink()
    before = (course / "puzzles/p02_row_sum.py").read_bytes()
    done = run_process("init", "--update", cwd=course, TRITONPUZZLES_PACK=str(newer))
    assert done.returncode == 0, done.stderr
    assert told(done.stdout) == {
        "puzzles/p03_row_sum.py": "moved",
        STUB: "newer",
        "puzzles/p02_row_max.py": "new",
    }
    assert "puzzles/p03_row_sum.py, was puzzles/p02_row_sum.py" in done.stdout
    assert (course / STUB).read_bytes() == (newer / STUB).read_bytes()
    assert (course / "puzzles/p03_row_sum.py").read_bytes() == before
    assert not (course / "puzzles/p02_row_sum.py").exists()
    again = run_process("init", "--update", cwd=course, TRITONPUZZLES_PACK=str(newer))
    assert again.stdout.startswith("Nothing is new.")


def test_an_update_leaves_what_was_edited(run: Run, course: Path, newer: Path) -> None:
    files = (STUB, "puzzles/p02_row_sum.py", "README.md")
    for path in files:
        (course / path).write_text("# mine\n")
    (newer / "curriculum.toml").write_text((newer / "curriculum.toml").read_text().replace("Three", "Four"))
    done = run("init", "--update", cwd=course, TRITONPUZZLES_PACK=str(newer))
    assert told(done.stdout) == {
        "puzzles/p03_row_sum.py": "moved",
        STUB: "stays",
        "puzzles/p02_row_max.py": "new",
        "README.md": "stays",
    }
    printed = " ".join(done.stdout.split())
    assert f"{STUB}, edited; new stub: tritonpuzzles reset 1" in printed
    for path in (STUB, "puzzles/p03_row_sum.py", "README.md"):
        assert (course / path).read_text() == "# mine\n"
    run("reset", "1", cwd=course, TRITONPUZZLES_PACK=str(newer))
    assert (course / STUB).read_bytes() == (newer / STUB).read_bytes()
    assert (course / STUB).name not in run("init", "--update", cwd=course, TRITONPUZZLES_PACK=str(newer)).stdout


def test_after_a_reset_the_stub_counts_as_not_edited(run: Run, course: Path, newer: Path) -> None:
    (course / STUB).write_text("# mine\n")
    shutil.rmtree(course / ".tritonpuzzles")
    run("reset", "1", cwd=course)
    done = run("init", "--update", cwd=course, TRITONPUZZLES_PACK=str(newer))
    assert told(done.stdout)[STUB] == "newer"


def test_what_waits_while_the_solution_is_there_moves_too(run: Run, course: Path, newer: Path) -> None:
    (course / "puzzles/p02_row_sum.py").write_text("# mine\n")
    run("swap", "2", cwd=course)
    run("init", "--update", cwd=course, TRITONPUZZLES_PACK=str(newer))
    run("swap", "3", cwd=course, TRITONPUZZLES_PACK=str(newer))
    assert (course / "puzzles/p03_row_sum.py").read_text() == "# mine\n"


def test_what_was_deleted_stays_away_unless_it_is_a_puzzle(run: Run, course: Path) -> None:
    (course / "README.md").unlink()
    (course / STUB).unlink()
    assert told(run("init", "--update", cwd=course).stdout) == {STUB: "new"}
    run("init", ".", cwd=course)
    assert (course / "README.md").exists()


@pytest.mark.parametrize("record", [b"", b"[" * 9999, b'{"files": {"README.md": 3}}', b'{"files": []}', None])
def test_without_a_record_everything_counts_as_edited(
    record: bytes | None, run: Run, course: Path, newer: Path
) -> None:
    path = course / ".tritonpuzzles/shipped.json"
    path.unlink() if record is None else path.write_bytes(record)
    stub = (course / STUB).read_bytes()
    done = run("init", "--update", cwd=course, TRITONPUZZLES_PACK=str(newer))
    assert (done.returncode, told(done.stdout)[STUB]) == (0, "stays")
    assert (course / STUB).read_bytes() == stub


def test_an_update_from_elsewhere_and_of_nothing(run: Run, course: Path, tmp_path: Path) -> None:
    (course / STUB).unlink()
    done = run("init", "--update", "course", cwd=tmp_path)
    assert told(done.stdout) == {f"course/{STUB}": "new"}
    (tmp_path / "empty").mkdir()
    for words in (("init", "--update"), ("init", "--update", ".")):
        done = run(*words, cwd=tmp_path / "empty")
        assert done.returncode == 2
        assert "tritonpuzzles init" in done.stderr


def test_without_dir_an_empty_folder_gets_the_puzzles(run: Run, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    (empty / ".venv").mkdir(parents=True)
    done = run("init", cwd=empty)
    assert done.returncode == 0
    assert "3 puzzles put into puzzles." in done.stdout
    assert done.stdout.endswith("Next: tritonpuzzles list\n")
    assert (empty / STUB).is_file()
    again = run("init", cwd=empty)
    assert (again.returncode, again.stdout) == (2, "")
    assert again.stderr.startswith(f"tritonpuzzles: {empty} is not empty")


def test_without_dir_a_folder_with_files_is_left_alone(run: Run, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full/notes.txt").write_text("mine")
    done = run("init", cwd=tmp_path / "full")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"tritonpuzzles: {tmp_path}/full is not empty")
    assert "tritonpuzzles init triton-puzzles" in done.stderr
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["notes.txt"]


def test_a_folder_that_cannot_be_written(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for name in ("file", "file/below"):
        done = run("init", name, cwd=tmp_path)
        assert done.returncode == 3
        assert done.stderr.startswith(f"tritonpuzzles: {name} cannot be written: ")


edits = st.dictionaries(
    st.sampled_from([STUB, "puzzles/p02_row_sum.py", "README.md", ".vscode/tasks.json"]),
    st.none() | st.binary(max_size=5),
)


@settings(max_examples=25, deadline=None)
@given(st.lists(edits, max_size=3))
def test_no_update_changes_what_was_edited(rounds: list[dict[str, bytes | None]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        course = Path(name)
        run_here(("init", "."), course, environment())
        for edited in rounds:
            for path, data in edited.items():
                (course / path).unlink(missing_ok=True) if data is None else (course / path).write_bytes(data)
            before = {path: data for path, data in edited.items() if data is not None}
            assert run_here(("init", "--update"), course, environment()).returncode == 0
            assert {path: (course / path).read_bytes() for path in before} == before


def test_a_kill_between_any_two_steps_loses_nothing(
    run: Run, course: Path, newer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (course / "puzzles/p02_row_sum.py").write_text("# mine\n")
    fresh = shutil.copytree(course, course.parent / "fresh")
    for count in range(80):
        shutil.rmtree(course)
        shutil.copytree(fresh, course)
        with monkeypatch.context() as patched:
            kill_after(count, patched)
            try:
                run("init", "--update", cwd=course, TRITONPUZZLES_PACK=str(newer))
                killed = False
            except Killed:
                killed = True
        run("init", "--update", cwd=course, TRITONPUZZLES_PACK=str(newer))
        assert (course / "puzzles/p03_row_sum.py").read_text() == "# mine\n", count
        assert (course / STUB).read_bytes() == (newer / STUB).read_bytes(), count
        assert (course / "puzzles/p02_row_max.py").read_bytes() == (newer / "puzzles/p02_row_max.py").read_bytes()
        if not killed:
            assert count > 4
            return
    pytest.fail("it never came to its end")
