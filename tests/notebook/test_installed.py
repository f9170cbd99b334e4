"""The first notebook alone in an empty folder, with the package as pip installs it and no clone in sight."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import nbformat
import pytest

from tests.notebook.conftest import PUZZLES, ROOT, cell_of
from tests.notebook.kernels import Kernel, Outputs, kernel
from tritonpuzzles.front.notebook.builder import build, puzzle_cells, start_cells
from tritonpuzzles.front.notebook.place import ONE_NOTEBOOK, SESSION

pytestmark = [pytest.mark.first, pytest.mark.slow]
START = nbformat.read(ROOT / "notebooks" / "00_start.ipynb", as_version=4)
SOLVED = nbformat.reads(build(ROOT / "solutions")["p00_vector_add.ipynb"].decode(), as_version=4)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package and what comes with it, as a wheel lays them out."""
    folder = tmp_path_factory.mktemp("site")
    package = folder / "tritonpuzzles"
    shutil.copytree(ROOT / "grader" / "tritonpuzzles", package, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("puzzles", "solutions", "notebooks"):
        shutil.copytree(ROOT / name, package / "_workspace" / name)
    return folder


def test_the_first_notebook_works_in_an_empty_folder_and_again(site: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    setup, probe, listed, solve = asyncio.run(_course(site, empty))
    course = empty / "triton-puzzles"
    assert setup.last["text/plain"] == f"Made a workspace, and went there: {course}."
    assert 'href="triton-puzzles/notebooks/00_start.ipynb"' in setup.last["text/html"]
    assert probe.last["text/plain"].startswith("✓ pass  p00 vector_add\n")
    assert all(f'href="triton-puzzles/notebooks/{puzzle.stem}.ipynb"' in listed.last["text/html"] for puzzle in PUZZLES)
    assert "✓ pass  p00 vector_add" in solve.last["text/plain"]
    assert 'Next:</b> <a href="triton-puzzles/notebooks/p01_softmax.ipynb">' in solve.last["text/html"]
    assert (course / "puzzles" / "p00_vector_add.py").read_bytes() == (
        ROOT / "solutions" / "p00_vector_add.py"
    ).read_bytes()
    again, in_colab = asyncio.run(_again(site, empty))
    assert again.last["text/plain"] == f"Went to the workspace {course}."
    assert [path.name for path in empty.iterdir() if path.name != "ipython"] == ["triton-puzzles"]
    assert "href" not in in_colab.last["text/html"], "Colab opens no link to a file"
    assert "%tritonpuzzles show 1, then %puzzle 1" in in_colab.last["text/html"]


async def _course(site: Path, empty: Path) -> list[Outputs]:
    async with kernel(empty, PYTHONPATH=str(site), **{SESSION: str(empty / "00_start.ipynb")}) as one:
        cells = [cell_of(START, role) for role in ("load", "probe", "progress")] + [cell_of(SOLVED, "solve")]
        assert (await _path(one)).startswith(str(site))
        return [await one.run(cell["source"]) for cell in cells]


async def _again(site: Path, empty: Path) -> list[Outputs]:
    async with kernel(empty, PYTHONPATH=str(site), **{ONE_NOTEBOOK: "1"}) as one:
        return [await one.run(cell_of(START, role)["source"]) for role in ("load", "progress")]


async def _path(one: Kernel) -> str:
    """Return where the kernel has the package from."""
    found = await one.run("import tritonpuzzles; print(tritonpuzzles.__file__, end='')")
    text: str = found.messages[0]["content"]["text"]
    return text


def test_a_badge_leads_to_the_notebook_in_its_repository() -> None:
    puzzle = PUZZLES[3]
    cells = [*start_cells(PUZZLES, "owner/name"), *puzzle_cells(puzzle, ["# Story"], "x = 1\n", None, "owner/name")]
    assert "(https://colab.research.google.com/github/owner/name/blob/main/notebooks/00_start.ipynb)" in cells[0].source
    (badge,) = (cell for cell in cells if cell.role == "badge")
    assert badge.source.startswith("[![Open in Colab](")
    assert badge.source.endswith(f"/github/owner/name/blob/main/notebooks/{puzzle.stem}.ipynb)")
    without = [*start_cells(PUZZLES), *puzzle_cells(puzzle, ["# Story"], "x = 1\n", None)]
    assert not any("colab" in cell.source for cell in without)
