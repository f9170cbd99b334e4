"""Notebooks are what `notebook build` makes of the puzzle files, byte for byte."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from tests.notebook.conftest import PUZZLES, ROOT, cell_of, environment, has_bench, run
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front.notebook.builder import build
from tritonpuzzles.front.story import read_source
from tritonpuzzles.front.workspace.folder import Workspace

EACH = pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda puzzle: puzzle.stem)
ROLES = ["load", "about-reference", "reference", "about-solve", "solve", "hints", "about-check", "check"]
ROLES += ["about-trace", "trace", "about-bench", "bench", "next"]
OF_A_BENCH = ("about-bench", "bench")


def notebook(puzzle: Puzzle) -> nbformat.NotebookNode:
    return nbformat.read(ROOT / "notebooks" / f"{puzzle.stem}.ipynb", as_version=4)


def test_the_committed_notebooks_are_up_to_date() -> None:
    done = run("notebook", "check", cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(list((ROOT / "notebooks").glob("*.ipynb"))) == len(PUZZLES) + 1


def test_a_rebuild_gives_the_same_bytes() -> None:
    made = build(ROOT / "puzzles")
    assert made == build(ROOT / "puzzles")
    assert made == {path.name: path.read_bytes() for path in (ROOT / "notebooks").glob("*.ipynb")}


def test_no_outputs_and_fixed_ids() -> None:
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        found = nbformat.read(path, as_version=4)
        nbformat.validate(found)
        ids = [cell["id"] for cell in found["cells"]]
        assert len(set(ids)) == len(ids)
        assert all(name.startswith((path.stem[:3] + "-", "00_start-")) for name in ids)
        code = [cell for cell in found["cells"] if cell["cell_type"] == "code"]
        assert all(not cell["outputs"] and cell["execution_count"] is None for cell in code)


@EACH
def test_every_cell_is_there(puzzle: Puzzle) -> None:
    found, source = notebook(puzzle), read_source(ROOT / "puzzles" / f"{puzzle.stem}.py")
    roles = [cell["id"].partition("-")[2] for cell in found["cells"]]
    assert [role for role in roles if not role.startswith("story")] == [
        role for role in ROLES if has_bench(puzzle) or role not in OF_A_BENCH
    ]
    story = cell_of(found, "story-1")["source"]
    assert story.startswith(f"# {puzzle.number}. ")
    assert "$" in story
    assert "\n# " not in story
    assert cell_of(found, "solve")["source"] == f"%%puzzle {puzzle.number}\n{source.code.rstrip()}"
    reference = cell_of(found, "reference")["source"]
    assert "def reference(" in reference
    assert "@triton.jit" not in reference
    hints = cell_of(found, "hints")["source"]
    assert hints.count("<details>") == 3
    assert all(hint in hints for hint in puzzle.hints)


def test_the_first_notebook_leads_to_every_other() -> None:
    found = nbformat.read(ROOT / "notebooks" / "00_start.ipynb", as_version=4)
    text = cell_of(found, "puzzles")["source"]
    assert all(f"({puzzle.stem}.ipynb)" in text for puzzle in PUZZLES)
    following = [cell_of(notebook(puzzle), "next")["source"] for puzzle in PUZZLES]
    assert all(f"({after.stem}.ipynb)" in text for after, text in zip(PUZZLES[1:], following[:-1], strict=True))
    assert "(00_start.ipynb)" in following[-1]


def test_check_names_what_is_out_of_date_and_build_mends_it(workspace: Workspace) -> None:
    edited = workspace.notebooks / "p03_online_softmax.ipynb"
    edited.write_text("a learner's notes")
    (workspace.notebooks / "p01_softmax.ipynb").unlink()
    (workspace.notebooks / "p09_gone.ipynb").write_text("{}")
    (workspace.notebooks / "homework.ipynb").write_text("{}")
    old = run("notebook", "check", cwd=workspace.root)
    assert old.returncode == 1
    assert old.stdout.splitlines() == [
        "notebooks/p01_softmax.ipynb is missing.",
        "notebooks/p03_online_softmax.ipynb is out of date.",
        "notebooks/p09_gone.ipynb belongs to no puzzle.",
        "Next: tritonpuzzles notebook build",
    ]
    assert run("notebook", "build", cwd=workspace.root).returncode == 0
    (workspace.notebooks / "p09_gone.ipynb").unlink()
    assert run("notebook", "check", cwd=workspace.root).returncode == 0
    (kept,) = (workspace.state_folder / "backups").iterdir()
    assert kept.read_text() == "a learner's notes"


def test_solutions_do_not_go_where_learners_work(workspace: Workspace) -> None:
    done = run("notebook", "build", "--solutions", str(ROOT / "solutions"), cwd=workspace.root)
    assert done.returncode == 2
    assert "--output" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("library", ["nbformat", "jupytext"])
def test_without_the_libraries_it_says_what_to_install(library: str, workspace: Workspace) -> None:
    code = f"import sys; sys.modules[{library!r}] = None\nfrom tritonpuzzles.front.cli import main\n"
    command = [sys.executable, "-c", f"{code}sys.exit(main(['notebook', 'check']))"]
    env = environment(workspace.root)
    done = subprocess.run(command, cwd=workspace.root, env=env, capture_output=True, text=True)
    assert done.returncode == 3
    assert f"needs {library}" in done.stderr
    assert "pip install 'tritonpuzzles[notebook]'" in done.stderr


def test_a_folder_without_puzzles_and_one_that_cannot_be_written(workspace: Workspace, tmp_path: Path) -> None:
    nothing = run("notebook", "build", "--solutions", str(tmp_path), "--output", "out", cwd=workspace.root)
    assert nothing.returncode == 2
    assert "no file such as" in nothing.stderr
    (workspace.root / "file").write_text("")
    refused = run("notebook", "build", "--output", os.path.join("file", "below"), cwd=workspace.root)
    assert refused.returncode == 3
    assert "cannot be written" in refused.stderr


def test_init_leaves_a_learners_notebook_alone(workspace: Workspace) -> None:
    mine = workspace.notebooks / "p01_softmax.ipynb"
    mine.write_text("mine")
    (workspace.notebooks / "p02_blocked_softmax.ipynb").unlink()
    done = run("init", str(workspace.root), cwd=workspace.root)
    assert "1 notebook put into" in done.stdout
    assert mine.read_text() == "mine"
