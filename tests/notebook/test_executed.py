"""Every notebook, run by a real kernel: as shipped, with the solutions, and with cells that go wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path

import nbformat
import pytest

from tests.notebook.conftest import PUZZLES, ROOT, cell_of, execute, has_bench, new_workspace, printed, run, shown
from tests.turns import part
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front.notebook.builder import build
from tritonpuzzles.front.story import read_source
from tritonpuzzles.front.workspace.folder import Workspace

pytestmark = [pytest.mark.first, pytest.mark.slow]
EACH = pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda puzzle: puzzle.stem)
SOLVED = part(PUZZLES, in_ci=4, otherwise=1)  # half a minute each
PNG = b"\x89PNG"

Ran = dict[str, nbformat.NotebookNode]


def ran(made: dict[str, bytes], workspace: Workspace) -> Ran:
    """Run notebooks with a seed in each check."""
    notebooks = {Path(name).stem: nbformat.reads(data.decode(), as_version=4) for name, data in made.items()}
    for notebook in notebooks.values():
        for cell in notebook["cells"]:
            first, newline, rest = cell["source"].partition("\n")
            if first.startswith(("%%puzzle", "%check", "%trace")):
                cell["source"] = f"{first} --seed 5{newline}{rest}"
    execute(notebooks.values(), workspace.notebooks)
    return notebooks


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> tuple[Workspace, Ran]:
    """The notebooks of a fresh workspace, run there."""
    workspace = new_workspace(tmp_path_factory.mktemp("shipped") / "course")
    return workspace, ran({path.name: path.read_bytes() for path in workspace.notebooks.glob("*.ipynb")}, workspace)


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Workspace, Ran]:
    """Notebooks with the solutions in them, run in a fresh workspace."""
    workspace = new_workspace(tmp_path_factory.mktemp("solved") / "course")
    made = build(ROOT / "solutions")
    return workspace, ran({name: made[name] for name in (f"{puzzle.stem}.ipynb" for puzzle in SOLVED)}, workspace)


@EACH
def test_as_shipped_a_notebook_is_unsolved(puzzle: Puzzle, shipped: tuple[Workspace, Ran]) -> None:
    notebook = shipped[1][puzzle.stem]
    for role in ("solve", "check"):
        cell = cell_of(notebook, role)
        assert shown(cell).startswith(f"· unsolved  p{puzzle.number:02d} {puzzle.slug}\n")
        assert "tp-report" in shown(cell, "text/html")
        assert printed(cell) == ""
    assert "marked TODO, and run it again" in shown(cell_of(notebook, "solve"))
    assert "The kernel writes nothing yet." in shown(cell_of(notebook, "trace"))
    if has_bench(puzzle):
        assert "needs an NVIDIA GPU" in shown(cell_of(notebook, "bench"))
    assert shown(cell_of(notebook, "load")).startswith("The workspace is ")
    assert all(printed(cell) == "" for cell in notebook["cells"] if cell["cell_type"] == "code")
    assert "tensor(" in shown(cell_of(notebook, "reference"))


def test_the_first_notebook_shows_that_it_works(shipped: tuple[Workspace, Ran]) -> None:
    notebook = shipped[1]["00_start"]
    assert shown(cell_of(notebook, "probe")).startswith("✓ pass  p00 vector_add\n")
    listed = shown(cell_of(notebook, "progress"), "text/html")
    links = re.findall(r'<a href="([^"]+)">(.*?)</a>', listed)
    titles = {(address, re.sub(r"<[^>]*>", "", inner)) for address, inner in links}
    assert {(f"{puzzle.stem}.ipynb", puzzle.title) for puzzle in PUZZLES} <= titles


def test_running_stubs_changes_no_file(shipped: tuple[Workspace, Ran]) -> None:
    workspace = shipped[0]
    for puzzle in PUZZLES:
        assert workspace.file(puzzle).read_bytes() == (ROOT / "puzzles" / f"{puzzle.stem}.py").read_bytes()
    assert not (workspace.state_folder / "backups").exists()


@pytest.mark.parametrize("puzzle", SOLVED, ids=lambda puzzle: puzzle.stem)
def test_with_its_solution_a_notebook_passes(puzzle: Puzzle, solved: tuple[Workspace, Ran]) -> None:
    workspace, notebooks = solved
    notebook = notebooks[puzzle.stem]
    assert f"✓ pass  p{puzzle.number:02d} {puzzle.slug}\n" in shown(cell_of(notebook, "solve"))
    assert "Written to ../puzzles/" in shown(cell_of(notebook, "solve"))
    assert shown(cell_of(notebook, "check")).startswith(f"✓ pass  p{puzzle.number:02d} {puzzle.slug}\n")
    assert "seed 5" in shown(cell_of(notebook, "check"))
    trace = shown(cell_of(notebook, "trace"))
    assert any(output in trace for output in ("y_ptr", "o_ptr", "c_ptr"))
    line = int(re.search(r"line (\d+) of the cell", trace)[1])  # type: ignore[index]
    assert cell_of(notebook, "solve")["source"].splitlines()[line - 1].startswith(("@triton.jit", "@triton.autotune("))
    assert len(shown(cell_of(notebook, "trace"), "image/png").splitlines()) >= 3
    assert workspace.file(puzzle).read_bytes() == (ROOT / "solutions" / f"{puzzle.stem}.py").read_bytes()


def test_terminal_and_notebook_share_progress(solved: tuple[Workspace, Ran]) -> None:
    listed = json.loads(run("list", "--json", cwd=solved[0].root).stdout)
    solved_ones = [row["puzzle"] for row in listed["puzzles"] if row["state"] == "solved"]
    assert solved_ones == [puzzle.number for puzzle in SOLVED]


SEGFAULT = "import ctypes\n\n\ndef softmax(x):\n    ctypes.string_at(0)\n"
HOSTILE = "def softmax(x):\n    raise ValueError('<script>alert(1)</script>')\n"


def test_cells_that_go_wrong_leave_the_notebook_alive(workspace: Workspace) -> None:
    """Also with what a notebook may have set before: another default device."""
    stub = read_source(ROOT / "puzzles" / "p03_online_softmax.py").code
    sources = {
        "load": "%load_ext tritonpuzzles",
        "set": "import torch\ntorch.set_default_device('meta')\nkept = 41",
        "segfault": f"%%puzzle 3 --seed 5\n{SEGFAULT}",
        "hostile": f"%%puzzle 3 --seed 5\n{HOSTILE}",
        "syntax": "%%puzzle 3 --seed 5\ndef softmax(x:\n",
        "stub": f"%%puzzle 3 --seed 5\n{stub}",
        "report": "import tritonpuzzles\nr = tritonpuzzles.check(1, solution=True, device='cpu', seed=5)\n"
        "(r.passed, r.findings, r.to_dict()['results'][0]['verdict'], kept + 1)",
        "answers": "import sys\n[name for name in sys.modules if name.startswith('tritonpuzzles.judge.truth')]",
    }
    cells = [nbformat.v4.new_code_cell(source, id=f"x-{role}") for role, source in sources.items()]
    notebook = nbformat.v4.new_notebook(cells=cells)
    execute([notebook], workspace.notebooks)
    crashed = shown(cell_of(notebook, "segfault"))
    assert "✗ error  p03 online_softmax" in crashed
    assert "SIGSEGV" in crashed or "segmentation fault" in crashed.lower()
    assert "Written to ../puzzles/p03_online_softmax.py." in crashed
    fragment = shown(cell_of(notebook, "hostile"), "text/html")
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in fragment
    assert "<script" not in fragment
    assert "line 3 of the cell" in fragment
    assert "p03_online_softmax.py:" not in fragment
    assert "✗ error" in shown(cell_of(notebook, "syntax"))
    assert "line 2 of the cell" in shown(cell_of(notebook, "syntax"), "text/html")
    assert "stays as it is" in shown(cell_of(notebook, "stub"))
    assert "def softmax(x:" in (workspace.puzzles / "p03_online_softmax.py").read_text()
    assert shown(cell_of(notebook, "report")) == "(True, (), 'pass', 42)"
    assert shown(cell_of(notebook, "answers")) == "[]"  # where a learner's code runs, nothing knows them
    kept = [path.read_text() for path in (workspace.state_folder / "backups").iterdir()]
    assert sorted(text.partition("# %%\n")[2] for text in kept) == sorted([SEGFAULT, HOSTILE])
